import type { SkillProfile } from "../finding/rule.ts";
import { registeredDomain } from "../host/classify-host.ts";

/**
 * Whether a path is the place where the service itself keeps its key: `~/.config/weatherkit/credentials.json` for
 * api.weatherkit.test, or a file of the skill's own.
 */
export function isOwnStore(path: string, host: string, { name }: SkillProfile): boolean {
  const plain = path.toLowerCase();
  if (SHARED_STORES.test(plain)) return false;
  const parts = new Set(plain.split(/[^a-z0-9]+/));
  const label = (registeredDomain(host).split(".")[0] ?? "").toLowerCase();
  return [label, name.toLowerCase()].some((word) => isStoreOf(word, plain, parts));
}

// A word that every other store has in its path says nothing: `config`, `credentials`.
function isStoreOf(word: string, path: string, parts: ReadonlySet<string>): boolean {
  if (word.length < MIN_CHARACTERS || GENERIC.test(word)) return false;
  return word.includes("-") ? path.includes(word) : parts.has(word) || path.includes(`/.${word}`);
}

const MIN_CHARACTERS = 4;

const GENERIC =
  /^(?:(?:config|configuration|credentials?|settings?|secrets?|tokens?|auth|hosts?|keys?|data|json|yaml|users?|home|local|share|default|profile|accounts?|files?|docker|json|application|support|library|cache|session|cookies?|private|login|cloud|storage|agent|backup|server)[-_]?){1,3}$/;

// Many services' keys lie there, or another's: that one of them is named like the host says nothing.
const SHARED_STORES =
  /\.(?:ssh|aws|kube|gnupg|npmrc|netrc|claude|codex|openclaw|clawdbot|docker|azure|pypirc|git-credentials|m2|cargo)\b|\.config\/(?:gh|gcloud|hub|glab|op)\b/;
