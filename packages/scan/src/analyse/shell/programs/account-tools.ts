import type { Program } from "../shell-call.ts";
import { EMPTY } from "../value.ts";

/** Adds a user, or one to a group; only where that user may then act as root. */
const account: Program = ({ program, texts }, shell) => {
  const joined = `${program} ${texts.join(" ")}`.slice(0, 200);
  // An account with the number of root is root under another name.
  if (/\s(?:-u|--uid)[= ]0(?:\s|$)|\s-\w{0,5}ou 0(?:\s|$)/.test(joined))
    shell.act({ type: "privilege", how: "root-for-all", detail: joined });
  else if (ROOT_GROUP.test(joined)) shell.act({ type: "privilege", how: "account", detail: joined });
  return EMPTY;
};

const ROOT_GROUP =
  /\s(?:-\w*[gG]|--groups?|--ingroup)[\s=]{1,5}(?:[\w-]{1,40},){0,8}(?:sudo|wheel|admin|root)\b|^(?:adduser|gpasswd|dseditgroup)\s[^\n]{0,120}\s(?:sudo|wheel|admin|root)$|^net1?\s{1,5}localgroup\s{1,5}administrators\s[^\n]{0,80}\/add/i;

/** Programs that make somebody root. */
export const ACCOUNT_TOOLS: readonly (readonly [string, Program])[] = [
  "useradd",
  "adduser",
  "usermod",
  "gpasswd",
  "dseditgroup",
  "net",
  "net1",
].map((name) => [name, account] as const);
