import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SkillReader } from "../skill-reader.ts";
import type { SessionVetting } from "../vetting/session-vetting.ts";
import { checkTrust } from "./check-trust.ts";

/** A skill's instructions as they are now, and the frozen list of its files. */
export interface LoadedSkill {
  readonly manifest: Manifest;
  readonly body: string;
  readonly digest: Digest;
  /** The file is not what the snapshot saw, or the files are not what somebody trusted. */
  readonly drifted: boolean;
  readonly index: ResourceIndex;
  readonly diagnostics: readonly Diagnostic[];
}

// Somebody may be saving just now; twice in a row is no accident any more.
const MAX_ATTEMPTS = 3;

/** Reads a skill again for an activation and compares it with the snapshot. */
export async function loadSkillText(
  skill: Skill,
  reader: SkillReader,
  freeze: (skill: Skill) => Promise<ResourceIndex>,
  vetting: SessionVetting,
): Promise<LoadedSkill> {
  const { index, bytes, digest } = await readWhole(skill, reader, freeze);
  const trust = await checkTrust(skill, index, reader);
  const notices = await vetting.check(skill, index, digest);
  const hasChanged = digest !== skill.digest;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const parsed = parseSkill(text, { mode: "lenient", file: skill.path, directoryName: skill.directoryName });
  if (parsed.manifest === undefined)
    throw new SkilletError(
      "skill-unreadable",
      `${showName(skill.path)} can no longer be read as a skill: ${parsed.diagnostics[0]?.message ?? ""} Check it: skillet validate ${showName(skill.path)}`,
      { data: { skill: skill.qualifiedName, path: skill.path } },
    );
  return {
    manifest: parsed.manifest,
    body: parsed.body,
    digest,
    drifted: hasChanged || trust.length > 0,
    index,
    diagnostics: [...(hasChanged ? [hasDrifted(skill)] : []), ...trust, ...notices, ...index.diagnostics],
  };
}

// Frozen first, so that no text is shown before the whole tree is known; and the text must be of that very tree.
async function readWhole(
  skill: Skill,
  reader: SkillReader,
  freeze: (skill: Skill) => Promise<ResourceIndex>,
): Promise<{ readonly index: ResourceIndex; readonly bytes: Uint8Array; readonly digest: Digest }> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const index = await freeze(skill);
    const bytes = await reader.readSkillFile(skill);
    const digest = digestBytes(bytes);
    if (index.skillDigest === undefined || index.skillDigest === digest) return { index, bytes, digest };
  }
  throw new SkilletError(
    "skill-changing",
    `${showName(skill.path)} changes while it is being read, so it was not loaded; try again when it is left alone.`,
    { data: { skill: skill.qualifiedName, path: skill.path } },
  );
}

function hasDrifted({ path }: Skill): Diagnostic {
  return {
    code: "skill-drifted",
    severity: "warning",
    message: "The file has changed since the skills were found; what it says now was loaded.",
    file: path,
    hint: "Reload the skills to make the change known, or put the file back.",
  };
}
