import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { CallOptions } from "../ask.ts";
import type { TreeFile } from "../registry/read-tree.ts";
import { driftRefused, hasChanged } from "./activate/activate-skill.ts";
import { givenText } from "./model-input.ts";
import { VerifiedTree } from "./run/verified-tree.ts";
import { vetShown } from "./session-vetting.ts";
import { findNamed, resolveFor } from "./skill-access.ts";
import { checkTrust } from "./skill-reader.ts";
import { usableSkills } from "./skill-view.ts";
import { notOffered, type SessionState } from "./state.ts";

/** Every file of a skill, for a host that reads skills from disk itself. */
export interface SkillFiles {
  /** Covers all files; an activation of the same files has the same digest. */
  readonly treeDigest: Digest;
  /** Each file is compared with the judged digest before it is yielded; a difference throws. */
  readonly files: AsyncIterable<TreeFile>;
}

/**
 * Only a trusted, vetted and unchanged skill; anything else throws, whatever `onDrift` says: a host uses its
 * copy long after anyone was told about a change.
 */
export async function openSkillFiles(
  session: SessionState,
  name: string,
  { signal }: CallOptions,
): Promise<SkillFiles> {
  givenText(name, "The name of the skill", "a skill's name");
  const skill =
    findNamed(name, usableSkills(session, "user"), session.snapshot) ?? resolveFor(session, name, "model");
  const { reader } = session;
  // Copying would fetch it unasked, and a host that reads from disk does not ask about its commands.
  if (reader.isRemote(skill)) throw notOffered(skill, "its files lie on another server", {});
  const options = signal === undefined ? {} : { signal };
  const index = await reader.indexResources(skill, options);
  const [drift] = [
    ...(index.skillDigest === skill.digest ? [] : [hasChanged(skill.path)]),
    ...(await checkTrust(session, skill, index)),
  ];
  if (drift !== undefined) throw driftRefused(skill, drift);
  await vetShown(session, skill, index, options);
  const { treeDigest } = index;
  if (treeDigest === undefined) {
    const why = index.diagnostics.find(({ severity }) => severity === "error");
    const message = `${showName(skill.qualifiedName)} cannot be read whole: ${why?.message ?? "a file cannot be read"}`;
    throw new SkilletError("skill-tree-unreadable", message, { data: { skill: skill.qualifiedName } });
  }
  const files = new VerifiedTree({
    index: { ...index, treeDigest },
    skillFile: skill.source.file,
    onFile: () => undefined,
    read: () => reader.readTree(skill, options),
  });
  return { treeDigest, files };
}
