/** Whether a decoded text means something: chance makes printable characters, but no words. */
export function saysSomething(text: string, encoding: string): boolean {
  const sample = text.slice(0, 512);
  const ordinary = sample.replace(/[^A-Za-z0-9\s.,:;/'"()=_\-\p{L}]/gu, "").length;
  if (ordinary < sample.length * 0.7) return false;
  const words = sample.match(/\p{L}{3,}/gu) ?? [];
  if (words.length === 0) return false;
  if (/character codes|base32|base85|ascii85|z85/.test(encoding) || sample.length < 24)
    return isLikelyWord(words);
  return true;
}

// Number lists within the range of ASCII read as printable noise such as "2<FPZd": real words have vowels, and lower case runs.
function isLikelyWord(words: readonly string[]): boolean {
  return words.some(
    (word) => /\P{ASCII}/u.test(word) || (/[a-z]{3}|^[A-Z]{3,}$/.test(word) && /[aeiouy]/i.test(word)),
  );
}
