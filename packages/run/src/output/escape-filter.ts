const ESCAPE = 0x1b;
const BELL = 0x07;

type State = "text" | "escape" | "short" | "control" | "string" | "string-escape";

/**
 * Tells the bytes of a stream that are text from those of escape sequences, one at a time.
 *
 * It follows stripTerminal in what a sequence is, except for its 8-bit forms and for what an unfinished one shows: both
 * are nothing that a program writes by habit.
 */
export class EscapeFilter {
  #state: State = "text";

  /** Whether it stands outside of any sequence. */
  get isInText(): boolean {
    return this.#state === "text";
  }

  /** Whether the next byte is part of an escape sequence. */
  hides(byte: number): boolean {
    const next = nextState(this.#state, byte) ?? nextState("text", byte) ?? "text";
    // The last byte of a sequence leads back to the text, but is none.
    const isText = next === "text" && !endsSequence(this.#state, byte);
    this.#state = next;
    return !isText;
  }
}

/** Undefined when a sequence breaks off before this byte. */
function nextState(state: State, byte: number): State | undefined {
  switch (state) {
    case "text":
      return byte === ESCAPE ? "escape" : "text";
    case "escape":
    case "string-escape":
      return afterEscape(state, byte);
    case "short":
      return isIntermediate(byte) ? "short" : endsSequence(state, byte) ? "text" : undefined;
    case "control":
      return byte >= 0x20 && byte < 0x40 ? "control" : endsSequence(state, byte) ? "text" : undefined;
    case "string":
      if (byte === ESCAPE) return "string-escape";
      if (byte === BELL) return "text";
      // What a terminal stops at, too: nothing can hide the rest of a stream.
      return [0x0a, 0x0d, 0x18, 0x1a].includes(byte) ? undefined : "string";
  }
}

function afterEscape(state: "escape" | "string-escape", byte: number): State | undefined {
  if (state === "string-escape" && byte === 0x5c) return "text";
  if (byte === 0x5b) return "control";
  // OSC, DCS, SOS, PM and APC carry a string.
  if ([0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(byte)) return "string";
  if (isIntermediate(byte)) return "short";
  return endsSequence("escape", byte) ? "text" : undefined;
}

function isIntermediate(byte: number): boolean {
  return byte >= 0x20 && byte < 0x30;
}

function endsSequence(state: State, byte: number): boolean {
  if (state === "text") return false;
  if (state === "string") return byte === BELL;
  return byte >= (state === "control" ? 0x40 : 0x30) && byte < 0x7f;
}
