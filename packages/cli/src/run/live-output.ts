import type { ScriptOutputListener } from "@skillet/core";
import type { Terminal } from "../ui/terminal.ts";
import { makeVisible } from "../ui/text.ts";

interface LiveOutput {
  readonly onOutput: ScriptOutputListener;
  /** Shows the held-back rest, and ends an unfinished line on a terminal. */
  end(): void;
}

/** Passes bytes unchanged to a pipe or a file; on a terminal, control sequences must have no effect. */
export function createLiveOutput(terminal: Terminal): LiveOutput {
  let isLineOpen = false;
  const open = (write: (text: string | Uint8Array) => void, isTerminal: boolean) => {
    if (!isTerminal) return { push: write, end: () => undefined };
    const live = new LiveText();
    const show = (text: string): void => {
      if (text === "") return;
      write(text);
      isLineOpen = !text.endsWith("\n");
    };
    return { push: (bytes: Uint8Array) => show(live.push(bytes)), end: () => show(live.end()) };
  };
  const streams = {
    stdout: open(terminal.printRaw, terminal.isTerminal),
    stderr: open(terminal.warnRaw, terminal.isErrorTerminal),
  };
  return {
    onOutput: (stream, bytes) => streams[stream].push(bytes),
    end: () => {
      streams.stdout.end();
      streams.stderr.end();
      if (isLineOpen) terminal.warnRaw("\n");
    },
  };
}

// Longer than any real colour code; longer sequences are shown as text.
const MAX_HELD = 32;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const COLOUR = /\x1b\[[\d;:]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, cut off by the end of a chunk
const UNFINISHED = /(?:\r|\x1b(?:\[[\d;:]*)?)$/;

/**
 * Removes colours. Everything else that a terminal would obey is shown as a symbol, character by character,
 * so that no sequence can be assembled from two chunks. A carriage return ends the line, because it could
 * overwrite earlier output.
 */
export class LiveText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #held = "";

  /** Keeps an incomplete character or colour for the next chunk. */
  push(bytes: Uint8Array): string {
    const text = this.#held + this.#decoder.decode(bytes, { stream: true });
    const [unfinished = ""] = UNFINISHED.exec(text.slice(-MAX_HELD)) ?? [];
    this.#held = unfinished;
    return show(text.slice(0, text.length - unfinished.length));
  }

  end(): string {
    const text = this.#held + this.#decoder.decode();
    this.#held = "";
    return show(text);
  }
}

function show(text: string): string {
  return text
    .replace(COLOUR, "")
    .split(/\r\n|[\r\n]/)
    .map((line) =>
      line
        .split("\t")
        .map((part) => makeVisible(part, "\t"))
        .join("\t"),
    )
    .join("\n");
}
