import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { defineFunctions } from "./powershell/powershell-functions.ts";
import { powershellValue, runPipeline } from "./powershell/powershell-value.ts";
import { splitStatements } from "./powershell/split-powershell.ts";
import { ShellMachine } from "./shell-machine.ts";
import { concatenate, EMPTY, type Value } from "./value.ts";

/** Reads PowerShell tolerantly, statement by statement, with the same programs, files and flows as the shell. */
export function analysePowershell(source: SourceText): Analysis {
  const machine = new ShellMachine(source);
  const text = joinLines(blankComments(source.text));
  machine.enter(text);
  noteRemoteShell(text, machine);
  defineFunctions(text, machine);
  let printed = EMPTY;
  for (const { text: statement, pos, end } of splitStatements(text)) {
    if (!machine.mayGoOn()) break;
    printed = machine.within({ pos, end }, () => runStatement(statement.trim(), printed, machine));
    // Inside `… | % { … }` it is the current thing.
    if (text.charAt(end) === "{") machine.setVariable("ps:_", printed);
  }
  return machine.recorder.analysis;
}

function runStatement(statement: string, before: Value, machine: ShellMachine): Value {
  // `… | % { … } | iex`: the pipe goes on behind the block.
  if (statement.startsWith("|")) return runPipeline(statement.slice(1), machine, 0, before);
  const assignment =
    /^(?:\[[\w.[\]]{1,60}\]\s{0,5})?\$\{?(?:(?:global|script|local|private):)?(\w{1,100})\}?\s{0,20}(\+?=)(?!=)\s{0,20}([\s\S]+)$/i.exec(
      statement,
    );
  if (assignment?.[1] !== undefined && assignment[3] !== undefined) {
    const name = `ps:${assignment[1].toLowerCase()}`;
    const value = powershellValue(assignment[3], machine);
    const earlier = assignment[2] === "+=" ? machine.variable(name) : undefined;
    machine.setVariable(name, earlier === undefined ? value : concatenate([earlier, value]));
    return EMPTY;
  }
  const environment = /^\$env:(\w{1,100})\s{0,20}=\s{0,20}([\s\S]+)$/i.exec(statement);
  if (environment?.[1] !== undefined) {
    machine.setVariable(environment[1].toUpperCase(), powershellValue(environment[2] ?? "", machine));
    return EMPTY;
  }
  return runPipeline(
    statement.replace(
      /^(?:if|elseif|while|until|foreach|try|catch|finally|else|do|return|function\s+[\w-]+)\b\s{0,20}/i,
      "",
    ),
    machine,
  );
}

// A backtick at the end of a line goes on with the next; the splitter steps over the character behind one.
function joinLines(text: string): string {
  return text.replaceAll("`\r\n", " `\n");
}

function blankComments(text: string): string {
  let plain = text;
  for (
    let start = plain.indexOf("<#"), rounds = 0;
    start !== -1 && rounds < 1_000;
    start = plain.indexOf("<#", start), rounds++
  ) {
    const end = plain.indexOf("#>", start);
    const stop = end === -1 ? plain.length : end + 2;
    plain = plain.slice(0, start) + plain.slice(start, stop).replace(/[^\n]/g, " ") + plain.slice(stop);
  }
  return plain;
}

// Read as a whole: its parts stand in a loop over many statements.
function noteRemoteShell(text: string, machine: ShellMachine): void {
  const client = /Sockets\.TCPClient\b\s{0,5}\(?\s{0,5}(?:['"]([^'"]{1,200})['"])?/i.exec(text);
  if (client === null || !/\.GetStream\(\)/i.test(text)) return;
  if (!/\biex\b|Invoke-Expression|cmd\.exe|powershell|Diagnostics\.Process|sh\b/i.test(text)) return;
  machine.within({ pos: client.index, end: client.index + client[0].length }, () =>
    machine.act({ type: "remote-shell", host: client[1] ?? "*", how: "PowerShell over a TCP client" }),
  );
}
