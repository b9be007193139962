import { editFrontmatter, type TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { parseJsonObject } from "@skillet/kit/json";
import { treeDigestOf } from "../tree-digest-of.ts";
import type { Candidate } from "./candidate.ts";
import { isPlaceName } from "./place-name.ts";

/**
 * The candidate under another name, written into its manifest, since a registry goes by what a skill declares.
 *
 * The same bytes and the same name always give the same result, so a lock can be installed again.
 */
export function renameCandidate(candidate: Candidate, name: string): Candidate {
  if (!isPlaceName(name))
    throw new SkilletError(
      "name-invalid",
      `${JSON.stringify(name.slice(0, 100))} cannot be the name of an installed skill; use letters, digits and hyphens, at most 64.`,
      { data: { name: name.slice(0, 100) } },
    );
  if (name === candidate.name) return candidate;
  const files = candidate.files.map((file) => rename(file, candidate, name));
  const digest = treeDigestOf(files);
  // What was signed were other bytes.
  const { envelopes: _, ...rest } = candidate;
  return {
    ...rest,
    name,
    files,
    digest,
    ...(candidate.manifest && { manifest: { ...candidate.manifest, name } }),
    ...(candidate.parts && { parts: { ...candidate.parts, name } }),
  };
}

function rename(file: TreeFile, { kind, files }: Candidate, name: string): TreeFile {
  if (kind === "plugin") {
    const manifest = /^\.[a-z]+-plugin\/plugin\.json$/.test(file.path)
      ? parseJsonObject(file.bytes)
      : undefined;
    if (manifest === undefined) return file;
    return { ...file, bytes: Buffer.from(`${JSON.stringify({ ...manifest, name }, null, 2)}\n`) };
  }
  const main = files.some(({ path }) => path === "SKILL.md") ? "SKILL.md" : "skill.md";
  if (file.path !== main) return file;
  const text = new TextDecoder().decode(file.bytes);
  return { ...file, bytes: Buffer.from(editFrontmatter(text, [{ path: ["name"], value: name }])) };
}
