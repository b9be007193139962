import type { Stance } from "../../text/source-text.ts";

/** Whether code calls itself a bad example in its first line; nobody runs what is headed so. */
export function fenceStance(code: string): Stance {
  const first = /^\s{0,200}([^\n]{0,160})/.exec(code)?.[1] ?? "";
  return BAD_COMMENT.test(first) ? "example" : "live";
}

const BAD_COMMENT =
  /^(?:#|\/\/|--|<!--|;|\/\*|rem\b|%)[#/*\s]{0,6}(?:[❌✗✘🚫⛔]|(?:bad|wrong|incorrect|vulnerable|insecure|malicious|unsafe|don't do this|do not do this|never do this|anti-?pattern)(?:\s{0,4}[:：(!.-]|\s{0,4}$|\s{1,4}(?:example|code|pattern|skill|practice)))/iu;
