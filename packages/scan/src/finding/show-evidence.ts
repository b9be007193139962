import { HIDDEN } from "@skillet/kit/text";
import { findSecrets } from "../secret/find-secrets.ts";

export function showEvidence(snippet: string): string {
  return escapeUnseen(blotSecrets(snippet)).slice(0, MAX_EVIDENCE_CHARACTERS);
}

/** Evidence that is itself a secret: all long words are redacted, as no name beside them tells which one it is. */
export function showSecretEvidence(snippet: string): string {
  return showEvidence(snippet).replaceAll(LONG_WORD, blot);
}

const MAX_EVIDENCE_CHARACTERS = 600;
// Readers need the host of an address; its path may contain a key.
const LONG_WORD =
  /(?<=https?:\/\/[\w.-]{1,100}\/\S{0,300})[\w+=.-]{16,}|(?<!https?:)(?<![\w+/=.-])[\w+/=.-]{16,}/g;

// Placeholders too: a real key with one wrong letter looks like one.
function blotSecrets(text: string): string {
  let shown = "";
  let end = 0;
  for (const secret of findSecrets(text)) {
    if (secret.start < end) continue;
    shown += text.slice(end, secret.start) + blot(text.slice(secret.start, secret.end));
    end = secret.end;
  }
  // A password may be as short as the prefix that is kept of a key.
  return (shown + text.slice(end))
    .replaceAll(ADDRESS_PASSWORD, "$1[redacted]@")
    .replaceAll(GLUED_TOKEN, blot);
}

// Enough to recognise the key, too little to use it.
function blot(key: string): string {
  return `${key.slice(0, 4)}[redacted]`;
}

const ADDRESS_PASSWORD = /(:\/\/[^\s:@/]{1,100}:)[^\s@/[]{1,200}@/g;
// Whatever precedes it, this is a token.
const GLUED_TOKEN = /(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|npm_|AKIA|ASIA)[A-Za-z0-9_-]{16,255}/g;

function escapeUnseen(text: string): string {
  if (!BEYOND_PLAIN.test(text)) return text;
  return text.replaceAll(UNSEEN, (run) => {
    const escapes = Array.from(run, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
    });
    if (escapes.length <= MAX_ESCAPES) return escapes.join("");
    return `${escapes.slice(0, MAX_ESCAPES).join("")}… (${escapes.length} unseen characters)`;
  });
}

// A message in such characters may be hundreds of them long, and its escapes help nobody.
const MAX_ESCAPES = 8;

const BEYOND_PLAIN = /[^\n\t -~]/;
const UNSEEN = new RegExp(`(?:(?![\\n\\t])[${HIDDEN}])+`, "gu");
