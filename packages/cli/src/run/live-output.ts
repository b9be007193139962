import type { ScriptOutputListener } from "@skillet/core";
import { LiveText } from "../ui/live-text.ts";
import type { Terminal } from "../ui/terminal.ts";

/** Shows what a script writes while it runs. */
export interface LiveOutput {
  readonly onOutput: ScriptOutputListener;
  /** Shows what was kept back, and ends a line that is open where a person looks. */
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

/** What both streams have in common where a person sees both. */
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
