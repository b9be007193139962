// Characters that stand for themselves: one code unit, one user-perceived character, nothing invisible. Latin, Greek,
// Cyrillic, punctuation, arrows, mathematics and boxes, kana and Han. Everything else takes the long way.
const PLAIN =
  /^[\x20-\x7E\u00A1-\u00AC\u00AE-\u02FF\u0370-\u0377\u037A-\u037F\u0384-\u03FF\u0400-\u0481\u048A-\u052F\u2010-\u2027\u2030-\u205E\u20A0-\u20BF\u2190-\u22FF\u2460-\u25FA\u3001-\u3029\u3041-\u3096\u309B-\u30FF\u4E00-\u9FFF\uFF01-\uFF60]*$/;

const FIRST_WIDE = 0x3001;

/**
 * Whether every character of a text stands for itself.
 *
 * Most text does, and the patterns and the segmenter for the rest take longer to make than finding 50 skills.
 */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

/** The columns of one character of a plain text. */
export function plainWidth(codeUnit: number): number {
  return codeUnit < FIRST_WIDE ? 1 : 2;
}
