import { findSecrets } from "../secret/find-secrets.ts";

/** The offending words for people: secrets blotted out, whatever cannot be seen written as an escape, on one line each. */
export function showEvidence(snippet: string): string {
  return escapeUnseen(redact(snippet)).slice(0, MAX_EVIDENCE_CHARACTERS);
}

const MAX_EVIDENCE_CHARACTERS = 600;

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
  return shown + text.slice(end);
}

// Enough to know which key it is, too few to use it.
const KEPT_CHARACTERS = 4;

function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

// Everything that a terminal or a page would not show, or would obey, but line ends and tabs.
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
