import { hash } from "node:crypto";
import type { Digest } from "@skillet/kit/digest";
import type { Skill } from "./skill.ts";

/** The hash that two snapshots share when they hold the same skills in the same states. */
export function versionOf(skills: readonly Skill[]): Digest {
  const lines = skills.map(({ qualifiedName, path, digest, settingsDigest, state }) =>
    JSON.stringify([qualifiedName, path, digest, settingsDigest ?? null, state]),
  );
  return `sha256:${hash("sha256", lines.join("\n"), "hex")}`;
}
