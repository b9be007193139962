import type { InlineSpan } from "./read-inlines.ts";

export interface BareAddress extends InlineSpan {
  readonly url: string;
  /** Written so that nobody follows it, as `hxxp://a[.]test`. */
  readonly isDefanged: boolean;
}

export function bareAddresses(text: string): readonly BareAddress[] {
  if (!HINT.test(text)) return [];
  const found: BareAddress[] = [];
  for (const match of text.matchAll(DEFANGED_HINT.test(text) ? ADDRESS : PLAIN_ADDRESS)) {
    const url = trimEnd(match[0]);
    const isDefanged = /^h(?:xx|\*\*)p/i.test(url) || /\[(?:\.|dot|:)\]|\(\.\)/i.test(url);
    found.push({ from: match.index, to: match.index + url.length, url, isDefanged });
  }
  return found;
}

const HINT = /:\/\/|www\.|\[:\]\/\/|\[(?:\.|dot)\]/i;
const DEFANGED_HINT = /\[(?:\.|dot)\]/i;
const PLAIN_ADDRESS =
  /(?:(?:https?|h(?:xx|\*\*)ps?|ftps?|file|wss?|ssh|git|magnet|data|javascript)(?::|\[:\])\/\/|\bwww\.(?=[\p{L}\p{N}]))[^\s<>"'`“”«»「」，。；（）]{1,2000}/giu;
// It is tried at every word, so only where a text has one.
const DEFANGED_HOST =
  /\b[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,4}\[(?:\.|dot)\][\p{L}\p{N}.[\]-]{2,80}(?:\/[^\s<>"'`]{0,500})?/giu;
const ADDRESS = new RegExp(`${PLAIN_ADDRESS.source}|${DEFANGED_HOST.source}`, "giu");

function trimEnd(url: string): string {
  let end = url.length;
  while (end > 0 && ".,;:!?*_~|\\".includes(url.charAt(end - 1))) end--;
  while (end > 0 && isUnopened(url, end)) end--;
  return url.slice(0, end);
}

/** A closing bracket at the end that the address did not open belongs to the sentence. */
function isUnopened(url: string, end: number): boolean {
  const open = { ")": "(", "]": "[", "}": "{" }[url.charAt(end - 1)];
  return open !== undefined && !url.slice(0, end).includes(open);
}
