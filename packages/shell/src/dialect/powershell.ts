import type { ShellMachine } from "../machine/shell-machine.ts";
import { concatenate, EMPTY, known, UNKNOWN, type Value } from "../model/value.ts";
import { powershellValue, runPipeline } from "./powershell-value.ts";
import { closingOf, splitStatements } from "./split-powershell.ts";

/** Runs a PowerShell script on a machine: tolerantly, by statements, with the same programs and files. */
export function runPowershell(source: string, machine: ShellMachine): void {
  // A backtick at the end of a line continues it; the splitter skips the character after a backtick.
  const text = source
    .replace(/<#[\s\S]*?(?:#>|$)/g, (comment) => comment.replace(/[^\n]/g, " "))
    .replaceAll("`\r\n", " `\n");
  machine.enter(text);
  noteRemoteShell(text, machine);
  defineFunctions(text, machine);
  let printed = EMPTY;
  for (const { text: statement, pos, end } of splitStatements(text)) {
    if (!machine.mayGoOn()) break;
    printed = machine.within({ pos, end }, () => runStatement(statement.trim(), printed, machine));
    // Inside `… | % { … }`, `$_` is the current item.
    if (text.charAt(end) === "{") machine.setVariable("ps:_", printed);
  }
}

function runStatement(statement: string, before: Value, machine: ShellMachine): Value {
  // `… | % { … } | iex`: the pipe continues after the block.
  if (statement.startsWith("|")) return runPipeline(statement.slice(1), machine, 0, before);
  const assignment =
    /^(?:\[[\w.[\]]{1,60}\]\s{0,5})?\$\{?(?:(global|script|local|private|env):)?(\w{1,100})\}?\s{0,20}(\+?=)(?!=)\s{0,20}([\s\S]+)$/i.exec(
      statement,
    );
  if (assignment !== null) {
    const [, scope = "", variable = "", operator, expression = ""] = assignment;
    const name = /^env$/i.test(scope) ? variable.toUpperCase() : `ps:${variable.toLowerCase()}`;
    const value = powershellValue(expression, machine);
    const earlier = operator === "+=" ? machine.variable(name) : undefined;
    machine.setVariable(name, earlier === undefined ? value : concatenate([earlier, value]));
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

// Searched in the whole text, because its parts are spread over several statements of a loop.
function noteRemoteShell(text: string, machine: ShellMachine): void {
  const client = /Sockets\.TCPClient\b\s{0,5}\(?\s{0,5}(?:['"]([^'"]{1,200})['"])?/i.exec(text);
  if (client === null || !/\.GetStream\(\)/i.test(text)) return;
  if (!/\biex\b|Invoke-Expression|cmd\.exe|powershell|Diagnostics\.Process|sh\b/i.test(text)) return;
  machine.within({ pos: client.index, end: client.index + client[0].length }, () =>
    machine.effect({ type: "remote-shell", host: client[1] ?? "*", how: "PowerShell over a TCP client" }),
  );
}

const MAX_DEPTH = 8;
const MAX_BODY_CHARACTERS = 16 * 1024;

/** Records the script's functions, so that data passed to them is followed. */
function defineFunctions(text: string, machine: ShellMachine): void {
  for (const match of text.matchAll(FUNCTION)) {
    const open = match.index + match[0].length - 1;
    const body = text.slice(open + 1, closingOf(text.slice(0, open + MAX_BODY_CHARACTERS), open));
    const list = match[2] ?? /^\s{0,200}param\s{0,5}\(([^{}]{0,1000}?)\)\s{0,20}[\n;]/i.exec(body)?.[1] ?? "";
    const parameters = Array.from(list.matchAll(/\$(\w{1,60})/g), ([, name = ""]) => name.toLowerCase());
    const name = (match[1] ?? "").toLowerCase();
    machine.setVariable(`ps:function:${name}`, known(body));
    machine.setVariable(`ps:parameters:${name}`, known(parameters.join(" ")));
  }
}

/** The result of one of the script's functions, that is its last statement; undefined if there is none. */
export function callFunction(
  name: string,
  given: readonly Value[],
  machine: ShellMachine,
  depth: number,
): Value | undefined {
  const body = machine.variable(`ps:function:${name.toLowerCase()}`);
  if (body === undefined) return undefined;
  if (depth > MAX_DEPTH || !machine.mayGoOn()) return UNKNOWN;
  machine.spend(body.text.length);
  const parameters = machine.variable(`ps:parameters:${name.toLowerCase()}`)?.text.split(" ") ?? [];
  bindGiven(parameters, given, machine);
  const last = splitStatements(body.text)
    .map(({ text }) => text.trim().replace(/^return\b\s{0,20}/i, ""))
    .findLast((text) => text !== "");
  return last === undefined ? undefined : runPipeline(last, machine, depth + 1);
}

function bindGiven(parameters: readonly string[], given: readonly Value[], machine: ShellMachine): void {
  let place = 0;
  for (let index = 0; index < given.length; index++) {
    const named = /^-(\w{1,60})$/.exec(given[index]?.text ?? "")?.[1]?.toLowerCase();
    const parameter = named === undefined ? parameters[place++] : parameters.find((name) => name === named);
    if (named !== undefined) index++;
    const value = given[index];
    if (parameter && value !== undefined) machine.setVariable(`ps:${parameter}`, value);
  }
}

const FUNCTION =
  /(?:^|[\n;}])[ \t]{0,40}function[ \t]{1,10}(?:(?:global|script):)?([\w-]{1,80})[ \t]{0,10}(?:\(([^()]{0,400})\))?\s{0,40}\{/gi;
