/** Characters that show as nothing: Unicode's default ignorables, the Braille blank and control characters that terminals swallow. */
export const IGNORABLE: RegExp =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\p{Default_Ignorable_Code_Point}\u2800\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufff9-\ufffb]/u;

export const IGNORABLES: RegExp = new RegExp(IGNORABLE.source, "gu");

/** Whether a text is plain ASCII without control characters, which needs no view but itself. */
export function isPlain(text: string): boolean {
  return !UNPLAIN.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNPLAIN = /[^\t\n\r\f\u001b -~]/;
