import { entropyOf } from "./entropy-of.ts";
import type { FoundSecret } from "./find-secrets.ts";

/** Finds armoured private keys; one without a believable body is a placeholder. */
export function findPrivateKeys(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  let next = text.indexOf(OPENING);
  while (next !== -1) {
    const at = next;
    next = text.indexOf(OPENING, at + OPENING.length);
    HEADER.lastIndex = at;
    const header = HEADER.exec(text)?.[0];
    if (header === undefined) continue;
    const bodyStart = at + header.length;
    // Never past the next one, so that many openings with a single end cost no more than their length.
    const limit = Math.min(next === -1 ? text.length : next, bodyStart + MAX_KEY_CHARACTERS);
    const rest = text.slice(bodyStart, limit);
    const closing = rest.indexOf("-----END");
    const isWhole = closing !== -1 && isKeyBody(rest.slice(0, closing));
    found.push({
      start: at,
      end: isWhole ? bodyStart + closing : bodyStart,
      provider: "private-key",
      isPlaceholder: !isWhole,
      isPrivateKey: isWhole,
    });
  }
  return found;
}

const OPENING = "-----BEGIN ";
const HEADER = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/y;
const MAX_KEY_CHARACTERS = 20_000;

// Also as one string with `\n` in it, as service-account files have it.
function isKeyBody(body: string): boolean {
  const plain = body
    .replace(/\\[nr]|["'+,\s]/g, "")
    .replace(/^(?:Proc-Type|DEK-Info|Version|Comment):\S*/, "");
  if (plain.length < 48 || /[^A-Za-z0-9+/=:-]/.test(plain) || /\.\.\.|(.)\1{7}/.test(plain)) return false;
  return entropyOf(plain) >= 4;
}
