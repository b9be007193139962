import type { ParsedScript } from "unbash";
import type { ShellMachine } from "../machine/shell-machine.ts";
import type { Effect } from "../model/effect.ts";
import { guardShellText, parseShell } from "../syntax/parse-shell.ts";

/**
 * Parses and runs a POSIX shell script on a machine; returns the parser's message if it does not parse.
 *
 * It is then also read line by line: a piece of a document is often not a whole script (`<placeholder>`,
 * ellipsis, stray quote). The parser recovers, but one open quote may swallow every later command.
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

/** The same for a known command; if it does not parse, the parser's recovery has to suffice. */
export function runCommandLine(source: string, machine: ShellMachine): void {
  machine.run(load(source, machine).script);
  machine.finish();
}

function load(source: string, machine: ShellMachine): { text: string; script: ParsedScript } {
  const { text, unread } = guardShellText(source.replaceAll("\r\n", " \n"));
  if (unread !== undefined) machine.unread(unread);
  machine.enter(text);
  return { text, script: parseShell(text) };
}

function runByLines(text: string, machine: ShellMachine): void {
  const lines = text.split("\n");
  let pending = "";
  let first = 0;
  for (const [line, piece] of lines.entries()) {
    if (pending === "") first = line;
    pending += piece;
    const goesOn = /(?:\\|\||&&)\s*$/.test(piece) && pending.length < MAX_JOINED_CHARACTERS;
    if (goesOn && line + 1 < lines.length) {
      pending += "\n";
      continue;
    }
    if (pending.trim() !== "") machine.runPart(pending, first);
    pending = "";
  }
}

const MAX_JOINED_CHARACTERS = 16 * 1024;

/** Reports what a few characters reveal, wherever they are in the script. */
function noteTokens(text: string, machine: ShellMachine): void {
  for (const [hint, pattern, effect] of TOKENS) {
    if (!text.includes(hint)) continue;
    const match = pattern.exec(text);
    if (match === null) continue;
    machine.within({ pos: match.index, end: match.index + match[0].length }, () =>
      machine.effect(effect(match[0].trim())),
    );
  }
}

/** `hint` is a fast check: text that `pattern` always contains. */
type Token = readonly [hint: string, pattern: RegExp, effect: (detail: string) => Effect];

const disables =
  (what: "history" | "certificate-check") =>
  (detail: string): Effect => ({ type: "disable-protection", what, detail });
const abuse =
  (what: "fork-bomb" | "miner") =>
  (detail: string): Effect => ({ type: "abuse", what, detail });

const TOKENS: readonly Token[] = [
  [
    "()",
    /(?:^|[\s;])([\w:.]{1,20})\s{0,3}\(\)\s{0,3}\{\s{0,3}\1\s{0,3}\|\s{0,3}\1\s{0,3}&/,
    abuse("fork-bomb"),
  ],
  ["stratum+", /stratum\+(?:tcp|ssl|tls):\/\/[^\s"']{1,200}/, abuse("miner")],
  ["HIST", /(?:^|[\s;])(?:HISTFILE=\/dev\/null|HISTSIZE=0|HISTFILESIZE=0)\b/, disables("history")],
  ["NODE_TLS_REJECT_UNAUTHORIZED", /NODE_TLS_REJECT_UNAUTHORIZED=["']?0/, disables("certificate-check")],
  ["SSL_NO_VERIFY", /GIT_SSL_NO_VERIFY=["']?(?:1|true)/, disables("certificate-check")],
  ["PYTHONHTTPSVERIFY", /PYTHONHTTPSVERIFY=["']?0/, disables("certificate-check")],
];
