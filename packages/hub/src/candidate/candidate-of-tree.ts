import { parseSkillBytes, type TreeFile } from "@skillet/core";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import type { Resolved } from "../fetch/resolved.ts";
import { treeDigestOf } from "../tree-digest-of.ts";
import type { Candidate } from "./candidate.ts";

/** A candidate made from files that were kept, as they were installed. */
export function candidateOfTree(
  files: readonly TreeFile[],
  known: {
    readonly kind: Candidate["kind"];
    readonly name: string;
    readonly resolved: Resolved;
    readonly folder: string;
    readonly identity: string | undefined;
    readonly isProven: boolean;
  },
): Candidate {
  const { kind, name, resolved, folder, identity, isProven } = known;
  const main = files.find(({ path }) => path === "SKILL.md") ?? files.find(({ path }) => path === "skill.md");
  const parsed =
    kind === "skill" && main
      ? parseSkillBytes(main.bytes, { file: main.path, directoryName: name })
      : undefined;
  return {
    kind,
    name,
    files,
    digest: treeDigestOf(files),
    ...(parsed?.manifest && { manifest: parsed.manifest }),
    ...(kind === "plugin" && { parts: readPluginParts(files, { name }).parts }),
    resolved,
    folder,
    ...(identity !== undefined && { identity }),
    ...(!isProven && { unproven: true }),
    diagnostics: parsed?.diagnostics ?? [],
  };
}
