import type { ParsedScript } from "unbash";
import type { ShellMachine } from "../machine/shell-machine.ts";
import type { Effect } from "../model/effect.ts";
import { guardShellText, parseShell } from "../syntax/parse-shell.ts";

/**
 * Runs a POSIX shell script on a machine, by a real parse; returns the parser's message where it does not parse.
 *
 * What does not parse is read line by line as well: a piece of a document is often not a whole script
 * (`<placeholder>`, an ellipsis, a stray quote). The parser recovers, but one open quote may swallow every later command.
 */
export function runPosix(source: string, machine: ShellMachine): string | undefined {
  const { text, script } = load(source, machine);
  noteTokens(text, machine);
  machine.run(script);
  const fault = script.errors?.[0]?.message;
  if (fault !== undefined) runByLines(text, machine);
  machine.finish();
  return fault;
}

/** The same for what is known to be a command: where it does not parse, the parser's recovery has to do. */
export function runCommandLine(source: string, machine: ShellMachine): void {
  machine.run(load(source, machine).script);
  machine.finish();
}

function load(
  source: string,
  machine: ShellMachine,
): { readonly text: string; readonly script: ParsedScript } {
  const { text, unread } = guardShellText(source.replaceAll("\r\n", " \n"));
  if (unread !== undefined) machine.unread(unread);
  machine.enter(text);
  return { text, script: parseShell(text) };
}

function runByLines(text: string, machine: ShellMachine): void {
  let pending = "";
  let first = 0;
  for (const [line, piece] of text.split("\n").entries()) {
    if (pending === "") first = line;
    pending += piece;
    if (/(?:\\|\||&&)\s*$/.test(piece) && pending.length < MAX_JOINED_CHARACTERS) {
      pending += "\n";
      continue;
    }
    if (pending.trim() !== "") machine.runPart(pending, first);
    pending = "";
  }
  if (pending.trim() !== "") machine.runPart(pending, first);
}

const MAX_JOINED_CHARACTERS = 16 * 1024;

/** Reports what is plain from a few characters, wherever in the script they stand. */
function noteTokens(text: string, machine: ShellMachine): void {
  for (const { hint, pattern, effect } of TOKENS) {
    if (!text.includes(hint)) continue;
    const match = pattern.exec(text);
    if (match === null) continue;
    machine.within({ pos: match.index, end: match.index + match[0].length }, () =>
      machine.effect(effect(match[0].trim())),
    );
  }
}

const disables =
  (what: "history" | "certificate-check") =>
  (detail: string): Effect => ({ type: "disable-protection", what, detail });

const TOKENS: readonly {
  /** Cheap to look for, and always there. */
  readonly hint: string;
  readonly pattern: RegExp;
  readonly effect: (match: string) => Effect;
}[] = [
  {
    hint: "()",
    pattern: /(?:^|[\s;])([\w:.]{1,20})\s{0,3}\(\)\s{0,3}\{\s{0,3}\1\s{0,3}\|\s{0,3}\1\s{0,3}&/,
    effect: (detail) => ({ type: "abuse", what: "fork-bomb", detail }),
  },
  {
    hint: "stratum+",
    pattern: /stratum\+(?:tcp|ssl|tls):\/\/[^\s"']{1,200}/,
    effect: (detail) => ({ type: "abuse", what: "miner", detail }),
  },
  {
    hint: "HIST",
    pattern: /(?:^|[\s;])(?:HISTFILE=\/dev\/null|HISTSIZE=0|HISTFILESIZE=0)\b/,
    effect: disables("history"),
  },
  {
    hint: "NODE_TLS_REJECT_UNAUTHORIZED",
    pattern: /NODE_TLS_REJECT_UNAUTHORIZED=["']?0/,
    effect: disables("certificate-check"),
  },
  {
    hint: "SSL_NO_VERIFY",
    pattern: /GIT_SSL_NO_VERIFY=["']?(?:1|true)/,
    effect: disables("certificate-check"),
  },
  { hint: "PYTHONHTTPSVERIFY", pattern: /PYTHONHTTPSVERIFY=["']?0/, effect: disables("certificate-check") },
];
