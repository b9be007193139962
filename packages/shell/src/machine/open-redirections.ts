import type { Redirection } from "unbash";
import { concatenate, EMPTY, known, unknown, type Value } from "../model/value.ts";
import { sendTo } from "../programs/fetchers.ts";
import { isShellName } from "../table/programs.ts";
import { expandParts, expandWhole } from "./expand-word.ts";
import type { ShellMachine } from "./shell-machine.ts";

export function openRedirections(
  redirections: readonly Redirection[],
  piped: Value | undefined,
  machine: ShellMachine,
): OpenedStreams {
  const streams = new OpenedStreams(piped, machine);
  for (const redirection of redirections) streams.open(redirection);
  return streams;
}

/** The host of `/dev/tcp/host/port`, which bash opens as a connection. */
function socketHost(path: string): string | undefined {
  return /^\/+dev\/+(?:tcp|udp)\/+([^/]+)/.exec(path)?.[1];
}

class OpenedStreams {
  input: Value | undefined;
  readonly sockets: string[] = [];
  readonly socketSides = { reads: false, writes: false };
  readonly #machine: ShellMachine;
  readonly #outputs: { readonly path: Value; readonly append: boolean }[] = [];
  readonly #opened: [number: number, host: string][] = [];
  readonly #streams: [number: number, stream: Value][] = [];

  constructor(piped: Value | undefined, machine: ShellMachine) {
    this.input = piped;
    this.#machine = machine;
  }

  open(redirection: Redirection): void {
    const machine = this.#machine;
    if (redirection.type === "HereDoc") {
      const { body, delimiter } = redirection;
      const text =
        delimiter?.quoted === true || body.parts === undefined
          ? machine.literal(body.text)
          : expandParts(body.parts, machine);
      const firstLine = machine.lineOf(body.pos);
      this.input = firstLine === undefined ? text : { ...text, firstLine };
      return;
    }
    if (redirection.target === undefined) return;
    const target = expandWhole(redirection.target, machine);
    if (redirection.type === "HereString") {
      this.input = concatenate([target, known("\n")]);
      return;
    }
    const { descriptor } = redirection;
    const number = descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;
    this.#file(redirection.operator, number, target);
  }

  /** Writes the command's output to its redirections; returns what is left for the pipe. */
  finish(printed: Value): Value {
    const machine = this.#machine;
    for (const { path, append } of this.#outputs) {
      const host = socketHost(path.text);
      if (host === undefined) machine.writeFile(path, printed, { append });
      else {
        const url = `tcp://${path.text.replace(/^\/+dev\/+\w+\/+/, "").replace("/", ":")}`;
        machine.effect({ type: "send", url, host });
        sendTo({ how: "socket", host }, [printed], machine);
      }
    }
    return this.#outputs.length > 0 ? EMPTY : printed;
  }

  /** Keeps the descriptors open, as `exec` without a command does. */
  keep(): void {
    for (const [number, host] of this.#opened) this.#machine.sockets.set(number, host);
    for (const [number, stream] of this.#streams) this.#machine.streams.set(number, stream);
  }

  #file(operator: string, number: number | undefined, target: Value): void {
    const host = socketHost(target.text);
    if (operator === "<" || operator === "<>") this.#read(operator, number ?? 0, target, host);
    else if (operator === "<&" || (operator === ">&" && /^\d+-?$/.test(target.text)))
      this.#duplicate(operator, number, target);
    else if (target.text !== "-") {
      if (host !== undefined) this.#bind(number ?? 1, host);
      if (number === undefined || number === 1)
        this.#outputs.push({ path: target, append: operator.includes(">>") });
      else if (number > 2) this.#machine.writeFile(target, EMPTY, { append: true });
    }
  }

  #read(operator: string, number: number, target: Value, host: string | undefined): void {
    if (host !== undefined) this.#bind(number, host);
    else if (number > 2) this.#streams.push([number, this.#machine.readFile(target, "<")]);
    if (number !== 0 || operator === "<>") return;
    this.input = host === undefined ? this.#machine.readFile(target, "<") : fromSocket(host);
  }

  #duplicate(operator: string, number: number | undefined, target: Value): void {
    const from = Number.parseInt(target.text, 10);
    const stream = target.content ?? this.#machine.streams.get(from);
    if (operator === "<&" && (number ?? 0) === 0 && stream !== undefined) this.input = stream;
    const host = this.#opened.findLast(([number]) => number === from)?.[1] ?? this.#machine.sockets.get(from);
    if (host === undefined) return;
    const to = number ?? (operator === "<&" ? 0 : 1);
    this.#bind(to, host);
    if (to === 0) this.input = fromSocket(host);
    else if (to === 1) this.#outputs.push({ path: known(`/dev/tcp/${host}/0`), append: true });
  }

  #bind(number: number, host: string): void {
    this.#opened.push([number, host]);
    this.sockets.push(host);
    if (number === 0) this.socketSides.reads = true;
    if (number === 1) this.socketSides.writes = true;
  }
}

function fromSocket(host: string): Value {
  return unknown([{ type: "network", url: `tcp://${host}`, host }]);
}

/** Reports a shell whose streams are bound to a connection; opening a connection alone is only a probe. */
export function noteRemoteShell(
  words: readonly Value[],
  { sockets, socketSides }: OpenedStreams,
  machine: ShellMachine,
): void {
  const [host] = sockets;
  if (host === undefined) return;
  const at = words.slice(0, 6).findIndex(({ text }) => isShellName(text));
  if (at === -1) return;
  const rest = words.slice(at + 1).map(({ text }) => text);
  const isInteractive =
    rest.some((word) => /^-\w{0,4}i/.test(word)) || rest.every((word) => word.startsWith("-"));
  // `bash -c probe > /dev/tcp/…` only sends; reading commands from a connection gives the other side a shell.
  if (socketSides.reads || (socketSides.writes && isInteractive))
    machine.effect({ type: "remote-shell", host, how: `${words[at]?.text} on /dev/tcp` });
}
