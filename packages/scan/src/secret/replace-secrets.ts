import { findSecrets } from "./find-secrets.ts";

/**
 * Puts something else in the place of every literal secret in a text, also of what only looks like one.
 *
 * @example
 * replaceSecrets("key: sk-ant-…", () => "[secret]"); // "key: [secret]"
 */
export function replaceSecrets(
  text: string,
  show: (secret: string, kind: "key" | "password") => string,
): string {
  let shown = "";
  let end = 0;
  for (const secret of findSecrets(text)) {
    // Placeholders too: a real key with one wrong letter looks like one.
    if (secret.start < end) continue;
    shown += `${text.slice(end, secret.start)}${show(text.slice(secret.start, secret.end), "key")}`;
    end = secret.end;
  }
  return (shown + text.slice(end))
    .replaceAll(
      ADDRESS_PASSWORD,
      (_, start: string, password: string) => `${start}${show(password, "password")}@`,
    )
    .replaceAll(GLUED_TOKEN, (token) => show(token, "key"));
}

const ADDRESS_PASSWORD = /(:\/\/[^\s:@/]{1,100}:)([^\s@/[]{1,200})@/g;
// Whatever stands before it: a token is one all the same.
const GLUED_TOKEN = /(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|npm_|AKIA|ASIA)[A-Za-z0-9_-]{16,255}/g;
