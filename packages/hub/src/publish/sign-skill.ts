import type { Digest } from "@skillet/kit/digest";
import type { Envelope } from "../signature/envelope.ts";
import type { SigningKey } from "../signature/key.ts";
import { signTree } from "../signature/sign-tree.ts";
import type { SkillToPublish } from "./skill-to-publish.ts";

/** Signs a skill as it is published. */
export function signSkill(
  { name, version, source }: SkillToPublish,
  { key, treeDigest }: { readonly key: SigningKey; readonly treeDigest: Digest },
): Envelope {
  const statement = { name, treeDigest, ...(version && { version }), ...(source && { source }) };
  return signTree({ key, statement });
}
