import { hostOf } from "../../host/classify-host.ts";
import { classifyPath } from "../../secret/classify-path.ts";
import type { ApiEffect } from "./api.ts";
import { argumentAt, type Call, givenArgument, itemsOf } from "./call.ts";
import { display } from "./fact-recorder.ts";
import type { Machine } from "./machine.ts";
import { pathSource } from "./perform-file.ts";
import { addressOf } from "./perform-network.ts";
import type { Span } from "./program-tree.ts";
import { HOLE, type Taint, taintsOf, textsOf, UNKNOWN, unionTaints, type Value } from "./value.ts";

type CommandEffect = Extract<ApiEffect, { readonly does: "shell" | "argv" | "pseudo-terminal" }>;

/** Hands a command on to the shell's own analyser, and records when someone else wrote it. */
export function performCommand(machine: Machine, call: Call, effect: CommandEffect): Value {
  const command = commandOf(machine, call, effect);
  const list =
    effect.does === "argv" && effect.arguments !== undefined
      ? givenArgument(call, effect.arguments)
      : undefined;
  const words = [...(itemsOf(commandList(command)) ?? [command]), ...wordsOf(list)];
  const [program] = words;
  const isWords =
    effect.does === "argv" && (command.box?.items !== undefined || list?.box?.items !== undefined);
  for (const text of commandTexts(isWords ? words : command))
    machine.recorder.text(call.span, text, "shell", decodings(command));
  const name = baseName(program?.text ?? "");
  if (SHELLS.test(name)) machine.signs.ranShell = true;
  recordExecution(machine, call, isWords ? words : [command], name);
  recordInput(machine, call, effect, name);
  const shown = words.map((word) => word.text ?? HOLE).join(" ");
  noteCommandFiles(machine, shown, call.span);
  return {
    api: SHELLS.test(name) ? "child.shell" : "child",
    taints: unionTaints(
      outputTaints(machine, call, shown),
      ...words.map((word) => taintsOf(word).filter(({ source }) => source.type === "secret")),
    ),
    box: { fields: new Map(), taints: [] },
  };
}

function commandOf(machine: Machine, call: Call, effect: CommandEffect): Value {
  const command = argumentAt(call, effect.command);
  if (effect.does === "pseudo-terminal" && machine.signs.socketOnDescriptor !== undefined)
    machine.signs.ranShell = true;
  return command;
}

/** A text is one word here, not its characters. */
function commandList(command: Value): Value {
  return command.box?.items === undefined ? UNKNOWN : command;
}

function wordsOf(list: Value | undefined): readonly Value[] {
  if (list === undefined) return [];
  return (
    (list.box?.items === undefined ? undefined : itemsOf(list)) ?? [
      { ...UNKNOWN, taints: list.box?.items === undefined ? [] : taintsOf(list) },
    ]
  );
}

function baseName(program: string): string {
  return program.trim().split(/\s/, 1)[0]?.split(/[\\/]/).at(-1) ?? "";
}

const SHELLS = /^(?:ba|z|da|k|fi)?sh$|^cmd(?:\.exe)?$|^powershell(?:\.exe)?$|^pwsh$/i;
const INTERPRETERS =
  /^(?:(?:ba|z|da|k|fi)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh|python[\d.]*|node|ruby|perl|php|osascript|bun|deno)$/i;

