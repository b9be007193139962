import type { Digest } from "@skillet/kit/digest";
import { keptSignatures } from "../inspect/kept-signatures.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { SignatureRule } from "../signature/check-signature-policy.ts";
import { checkSignatures } from "./check-signatures.ts";

/** An installed skill, and whose signature its policy asks for. */
export interface InstalledSkill extends Pick<LockEntry, "source" | "resolved"> {
  /** Skillet's own folder, with the signatures that were kept. */
  readonly home: string;
  readonly signatures: readonly SignatureRule[];
  /** The folder of the lock that has it, which its paths are relative to. */
  readonly root: string;
  /** What `~` means in a rule. */
  readonly userHome: string;
  /** What it calls itself. */
  readonly name: string;
  /** Of its files as they lie there, which is what counts, and not what a lock says of them. */
  readonly digest: Digest;
}

/**
 * The keys that signed an installed skill exactly as it lies there, by id; none where no rule of the policy is about its
 * source, since a signature by a key that nobody named says nothing.
 *
 * @example
 * await installedSigners({ home, signatures, root, userHome, name: "pdf", source, resolved, digest }); // ["sha256:3f2a…"]
 */
export async function installedSigners(skill: InstalledSkill): Promise<readonly Digest[]> {
  const { home, name, source, resolved, digest } = skill;
  const checked = await checkSignatures(skill, {
    candidate: { name, digest, resolved },
    sources: [source],
    findEnvelopes: async () => keptSignatures(home, digest),
  });
  return "problem" in checked ? [] : (checked.signers ?? []);
}
