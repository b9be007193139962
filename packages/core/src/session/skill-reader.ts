import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { ContentBounds, SkillContent } from "../registry/read-skill-content.ts";
import type { TreeFile } from "../registry/read-tree.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { SourceRead, TreeStamp } from "../source/skill-source.ts";
import { indexOf } from "./snapshot-index.ts";
import type { SessionState } from "./state.ts";

export interface SkillReader {
  readSkillFile(skill: Skill): Promise<Uint8Array>;
  readFile(skill: Skill, path: string, options: { readonly maxBytes: number }): Promise<SourceRead>;
  indexResources(skill: Skill): Promise<ResourceIndex>;
  /** Every file of the skill as it is now, in byte order of path; throws `skill-tree-unreadable` if one cannot be read. */
  readTree(skill: Skill, options: { readonly signal?: AbortSignal | undefined }): AsyncIterable<TreeFile>;
  readContent(
    skill: Skill,
    bounds: ContentBounds & { readonly signal?: AbortSignal | undefined },
  ): Promise<SkillContent>;
  /** The status of the skill's files, without reading them; undefined where the source cannot tell. */
  stamp(skill: Skill): TreeStamp | undefined;
  /** Why the skill's files are not trusted; undefined when they are, or need not be. */
  findTrustFault(
    skill: Skill,
    index: ResourceIndex,
  ): Promise<{ readonly kind: "changed" | "untrusted"; readonly reason: string } | undefined>;
  hasScripts(skill: Skill): Promise<boolean>;
  toolPath(skill: Skill, path: string): string;
}

/** The files of a skill as they were when it was last loaded, or else as they are now. */
export async function frozenIndex(session: SessionState, skill: Skill): Promise<ResourceIndex> {
  const { frozen, reader, options } = session;
  const known = frozen.get(skill.qualifiedName);
  if (known !== undefined) return known;
  const index = await reader.indexResources(skill);
  // After a refresh, the name may be another skill's. With `freeze`, the files that count are those of the start.
  if (options.freeze === undefined && indexOf(session.snapshot).places.has(skill))
    frozen.set(skill.qualifiedName, index);
  return index;
}

/** Freezes every skill that could be used; one that cannot be read now has drifted when it is loaded later. */
export async function freezeAll(session: SessionState, signal?: AbortSignal): Promise<void> {
  if (session.options.freeze === undefined) return;
  for (const skill of session.snapshot.skills) {
    signal?.throwIfAborted();
    if (skill.state === "disabled" || skill.state === "untrusted") continue;
    try {
      session.frozen.set(skill.qualifiedName, await frozenIndex(session, skill));
    } catch {
      // A host's own source may throw anything, also because of an abort.
      signal?.throwIfAborted();
    }
  }
}

/** Warns about files that differ from the trusted ones; throws when the skill is no longer trusted at all. */
export async function checkTrust(
  { reader }: SessionState,
  skill: Skill,
  index: ResourceIndex,
): Promise<readonly Diagnostic[]> {
  const fault = await reader.findTrustFault(skill, index);
  if (fault === undefined) return [];
  if (fault.kind === "untrusted")
    throw new SkilletError(
      "skill-not-offered",
      `${showName(skill.qualifiedName)} cannot be used: ${fault.reason}.`,
      { data: { skill: skill.qualifiedName, state: "untrusted" } },
    );
  return [
    {
      code: "trusted-skill-changed",
      severity: "warning",
      message: `The skill was trusted with other files: ${fault.reason}.`,
      file: skill.path,
      hint: "Look at what changed, then run: skillet trust",
    },
  ];
}
