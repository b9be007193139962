/** The bytes of canonical base64, or nothing: Node's own decoder skips whatever it does not understand. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
