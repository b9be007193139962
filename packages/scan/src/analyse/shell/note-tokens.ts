import type { ShellMachine } from "./shell-machine.ts";

/** Records what is plain from a few characters, wherever in the script they stand. */
export function noteTokens(text: string, machine: ShellMachine): void {
  for (const { hint, pattern, note } of TOKENS) {
    if (!text.includes(hint)) continue;
    const match = pattern.exec(text);
    if (match === null) continue;
    machine.within({ pos: match.index, end: match.index + match[0].length }, () => note(match, machine));
  }
}

const TOKENS: readonly {
  /** Cheap to look for, and always there. */
  readonly hint: string;
  readonly pattern: RegExp;
  readonly note: (match: RegExpExecArray, machine: ShellMachine) => void;
}[] = [
  {
    hint: "()",
    pattern: /(?:^|[\s;])([\w:.]{1,20})\s{0,3}\(\)\s{0,3}\{\s{0,3}\1\s{0,3}\|\s{0,3}\1\s{0,3}&/,
    note: (match, machine) => machine.act({ type: "abuse", what: "fork-bomb", detail: match[0].trim() }),
  },
  {
    hint: "stratum+",
    pattern: /stratum\+(?:tcp|ssl|tls):\/\/[^\s"']{1,200}/,
    note: (match, machine) => machine.act({ type: "abuse", what: "miner", detail: match[0] }),
  },
  {
    hint: "HIST",
    pattern: /(?:^|[\s;])(?:HISTFILE=\/dev\/null|HISTSIZE=0|HISTFILESIZE=0)\b/,
    note: (match, machine) =>
      machine.act({ type: "disable-protection", what: "history", detail: match[0].trim() }),
  },
  {
    hint: "NODE_TLS_REJECT_UNAUTHORIZED",
    pattern: /NODE_TLS_REJECT_UNAUTHORIZED=["']?0/,
    note: (match, machine) =>
      machine.act({ type: "disable-protection", what: "certificate-check", detail: match[0] }),
  },
  {
    hint: "SSL_NO_VERIFY",
    pattern: /GIT_SSL_NO_VERIFY=["']?(?:1|true)/,
    note: (match, machine) =>
      machine.act({ type: "disable-protection", what: "certificate-check", detail: match[0] }),
  },
  {
    hint: "PYTHONHTTPSVERIFY",
    pattern: /PYTHONHTTPSVERIFY=["']?0/,
    note: (match, machine) =>
      machine.act({ type: "disable-protection", what: "certificate-check", detail: match[0] }),
  },
];
