import { showName } from "@skillet/kit/text";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { RootTrust } from "../registry/skill-root.ts";
import { placeOf } from "./trusted-skills.ts";

/** Whether a skill is, file for file, what somebody said yes to. */
export interface TrustVerification {
  /** `unneeded` outside projects; `unknown` when the files were not seen whole, then or now. */
  readonly outcome: "unneeded" | "unchanged" | "changed" | "unknown" | "untrusted";
  /** For people. */
  readonly reason: string;
}

/** Holds all files of a skill against what was recorded when its folder was trusted; discovery looks at SKILL.md alone. */
export async function verifyTrust(
  skill: Skill,
  trust: RootTrust,
  readIndex: () => Promise<ResourceIndex>,
): Promise<TrustVerification> {
  if (trust.kind === "trusted") return { outcome: "unneeded", reason: "it belongs to no project" };
  if (trust.kind === "untrusted")
    return { outcome: "untrusted", reason: `the folder ${trust.project} is not trusted; run: skillet trust` };
  const held = trust.skillAt(placeOf(skill));
  if (held === undefined)
    return {
      outcome: "untrusted",
      reason: `it appeared after ${trust.project} was trusted; run: skillet trust`,
    };
  if (held.tree === undefined)
    return { outcome: "unknown", reason: "its files were not recorded with the trust; run: skillet trust" };
  const { treeDigest, diagnostics } = await readIndex();
  if (treeDigest === undefined) {
    const why = diagnostics.find(({ severity }) => severity === "error");
    return {
      outcome: "unknown",
      reason:
        `its files cannot all be read: ${showName(why?.file ?? "?")}: ${why?.message} ${why?.hint ?? ""}`.trim(),
    };
  }
  return treeDigest === held.tree
    ? { outcome: "unchanged", reason: `it is what it was when ${trust.project} was trusted` }
    : {
        outcome: "changed",
        reason: "its files are not those that were trusted; read the change, then run: skillet trust",
      };
}
