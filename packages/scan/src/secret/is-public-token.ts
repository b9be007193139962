/** Whether a JSON web token is meant to be seen: the one that everybody's documentation shows, or an anonymous role. */
export function isPublicToken(token: string): boolean {
  const payload = Buffer.from(token.split(".", 2)[1] ?? "", "base64url").toString("utf8");
  return /"role"\s{0,3}:\s{0,3}"anon"|"sub"\s{0,3}:\s{0,3}"1234567890"|John Doe|example\.com/.test(payload);
}
