/** A message as its reader sees it, where its parts are written in quoted-printable; undefined where none is. */
export function decodeQuotedPrintable(message: string): string | undefined {
  if (!/^content-transfer-encoding:\s{0,8}quoted-printable/im.test(message)) return undefined;
  const bytes = message
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
