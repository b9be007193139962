/** The longest beginning of some UTF-8 text that has at most so many bytes and splits no character. */
export function truncateText(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  // Bytes of the form 10xxxxxx belong to the character before them.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
