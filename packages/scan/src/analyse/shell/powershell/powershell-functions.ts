import type { ShellMachine } from "../shell-machine.ts";
import { known, UNKNOWN, type Value } from "../value.ts";
import { runPipeline } from "./powershell-value.ts";
import { splitStatements } from "./split-powershell.ts";

const MAX_DEPTH = 8;
const MAX_BODY_CHARACTERS = 16 * 1024;

/** Remembers the functions of a script, so that what is handed to them arrives. */
export function defineFunctions(text: string, machine: ShellMachine): void {
  for (const match of text.matchAll(FUNCTION)) {
    const open = match.index + match[0].length - 1;
    const body = text.slice(open + 1, closingOf(text, open));
    const list = match[2] ?? /^\s{0,200}param\s{0,5}\(([^{}]{0,1000}?)\)\s{0,20}[\n;]/i.exec(body)?.[1] ?? "";
    const parameters = Array.from(list.matchAll(/\$(\w{1,60})/g), ([, name = ""]) => name.toLowerCase());
    const name = (match[1] ?? "").toLowerCase();
    machine.setVariable(`ps:function:${name}`, known(body));
    machine.setVariable(`ps:parameters:${name}`, known(parameters.join(" ")));
  }
}

/** What a function of the script gives back: the worth of its last statement; undefined where there is no such function. */
export function callFunction(
  name: string,
  given: readonly Value[],
  machine: ShellMachine,
  depth: number,
): Value | undefined {
  const body = machine.variable(`ps:function:${name.toLowerCase()}`);
  if (body === undefined) return undefined;
  if (depth > MAX_DEPTH || !machine.mayGoOn()) return UNKNOWN;
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
    if (parameter !== undefined && parameter !== "" && value !== undefined)
      machine.setVariable(`ps:${parameter}`, value);
  }
}

function closingOf(text: string, open: number): number {
  const end = Math.min(text.length, open + MAX_BODY_CHARACTERS);
  let depth = 0;
  for (let at = open; at < end; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  return end;
}

const FUNCTION =
  /(?:^|[\n;}])[ \t]{0,40}function[ \t]{1,10}(?:(?:global|script):)?([\w-]{1,80})[ \t]{0,10}(?:\(([^()]{0,400})\))?\s{0,40}\{/gi;
