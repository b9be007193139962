import { HIDDEN } from "@skillet/kit/text";
import { replaceSecrets } from "../secret/replace-secrets.ts";

export function showEvidence(snippet: string): string {
  return escapeUnseen(replaceSecrets(snippet, blot)).slice(0, MAX_EVIDENCE_CHARACTERS);
}

/** Evidence that is a secret itself: every long word of it is blotted out, for no name beside it tells which one it is. */
export function showSecretEvidence(snippet: string): string {
  return showEvidence(snippet).replaceAll(LONG_WORD, (word) => blot(word, "key"));
}

const MAX_EVIDENCE_CHARACTERS = 600;
const LONG_WORD = /(?<![\w+/=.-])[A-Za-z0-9+/_=.-]{16,}/g;

// Enough to know which key it is, too few to use it.
const KEPT_CHARACTERS = 4;

// A password may be no longer than that.
const blot = (secret: string, kind: "key" | "password"): string =>
  `${kind === "key" ? secret.slice(0, KEPT_CHARACTERS) : ""}[redacted]`;

function escapeUnseen(text: string): string {
  if (!BEYOND_PLAIN.test(text)) return text;
  return text.replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

const BEYOND_PLAIN = /[^\n\t -~]/;
const UNSEEN = new RegExp(`(?![\\n\\t])[${HIDDEN}]`, "gu");
