import type { ScriptOutputListener } from "@skillet/core";
import type { Terminal } from "../ui/terminal.ts";
import { makeVisible } from "../ui/text.ts";

interface LiveOutput {
  readonly onOutput: ScriptOutputListener;
  /** Shows what was kept back, and ends an open line on a terminal. */
  end(): void;
}

/** Passes bytes on as they are into a pipe or a file; on a terminal they must not act. */
export function createLiveOutput(terminal: Terminal): LiveOutput {
  const screen: Screen = { write: terminal.warnRaw, isLineOpen: false };
  const streams = {
    stdout: terminal.isTerminal ? new ShownStream({ screen, write: terminal.printRaw }) : undefined,
    stderr: terminal.isErrorTerminal ? new ShownStream({ screen, write: terminal.warnRaw }) : undefined,
  };
  const plain = { stdout: terminal.printRaw, stderr: terminal.warnRaw };
  return {
    onOutput: (stream, bytes) => {
      const shown = streams[stream];
      if (shown === undefined) plain[stream](bytes);
      else shown.push(bytes);
    },
    end: () => {
      streams.stdout?.end();
      streams.stderr?.end();
      if (screen.isLineOpen) screen.write("\n");
    },
  };
}

interface Screen {
  readonly write: (text: string) => void;
  isLineOpen: boolean;
}

class ShownStream {
  readonly #text = new LiveText();
  readonly #place: { readonly screen: Screen; readonly write: (text: string) => void };

  constructor(place: { readonly screen: Screen; readonly write: (text: string) => void }) {
    this.#place = place;
  }

  push(bytes: Uint8Array): void {
    this.#show(this.#text.push(bytes));
  }

  end(): void {
    this.#show(this.#text.end());
  }

  #show(text: string): void {
    if (text === "") return;
    this.#place.write(text);
    this.#place.screen.isLineOpen = !text.endsWith("\n");
  }
}

// Longer than any colour that is really written; what is longer is shown as what it is.
const MAX_HELD = 32;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const COLOUR = /\x1b\[[\d;:]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, cut off by the end of a chunk
const UNFINISHED = /(?:\r|\x1b(?:\[[\d;:]*)?)$/;

/**
 * Makes what a script writes safe for a terminal while it comes in, however it is cut into chunks.
 *
 * Colours are taken out. Everything else that a terminal would obey is shown as a sign, character by character, so no
 * sequence can be put together from two chunks. A carriage return ends the line: it could write over what was shown.
 */
export class LiveText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #held = "";

  /** Keeps the rest of a character or a colour for the next chunk. */
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
    .map((line) => line.split("\t").map(visible).join("\t"))
    .join("\n");
}

function visible(text: string): string {
  return makeVisible(text, "\t");
}
