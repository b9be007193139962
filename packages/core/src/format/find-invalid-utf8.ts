import { isUtf8 } from "node:buffer";

/** The line and column of the first byte that is not valid UTF-8. */
export function findInvalidUtf8(bytes: Uint8Array): { readonly line: number; readonly column: number } {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const stop = newline === -1 ? bytes.length : newline;
    const content = bytes.subarray(start, stop);
    if (!isUtf8(content)) return { line, column: columnIn(content) };
    start = stop + 1;
  }
  return { line, column: 1 };
}

function columnIn(line: Uint8Array): number {
  let valid = 0;
  let invalid = line.length;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (validLength(line, middle) >= middle - 3) valid = middle;
    else invalid = middle;
  }
  return Buffer.from(line.subarray(0, validLength(line, valid))).toString("utf8").length + 1;
}

/** The length of the longest valid beginning of a prefix; a sequence of up to four bytes may be cut off at its end. */
function validLength(line: Uint8Array, length: number): number {
  for (let end = length; end >= Math.max(0, length - 3); end -= 1)
    if (isUtf8(line.subarray(0, end))) return end;
  return -1;
}
