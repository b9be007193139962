import { secretForms } from "./secret-forms.ts";
import { addSpan, EscapeFilter, FormAutomaton, type Span, ViewMatcher } from "./view-matcher.ts";

const ESCAPE = 0x1b;
const SPACES = new Uint8Array(256).fill(1, 0x09, 0x0e).fill(1, 0x20, 0x21);

export interface Redactor {
  /** One per stream: bytes held back from one must not be joined with the other's. */
  stream(): RedactedStream;
  text(text: string): string;
}

interface RedactedStream {
  /** Returns what can be passed on; the rest could still become part of a secret. */
  push(chunk: Uint8Array): Uint8Array;
  end(): Uint8Array;
  /** The number of bytes held back: at most the longest form of a secret and a few thousand. */
  readonly heldBytes: number;
}

/**
 * Replaces secrets, in all forms of `secretForms`, with `[redacted NAME]`, however the bytes are split into
 * chunks, and even if escape sequences interrupt them, as in partly coloured text.
 *
 * Values under four bytes are left alone. Every byte that belongs to any form is removed, so that no part of
 * two overlapping secrets remains.
 *
 * @example
 * const stream = createRedactor({ API_KEY: "s3cr3t-v4lue" }).stream();
 * stream.push(Buffer.from("key: s3cr3t-v4lue\n")); // "key: [redacted API_KEY]\n"
 */
export function createRedactor(secrets: Readonly<Record<string, string>>): Redactor {
  const forms = Object.entries(secrets).flatMap(([name, value]) => secretForms(name, value));
  if (forms.length === 0)
    return {
      stream: () => ({ push: (chunk) => chunk, end: () => Buffer.alloc(0), heldBytes: 0 }),
      text: (text) => text,
    };
  const whole = new FormAutomaton(forms);
  const wrapped = new FormAutomaton(forms.filter(({ wraps }) => wraps));
  const stream = (): RedactedStream => new FormStream(whole, wrapped);
  return {
    stream,
    text: (text) => {
      const all = stream();
      return Buffer.concat([all.push(Buffer.from(text)), all.end()]).toString();
    },
  };
}

class FormStream implements RedactedStream {
  readonly #escapes = new EscapeFilter();
  /** Reads every byte, since a secret may be inside an escape sequence, such as a title. */
  readonly #raw: ViewMatcher;
  /** Reads the text between escape sequences; until the first sequence that is the same as `#raw`. */
  #text: ViewMatcher | undefined;
  /** Reads that text without white space, for the forms that white space may interrupt. */
  readonly #joined: ViewMatcher;
  #room: Buffer = Buffer.alloc(1024);
  /** The bytes not passed on yet, a part of the room, and their position in the stream. */
  #held: Buffer = this.#room.subarray(0, 0);
  #heldFrom = 0;
  /** Not yet settled; the start of the first one, and so its mark, may already have been passed on. */
  readonly #spans: Span[] = [];

  constructor(whole: FormAutomaton, wrapped: FormAutomaton) {
    this.#raw = new ViewMatcher(whole);
    this.#joined = new ViewMatcher(wrapped);
  }

  get heldBytes(): number {
    return this.#held.length;
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#text === undefined && chunk.includes(ESCAPE)) this.#text = this.#raw.copy();
    const escapes = this.#text && chunk.map((byte) => Number(this.#escapes.hides(byte)));
    const found = [
      ...this.#raw.read(chunk),
      ...(this.#text?.read(chunk, escapes) ?? []),
      ...this.#joined.read(chunk, withSpaces(chunk, escapes)),
    ];
    for (const span of found.sort((left, right) => left.end - right.end)) addSpan(this.#spans, span);
    this.#hold(chunk);
    const views = [this.#raw, this.#text ?? this.#raw, this.#joined];
    return this.#release(Math.min(...views.map((view) => view.pendingFrom)));
  }

  end(): Uint8Array {
    return this.#release(this.#heldFrom + this.#held.length);
  }

  // A copy, so that the chunk's owner may reuse it. The room doubles; otherwise a script that writes byte by
  // byte would have everything held copied for each byte.
  #hold(chunk: Uint8Array): void {
    const length = this.#held.length + chunk.length;
    const at = this.#held.byteOffset - this.#room.byteOffset;
    if (at + length > this.#room.length) {
      const room = Buffer.alloc(Math.max(2 * length, 1024));
      room.set(this.#held);
      this.#room = room;
      this.#held = room.subarray(0, this.#held.length);
    }
    const start = this.#held.byteOffset - this.#room.byteOffset;
    this.#room.set(chunk, start + this.#held.length);
    this.#held = this.#room.subarray(start, start + length);
  }

  // No later match can begin before `until`, so nothing before it is held: a span that reaches beyond has its
  // start and name by now, and its bytes are never shown. Otherwise an endless chain of overlapping secrets
  // would hold back everything.
  #release(until: number): Uint8Array {
    const between = (from: number, to: number): Buffer =>
      this.#held.subarray(from - this.#heldFrom, to - this.#heldFrom);
    const parts: Uint8Array[] = [];
    let position = this.#heldFrom;
    let settled = 0;
    for (const { start, end, name } of this.#spans) {
      // A span that begins at `until` may still get the name of a longer one.
      if (start >= until) break;
      // The mark of a span that begins before the held bytes has already been passed on.
      if (start >= this.#heldFrom) parts.push(between(position, start), Buffer.from(`[redacted ${name}]`));
      position = Math.min(end, until);
      if (end <= until) settled++;
    }
    this.#spans.splice(0, settled);
    parts.push(between(position, until));
    this.#held = this.#held.subarray(until - this.#heldFrom);
    this.#heldFrom = until;
    return Buffer.concat(parts);
  }
}

function withSpaces(chunk: Uint8Array, escapes: Uint8Array | undefined): Uint8Array {
  return chunk.map((byte, index) => (SPACES[byte] ?? 0) | (escapes?.[index] ?? 0));
}
