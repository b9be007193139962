import type { SelectableSkill } from "../selectable-skill.ts";
import { findNegation } from "./negations.ts";

type Manifest = SelectableSkill["manifest"];

/** Marks that begin terms of evidence; no word of a text contains them, so the two never collide. */
export const EXTENSION_MARK = "\u0001e:";
export const VERB_MARK = "\u0001v:";

const MAX_EXTENSIONS = 32;
// Enough for what a skill does; with more it would claim every order.
const MAX_VERBS = 8;

/** The file extensions that a skill's header and paths mention, and the verbs that it declares. */
export function findEvidence(manifest: Manifest, header: string): readonly string[] {
  const extensions = new Set([...findExtensions(header), ...pathExtensions(manifest)]);
  return [
    ...[...extensions].slice(0, MAX_EXTENSIONS).map((extension) => EXTENSION_MARK + extension),
    ...manifest.triggers.verbs.slice(0, MAX_VERBS).map((verb) => VERB_MARK + verb.toLowerCase()),
  ];
}

/** The extensions in a text, such as `.pdf`, `*.pdf` or `report.pdf`; lower case, without the dot. */
export function findExtensions(text: string): readonly string[] {
  if (!text.includes(".")) return [];
  const extension = /(?:[\p{L}\p{N}_*\])-]|(?<![\p{L}\p{N}.]))\.([a-z][a-z0-9]{0,7})(?![\p{L}\p{N}/:])/giu;
  return [...new Set(Array.from(text.matchAll(extension), ([, found = ""]) => found.toLowerCase()))];
}

/** The extensions of the paths that should call a skill: ts and tsx for `**\/*.{ts,tsx}`. */
function pathExtensions({ invocation }: Manifest): readonly string[] {
  return invocation.paths.slice(0, MAX_EXTENSIONS).flatMap((path) => {
    const [, several, one] = PATH_EXTENSION.exec(path.slice(-MAX_PATH_END)) ?? [];
    return (several?.split(",") ?? [one ?? ""]).map((extension) => extension.toLowerCase()).filter(Boolean);
  });
}

const MAX_PATH_END = 100;
const PATH_EXTENSION = /\.(?:\{([a-z0-9]{1,8}(?:,[a-z0-9]{1,8})*)\}|([a-z][a-z0-9]{0,7}))$/i;

/**
 * The parts of a body; `occasions` is the text below a heading such as "When to use this skill".
 *
 * Split line by line: exact enough for counting words, and linear in the length of any text.
 */
export function splitBody(body: string): Readonly<Record<"heading" | "body" | "code" | "occasions", string>> {
  const parts = { heading: "", body: "", code: "", occasions: "" };
  let fence = "";
  let isOccasion = false;
  for (const line of body.split("\n")) {
    const start = line.trimStart();
    if (fence !== "" && start.startsWith(fence)) fence = "";
    else if (fence !== "") parts.code += `${line}\n`;
    else if (start.startsWith("```") || start.startsWith("~~~")) fence = start.slice(0, 3);
    else if (line.startsWith("#")) {
      const heading = line.replace(/^#+/, "");
      parts.heading += `${heading}\n`;
      isOccasion = OCCASION.test(heading) && !NOT_OCCASION.test(heading);
    } else {
      parts.body += `${line.slice(0, findNegation(line)?.start)}\n`;
      if (isOccasion) parts.occasions += `${line}\n`;
    }
  }
  return parts;
}

const OCCASION =
  /\bwhen\b.{0,12}\b(?:use|to use|apply|activate|invoke|trigger)|\btriggers?\b|\btrigger (?:phrases|words|conditions)|\buse cases?\b|\bactivat(?:e|ion)|quando us|cuándo|何时|何時|使用场景|適用|触发|适用/i;
const NOT_OCCASION = /\bnot\b|\bdon['’]?t\b|\bnever\b|不/i;