/** Data from elsewhere runs if it is the command, the code after `-c`, or a file that was fetched. */
function recordExecution(machine: Machine, call: Call, words: readonly Value[], name: string): void {
  const [first] = words;
  if (first === undefined) return;
  const isHeadUnknown = first.text === undefined || first.text.startsWith(HOLE);
  if (isHeadUnknown) recordFlow(machine, call, taintsOf(first), "shell", call.api);
  else
    recordFlow(
      machine,
      call,
      // Even a known command hides something when it had to be decoded first.
      first.taints.filter(({ source }) => source.type === "decoded"),
      "shell",
      call.api,
    );
  if (INTERPRETERS.test(name) && words.length > 1) {
    const flag = words.findIndex((word) => /^(?:-[a-z]*[ce]|\/c|-Command|--eval)$/i.test(word.text ?? ""));
    const code = flag === -1 ? undefined : words[flag + 1];
    if (code !== undefined && (code.text === undefined || code.text.startsWith(HOLE)))
      recordFlow(machine, call, taintsOf(code), "interpreter", name);
  }
  const plain = words.flatMap((word) => (word.text ?? HOLE).split(/\s+/));
  let isCommand = true;
  for (const word of plain) {
    const path = word.replace(/^["']|["';]$/g, "");
    const written =
      isCommand && path !== HOLE
        ? (machine.writtenTo.get(path) ?? machine.writtenTo.get(path.replace(/^\.\//, "")))
        : undefined;
    if (written !== undefined) recordFlow(machine, call, written, "file", display(path));
    isCommand =
      /^(?:&&|\|\||;|\||sudo|nohup|env|-\w+)$/.test(word) ||
      INTERPRETERS.test(baseName(word)) ||
      word.endsWith(";");
  }
}

function recordInput(machine: Machine, call: Call, effect: CommandEffect, name: string): void {
  if (effect.does === "pseudo-terminal" || effect.input === undefined) return;
  const input = givenArgument(call, effect.input);
  if (input === undefined) return;
  if (input.api === "socket.object") {
    const host = display(addressOf(input) ?? HOLE);
    machine.recorder.act(call.span, {
      type: "remote-shell",
      host,
      how: "a socket is the input of a program",
    });
  } else if (INTERPRETERS.test(name)) recordFlow(machine, call, taintsOf(input), "interpreter", name);
}

function recordFlow(
  machine: Machine,
  call: Call,
  taints: readonly Taint[],
  how: "shell" | "interpreter" | "file",
  by: string,
): void {
  const foreign = taints.filter(
    ({ source, isDirect }) => isDirect && (source.type === "network" || source.type === "decoded"),
  );
  machine.recorder.flow(call.span, foreign, { type: "execute", how, by });
  for (const { source } of foreign)
    if (source.type === "network" && how === "shell" && source.url !== undefined && !source.url.includes("/"))
      machine.recorder.act(call.span, {
        type: "remote-shell",
        host: source.host ?? "*",
        how: "what a socket receives is run",
      });
}

function decodings(command: Value): readonly string[] {
  return taintsOf(command).flatMap(({ source }) => (source.type === "decoded" ? [source.encoding] : []));
}

function outputTaints(machine: Machine, call: Call, command: string): readonly Taint[] {
  const steps = [machine.recorder.step(call.span)];
  const [program = "", ...rest] = command.split(/\s+/);
  const name = baseName(program);
  if (name === "curl" || name === "wget") {
    const url = rest.find((word) => /^["']?https?:/.test(word))?.replace(/["']/g, "") ?? HOLE;
    const host = /^https?:\/\/([^/:]+)/.exec(url)?.[1] ?? "*";
    return [{ source: { type: "network", url: display(url), host: display(host) }, steps, isDirect: true }];
  }
  if (name === "env" || name === "printenv" || name === "set")
    return rest.length > 0 && name !== "set" && !/^[|>;&]/.test(rest[0] ?? "")
      ? []
      : [{ source: { type: "secret", secret: "whole-environment", name }, steps, isDirect: true }];
  if (name === "security")
    return [{ source: { type: "secret", secret: "keychain", name }, steps, isDirect: true }];
  if (name === "pbpaste" || name === "xclip" || name === "wl-paste")
    return [{ source: { type: "capture", what: "clipboard" }, steps, isDirect: true }];
  if (name === "cat" || name === "type") {
    const path = display(rest[0] ?? "");
    const secret = classifyPath(path);
    return [
      {
        source: secret === undefined ? { type: "file", path } : { type: "secret", secret, name: path },
        steps,
        isDirect: true,
      },
    ];
  }
  if (/^(?:whoami|hostname|uname|id|ifconfig|ipconfig|systeminfo)$/.test(name))
    return [{ source: { type: "system" }, steps, isDirect: true }];
  return [];
}

/** Remembers what a command leaves in files, so that a later step that runs or sends them is understood. */
function noteCommandFiles(machine: Machine, command: string, span: Span): void {
  if (!FILING.test(command)) return;
  for (const part of command.split(/&&|\|\||[;|\n]/)) {
    const words = part
      .trim()
      .split(/\s+/, MAX_WORDS)
      .map((word) => word.replace(/^["']|["']$/g, ""));
    const name = words[0]?.split("/").at(-1);
    if (name === "curl" || name === "wget") noteDownload(machine, words, span);
    else if (name === "tar" || name === "zip" || name === "cp" || name === "7z")
      noteCopy(machine, name, words, span);
  }
}

const MAX_WORDS = 200;
const FILING = /\b(?:curl|wget|tar|zip|cp|7z)\b/;

function noteDownload(machine: Machine, words: readonly string[], span: Span): void {
  const flag = words.findIndex((word) => /^(?:-[a-zA-Z]*[oO]|--output|--output-document)$/.test(word));
  const url = words.find((word) => /^https?:/.test(word) || word.includes(HOLE));
  const named = flag === -1 ? undefined : words[flag + 1];
  // `curl -O` and plain `wget` take the name from the address.
  const file =
    named === undefined || /^https?:/.test(named) ? url?.split(/[?#]/, 1)[0]?.split("/").at(-1) : named;
  if (url === undefined || file === undefined || file === "" || file === HOLE || file === "-") return;
  const shown = display(url);
  const source = { type: "network", url: shown, host: hostOf(shown) ?? "*" } as const;
  note(machine, file, [{ source, steps: [machine.recorder.step(span)], isDirect: true }]);
}

function noteCopy(machine: Machine, name: string, words: readonly string[], span: Span): void {
  const paths = words.slice(1).filter((word) => !word.startsWith("-") && /[/~.]/.test(word));
  const target = name === "cp" ? paths.at(-1) : paths[0];
  if (target === undefined) return;
  const others = paths.filter((path) => path !== target);
  note(
    machine,
    target,
    others.map((path) => pathSource(machine, path, span)),
  );
}

function note(machine: Machine, path: string, taints: readonly Taint[]): void {
  machine.writtenTo.set(path, unionTaints(machine.writtenTo.get(path) ?? [], taints));
}

/** Commands as a shell would be given them: a text as it is, words quoted; unknown parts as `$UNKNOWN`. */
export function commandTexts(command: Value | readonly Value[]): readonly string[] {
  if (isWords(command)) {
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

function isWords(command: Value | readonly Value[]): command is readonly Value[] {
  return Array.isArray(command);
}

function quote(word: string): string {
  if (word.includes(HOLE)) return `"${word.replace(/["\\$`]/g, "\\$&").replaceAll(HOLE, "$UNKNOWN")}"`;
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
