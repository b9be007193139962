/** The bytes of an answer; undefined, and the connection is ended, where there are more than the bound. */
export async function readBoundedBody(
  { body }: Response,
  { maxBytes }: { readonly maxBytes: number },
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
