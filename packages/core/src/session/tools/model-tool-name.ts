import { hash } from "node:crypto";

// What the interfaces of models take: letters, digits, underscores and hyphens, at most 64.
const MAX_NAME_CHARACTERS = 64;
const SEPARATOR = "__";
const DIGEST_CHARACTERS = 10;
// Lower case alone: hosts compare names without regard to case.
const PLAIN = /^[a-z0-9-]+$/;

/**
 * The name under which a model sees a skill's tool: `pdf-forms__fill`.
 *
 * A skill's name that cannot stand as it is gets a digest of itself behind it, so that no two skills share a name, and
 * no skill that calls itself `mcp` can pass for a server whose tools somebody allowed.
 */
export function modelToolName(skill: string, tool: string): string {
  const room = MAX_NAME_CHARACTERS - SEPARATOR.length - tool.length;
  const isPlain = PLAIN.test(skill) && skill.length <= room && skill !== "mcp";
  return `${isPlain ? skill : markedName(skill, room)}${SEPARATOR}${tool}`;
}

function markedName(skill: string, room: number): string {
  const mark = `_${hash("sha256", skill, "hex").slice(0, DIGEST_CHARACTERS)}`;
  const safe = skill.replaceAll(/[^A-Za-z0-9-]+/g, "_").slice(0, Math.max(0, room - mark.length));
  // The first two underscores in a row are where the tool's own name begins.
  return `${safe.replace(/_+$/, "")}${mark}`;
}
