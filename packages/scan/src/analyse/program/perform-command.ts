import { baseName } from "../../file/guess-language.ts";
import type { Call } from "./machine.ts";
import type { ApiEffect } from "./named-value.ts";
import { addressOf } from "./perform-network.ts";
import type { ProgramCommand } from "./program-shell.ts";
import {
  encodingsOf,
  HOLE,
  itemsOf,
  listValue,
  type Taint,
  taintsOf,
  textsOf,
  UNKNOWN,
  unionTaints,
  type Value,
} from "./value.ts";

/** Passes a command to the shell's own analyser, and follows data into it and out of it. */
export function performCommand(call: Call, effect: ApiEffect): Value {
  const command = commandOf(call, effect);
  const { machine } = call;
  if (effect.does === "pseudo-terminal" && machine.signs.socketOnDescriptor !== undefined)
    machine.signs.ranShell = true;
  const list = call.given(effect.arguments);
  const words = [
    ...((command.box?.items === undefined ? undefined : itemsOf(command)) ?? [command]),
    ...wordsOf(list),
  ];
  const isWords =
    effect.does === "argv" && (command.box?.items !== undefined || list?.box?.items !== undefined);
  for (const text of commandTexts(isWords ? words : command))
    call.text(text, "shell", encodingsOf(taintsOf(command)));
  const name = baseName(words[0]?.text?.trim().split(/\s/, 1)[0] ?? "");
  const isShell = SHELLS.test(name);
  const { connected } = machine.signs;
  if (isShell && connected !== undefined && textsOf(command).some((text) => DESCRIPTOR.test(text)))
    call.remoteShell(connected, "a shell takes its input from a connection");
  if (isShell) machine.signs.ranShell = true;
  recordExecution(call, isWords ? words : [command], name);
  const started: ProgramCommand = {
    command: isWords ? words : command,
    input: inputOf(call, effect),
    variables: (call.keywords.get("env") ?? call.option("env"))?.box?.fields,
    by: call.api,
    span: call.span,
  };
  const box = { fields: new Map<string, Value>(), taints: [] };
  machine.shell.keep(box, started);
  const secrets = words.map((word) => taintsOf(word).filter(({ source }) => source.type === "secret"));
  return {
    api: isShell ? "child.shell" : "child",
    taints: unionTaints(machine.shell.run(started), ...secrets),
    box,
  };
}

/** The first of several words may be the whole command, and the others its options. */
function commandOf(call: Call, effect: ApiEffect): Value {
  const [first, ...others] = call.positional;
  if (effect.command !== "all" || first === undefined) return call.argument(effect.command);
  if (first.box?.items !== undefined || others.length === 0 || /\s/.test(first.text ?? "")) return first;
  return listValue([first, ...others.flatMap((word) => word.box?.items ?? [word])]);
}

/** Data written to a running program, or passed to it at its end. */
export function feedCommand(call: Call, effect: ApiEffect): Value {
  const data = call.argument(effect.data);
  const child = call.receiver.box ?? call.receiver.subject?.box;
  const taints = call.machine.shell.feed(child, data, call.span);
  const isShell = call.receiver.api?.startsWith("child.shell") === true;
  if (isShell && data.api === "socket.object")
    call.remoteShell(addressOf(data), "a socket is the input of a program");
  if (isShell) recordConnections(call, taintsOf(data));
  for (const text of isShell ? commandTexts(data) : []) call.text(text, "shell", encodingsOf(taintsOf(data)));
  return { ...call.receiver, taints: unionTaints(call.receiver.taints, taints) };
}

function wordsOf(list: Value | undefined): readonly Value[] {
  if (list === undefined) return [];
  const isList = list.box?.items !== undefined;
  return (isList ? itemsOf(list) : undefined) ?? [{ ...UNKNOWN, taints: isList ? taintsOf(list) : [] }];
}

function inputOf(call: Call, effect: ApiEffect): Value | undefined {
  const streams = call.option("stdio");
  const input =
    call.given(effect.input) ??
    call.option("input") ??
    (streams === undefined ? undefined : itemsOf(streams)?.[0]);
  if (input?.api === "socket.object")
    call.remoteShell(addressOf(input), "a socket is the input of a program");
  return input === undefined || (input.text === undefined && taintsOf(input).length === 0)
    ? undefined
    : input;
}

const SHELLS = /^(?:ba|z|da|k|fi)?sh$|^cmd(?:\.exe)?$|^powershell(?:\.exe)?$|^pwsh$/i;
const DESCRIPTOR = new RegExp(`[<>]&\\s?[\\d${HOLE}]`);
const INTERPRETERS =
  /^(?:(?:ba|z|da|k|fi)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh|python[\d.]*|node|ruby|perl|php|osascript|bun|deno)$/i;

/** Foreign data runs if it is the command or the code after `-c`; the shell handles downloaded files. */
function recordExecution(call: Call, words: readonly Value[], name: string): void {
  const [first] = words;
  if (first === undefined) return;
  const isHeadUnknown = first.text === undefined || first.text.startsWith(HOLE);
  // Even a known command hides something if it had to be decoded first.
  const taints = isHeadUnknown
    ? taintsOf(first)
    : first.taints.filter(({ source }) => source.type === "decoded");
  recordFlow(call, taints, "shell", call.api);
  const isOwn = taintsOf(first).every(({ source }) => source.type !== "network" && source.type !== "decoded");
  if (isHeadUnknown && call.positional.length > 0 && isOwn) call.act({ type: "dynamic-code", by: call.api });
  const flag = INTERPRETERS.test(name)
    ? words.findIndex((word) => /^(?:-[a-z]*[ce]|\/c|-Command|--eval)$/i.test(word.text ?? ""))
    : -1;
  const code = flag === -1 ? undefined : words[flag + 1];
  if (code !== undefined && (code.text === undefined || code.text.startsWith(HOLE)))
    recordFlow(call, taintsOf(code), "interpreter", name);
}

function recordFlow(call: Call, taints: readonly Taint[], how: "shell" | "interpreter", by: string): void {
  const foreign = taints.filter(
    ({ source, isDirect }) => isDirect && (source.type === "network" || source.type === "decoded"),
  );
  call.flow(foreign, { type: "execute", how, by });
  recordConnections(call, foreign);
}

function recordConnections(call: Call, taints: readonly Taint[]): void {
  for (const { source, isDirect } of taints)
    if (isDirect && source.type === "network" && source.url?.includes("/") === false)
      call.remoteShell(source.host, "what a socket receives is run");
}

/** Commands as passed to a shell: a text unchanged, words quoted; unknown parts as `$UNKNOWN`. */
function commandTexts(command: Value | readonly Value[]): readonly string[] {
  if ("length" in command) {
    const [program] = command;
    if (program?.text === undefined || program.text === HOLE) return [];
    return [
      command
        .slice(0, 256)
        .map((word) => quote(word.text ?? (word.number === undefined ? HOLE : String(word.number))))
        .join(" "),
    ];
  }
  const texts = command.box?.items === undefined ? textsOf(command) : [];
  return texts
    .filter((text) => text.replaceAll(HOLE, "").trim() !== "")
    .map((text) => text.replaceAll(HOLE, "$UNKNOWN"));
}

function quote(word: string): string {
  if (word.includes(HOLE)) return `"${word.replace(/["\\$`]/g, "\\$&").replaceAll(HOLE, "$UNKNOWN")}"`;
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
