import { registeredDomain } from "../host/classify-host.ts";
import type { SkillProfile } from "./skill-profile.ts";

/**
 * Whether a path is the place where the service itself keeps its key: `~/.config/weatherkit/credentials.json` for
 * api.weatherkit.test, or a file of the skill's own.
 */
export function isOwnStore(path: string, host: string, { name }: SkillProfile): boolean {
  const label = (registeredDomain(host).split(".")[0] ?? "").toLowerCase();
  const plain = path.toLowerCase();
  const isShared = SHARED_STORES.test(plain);
  if (isShared) return false;
  return (
    (label.length >= MIN_CHARACTERS && plain.includes(label)) ||
    (name.length >= MIN_CHARACTERS && plain.includes(name.toLowerCase()))
  );
}

const MIN_CHARACTERS = 4;

// Many services' keys lie there: that one of them is named like the host says nothing.
const SHARED_STORES = /\.(?:ssh|aws|kube|gnupg|npmrc|netrc|claude|codex|openclaw|clawdbot)\b/;
