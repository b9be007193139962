import { crc32 } from "node:zlib";
import { phrases, wordSet, words } from "../word-list.ts";

export interface SecretFormat {
  readonly provider: string;
  /** Searched for first; the pattern is tried only after it. */
  readonly prefix: string;
  /** Sticky; a sequence of bounded character runs, so it cannot backtrack far. */
  readonly pattern: RegExp;
  /** Whether its checksum is right, which rules out an example. */
  readonly isValid?: (value: string) => boolean;
  readonly isPublic?: (value: string) => boolean;
}

const CHECKS: Readonly<Record<string, Pick<SecretFormat, "isValid" | "isPublic">>> = {
  github: { isValid: hasTokenChecksum },
  npm: { isValid: hasTokenChecksum },
  sk_test_: { isPublic: () => true },
  jwt: { isPublic: isPublicToken },
};

// Provider, prefix and what follows it. A letter or digit right before it means that it is something else.
const WORDS = phrases(String.raw`
  aws AKIA [A-Z0-9]{16}(?![A-Za-z0-9]), aws ASIA [A-Z0-9]{16}(?![A-Za-z0-9]),
  github ghp_ [A-Za-z0-9_]{20,255}, github gho_ [A-Za-z0-9_]{20,255}, github ghu_ [A-Za-z0-9_]{20,255},
  github ghs_ [A-Za-z0-9_]{20,255}, github ghr_ [A-Za-z0-9_]{20,255},
  github github_pat_ [A-Za-z0-9_]{20,255}, gitlab glpat- [A-Za-z0-9_.-]{20,300},
  slack xox [abeoprs]-[A-Za-z0-9-]{10,250}, slack xapp- \d-[A-Za-z0-9-]{20,250},
  stripe sk_live_ [A-Za-z0-9]{16,250}, stripe rk_live_ [A-Za-z0-9]{16,250},
  stripe sk_test_ [A-Za-z0-9]{16,250}, stripe whsec_ [A-Za-z0-9+/=]{24,100},
  anthropic sk-ant- [A-Za-z0-9_-]{20,250}, openrouter sk-or- [A-Za-z0-9_-]{20,250},
  openai sk-proj- [A-Za-z0-9_-]{20,250}, openai sk-svcacct- [A-Za-z0-9_-]{20,250},
  openai sk- [A-Za-z0-9]{24,250}(?![A-Za-z0-9-]), google AIza [A-Za-z0-9_-]{35}(?![A-Za-z0-9_-]),
  google ya29. [A-Za-z0-9_-]{30,500}, google GOCSPX- [A-Za-z0-9_-]{20,60},
  npm npm_ [A-Za-z0-9]{36}(?![A-Za-z0-9]), pypi pypi-AgE [A-Za-z0-9_-]{50,500},
  twilio SK [0-9a-f]{32}(?![A-Za-z0-9]), sendgrid SG. [A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64},
  huggingface hf_ [A-Za-z0-9]{30,60}(?![A-Za-z0-9]), replicate r8_ [A-Za-z0-9]{30,60},
  groq gsk_ [A-Za-z0-9]{40,80}, xai xai- [A-Za-z0-9]{60,100}, perplexity pplx- [A-Za-z0-9]{40,80},
  digitalocean dop_v1_ [0-9a-f]{64}, linear lin_api_ [A-Za-z0-9]{32,64}, notion ntn_ [A-Za-z0-9]{40,60},
  figma figd_ [A-Za-z0-9_-]{36,60}, vault hvs. [A-Za-z0-9_-]{24,200},
  databricks dapi [0-9a-f]{32}(?:-\d)?(?![0-9a-z]), shopify shpat_ [0-9a-f]{32},
  tavily tvly- [A-Za-z0-9_-]{20,60}, age AGE-SECRET-KEY-1 [A-Z0-9]{58},
  jwt eyJ [A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}
`);

