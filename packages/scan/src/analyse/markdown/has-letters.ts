export function hasLetters(text: string): boolean {
  return ASCII.test(text) || ANY.test(text);
}

// Most text has one, and this is quicker to see.
const ASCII = /[A-Za-z0-9]/;
const ANY = /[\p{L}\p{N}]/u;
