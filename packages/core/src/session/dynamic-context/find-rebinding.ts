import { programName } from "../../policy/shell/programs/program-name.ts";
import { readShell } from "../../policy/shell/read-shell.ts";
import type { ShellAct } from "../../policy/shell/shell-act.ts";

/**
 * Why the parameters of a command may not be the values that were judged, or undefined when they are.
 *
 * In `set -- push; git "${1}"` the author's words would stand where policy saw a value.
 */
export function findRebinding(judged: string): string | undefined {
  for (const act of readShell(judged)) {
    const reason = rebinds(act);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function rebinds(act: ShellAct): string | undefined {
  if (act.kind === "unclear") return act.reason;
  if (act.kind !== "command") return undefined;
  const [first] = act.words;
  const name = first?.kind === "known" ? programName(first.value) : "";
  const setsVariable =
    SETTING.has(name) && act.words.some((word) => word.kind === "open" || /^-v/.test(word.value));
  if (REBINDING.has(name) || setsVariable) return `${name} can change what the values in it are`;
  for (const inner of act.runs?.acts ?? []) {
    const reason = rebinds(inner);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

// Builtins that set parameters, that run a text in the same shell, or that give a name another meaning; and those that
// evaluate a value as the name of a variable, whose subscript may be a command.
const REBINDING: ReadonlySet<string> = new Set(
  "set shift eval . source trap alias unalias shopt enable builtin hash let declare typeset local export readonly read mapfile readarray getopts unset".split(
    " ",
  ),
);
// With `-v` these do so, too.
const SETTING: ReadonlySet<string> = new Set(["printf", "test", "["]);
