import { entropyOf } from "./entropy-of.ts";

/** Whether a value only shows where a secret goes. Words in it do not count when real randomness stands beside them. */
export function isPlaceholderSecret(value: string, prefix: string): boolean {
  const body = value.slice(prefix.length);
  if (PLACEHOLDER_WORD.test(value) || KNOWN_EXAMPLES.has(value.toLowerCase().replace(/^0x/, ""))) return true;
  if (SAME_CHARACTER_RUN.test(body)) return true;
  if (entropyOf(body) < MIN_ENTROPY) return true;
  if (stepShare(body) > MAX_STEP_SHARE || isInterleaved(body)) return true;
  const rest = body.replace(SHORT_PLACEHOLDER_WORD, "").replace(/[_\-.]/g, "");
  return rest.length < body.length / 2 && rest.length < MIN_RANDOM_CHARACTERS;
}

/** Too long to stand in a random text by chance. */
const PLACEHOLDER_WORD =
  /example|placeholder|changeme|change-me|change_me|redacted|replace|insert|dummy|sample|deadbeef|qwerty|your[_-]|[_-]here|mysecret|my_secret|supersecret|notareal|not_a_real|not-a-real/i;
const SHORT_PLACEHOLDER_WORD =
  /your|test|fake|demo|mock|secret|token|api|key|github|openai|anthropic|personal|access|live|real|goes|some|value|todo|abc|123|xyz|foo|bar/gi;
const SAME_CHARACTER_RUN = /([A-Za-z0-9*.])\1{5}/;
/** From published documentation, with enough randomness to look real. */
const KNOWN_EXAMPLES: ReadonlySet<string> = new Set([
  "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "tgzv3jokf0xg5qx2tlkwia",
  "2yotnfzfejr1zcsicmwpaa",
  "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
]);
const MIN_ENTROPY = 2.6;
const MAX_STEP_SHARE = 0.45;
const MIN_RANDOM_CHARACTERS = 14;

// `abc123def456`, `0123456789abcdef`, `aaaa`: neighbours that are the same or follow each other.
function stepShare(text: string): number {
  let steps = 0;
  for (let index = 1; index < text.length; index++) {
    if (Math.abs(text.charCodeAt(index) - text.charCodeAt(index - 1)) <= 1) steps++;
  }
  return text.length < 2 ? 0 : steps / (text.length - 1);
}

// `a1b2c3d4e5f6`: letters and digits that each go on by themselves.
function isInterleaved(text: string): boolean {
  const letters = text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const digits = text.replaceAll(/\D/g, "");
  return letters.length >= 4 && digits.length >= 4 && stepShare(letters) > 0.6 && stepShare(digits) > 0.6;
}
