import { findSecrets } from "../secret/find-secrets.ts";

export function showEvidence(snippet: string): string {
  return escapeUnseen(redact(snippet)).slice(0, MAX_EVIDENCE_CHARACTERS);
}

/** Evidence that is a secret itself: every long word of it is blotted out, for no name beside it tells which one it is. */
export function showSecretEvidence(snippet: string): string {
  return showEvidence(snippet).replaceAll(LONG_WORD, (word) => `${word.slice(0, KEPT_CHARACTERS)}[redacted]`);
}

const MAX_EVIDENCE_CHARACTERS = 600;
const LONG_WORD = /(?<![\w+/=.-])[A-Za-z0-9+/_=.-]{16,}/g;

function redact(text: string): string {
  let shown = "";
  let end = 0;
  for (const secret of findSecrets(text)) {
    // Placeholders too: a real key with one wrong letter looks like one.
    if (secret.start < end) continue;
    const kept = text.slice(secret.start, secret.start + KEPT_CHARACTERS);
    shown += `${text.slice(end, secret.start)}${kept}[redacted]`;
    end = secret.end;
  }
  return (shown + text.slice(end))
    .replaceAll(ADDRESS_PASSWORD, "$1[redacted]@")
    .replaceAll(GLUED_TOKEN, (token) => `${token.slice(0, KEPT_CHARACTERS)}[redacted]`);
}

// Enough to know which key it is, too few to use it.
const KEPT_CHARACTERS = 4;

const ADDRESS_PASSWORD = /(:\/\/[^\s:@/]{1,100}:)[^\s@/[]{1,200}@/g;
// Whatever stands before it: a token is one all the same.
const GLUED_TOKEN = /(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|npm_|AKIA|ASIA)[A-Za-z0-9_-]{16,255}/g;

function escapeUnseen(text: string): string {
  if (!BEYOND_PLAIN.test(text)) return text;
  return text.replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

const BEYOND_PLAIN = /[^\n\t -~]/;
// Everything that a terminal or a page would not show, or would obey, but line ends and tabs.
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