export const SECRET_FORMATS: readonly SecretFormat[] = [
  ...WORDS.map((row): SecretFormat => {
    const [provider = "", prefix = "", rest = ""] = words(row);
    const pattern = new RegExp(String.raw`(?<![\w-])${prefix.replaceAll(".", "\\.")}${rest}`, "y");
    return { provider, prefix, pattern, ...CHECKS[provider], ...CHECKS[prefix] };
  }),
  {
    provider: "slack",
    prefix: "hooks.slack.com/services/",
    pattern: /hooks\.slack\.com\/services\/T[A-Za-z0-9_]{3,20}\/B[A-Za-z0-9_]{3,20}\/[A-Za-z0-9_]{16,60}/y,
  },
  {
    provider: "discord",
    prefix: "/api/webhooks/",
    pattern: /\/api\/webhooks\/\d{10,25}\/[A-Za-z0-9_-]{40,100}/y,
  },
  { provider: "telegram", prefix: ":AA", pattern: /(?<=\d{8}):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y },
];

/** Whether the last six characters of a GitHub or npm token are the checksum of the rest after the prefix. */
function hasTokenChecksum(token: string): boolean {
  const body = token.slice(token.indexOf("_") + 1);
  if (body.length !== 36) return false;
  return body.endsWith(base62(crc32(body.slice(0, 30))));
}

function base62(number: number): string {
  let digits = "";
  for (let rest = number; digits.length < 6; rest = Math.floor(rest / 62))
    digits = `${ALPHABET.charAt(rest % 62)}${digits}`;
  return digits;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Whether a JSON web token is public: the example in every documentation, or an anonymous role. */
function isPublicToken(token: string): boolean {
  const payload = Buffer.from(token.split(".", 2)[1] ?? "", "base64url").toString("utf8");
  return /"role"\s{0,3}:\s{0,3}"anon"|"sub"\s{0,3}:\s{0,3}"1234567890"|John Doe|example\.com/.test(payload);
}

/** Whether a value only shows where a secret goes. Placeholder words do not count beside real randomness. */
export function isPlaceholderSecret(value: string, prefix: string): boolean {
  const body = value.slice(prefix.length);
  if (PLACEHOLDER_WORD.test(value) || KNOWN_EXAMPLES.has(value.toLowerCase().replace(/^0x/, ""))) return true;
  if (SAME_CHARACTER_RUN.test(body)) return true;
  if (entropyOf(body) < MIN_ENTROPY) return true;
  if (stepShare(body) > MAX_STEP_SHARE || isInterleaved(body)) return true;
  const rest = body.replace(SHORT_PLACEHOLDER_WORD, "").replace(/[_\-.]/g, "");
  return rest.length < body.length / 2 && rest.length < MIN_RANDOM_CHARACTERS;
}

/** Too long to be in a random text by chance. */
const PLACEHOLDER_WORD =
  /example|placeholder|changeme|change-me|change_me|redacted|replace|insert|dummy|sample|deadbeef|qwerty|your[_-]|[_-]here|mysecret|my_secret|supersecret|notareal|not_a_real|not-a-real/i;
const SHORT_PLACEHOLDER_WORD =
  /your|test|fake|demo|mock|secret|token|api|key|github|openai|anthropic|personal|access|live|real|goes|some|value|todo|abc|123|xyz|foo|bar/gi;
const SAME_CHARACTER_RUN = /([A-Za-z0-9*.])\1{5}/;
/** From published documentation, but random enough to look real. */
const KNOWN_EXAMPLES: ReadonlySet<string> = wordSet(`
  ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
  59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d tgzv3jokf0xg5qx2tlkwia
  2yotnfzfejr1zcsicmwpaa 4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318
`);
const MIN_ENTROPY = 2.6;
const MAX_STEP_SHARE = 0.45;
const MIN_RANDOM_CHARACTERS = 14;

// `abc123def456`, `0123456789abcdef`, `aaaa`: neighbours that are equal or consecutive.
function stepShare(text: string): number {
  let steps = 0;
  for (let index = 1; index < text.length; index++)
    if (Math.abs(text.charCodeAt(index) - text.charCodeAt(index - 1)) <= 1) steps++;
  return text.length < 2 ? 0 : steps / (text.length - 1);
}

// `a1b2c3d4e5f6`: letters and digits that are each consecutive.
function isInterleaved(text: string): boolean {
  const letters = text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const digits = text.replaceAll(/\D/g, "");
  return letters.length >= 4 && digits.length >= 4 && stepShare(letters) > 0.6 && stepShare(digits) > 0.6;
}

export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / text.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}
