import { type AutomatonState, PatternAutomaton } from "./pattern-automaton.ts";
import { type SecretForm, secretForms } from "./secret-forms.ts";

/** Takes secrets out of what a script writes. */
export interface Redactor {
  /** One for each stream: what is held back of one must not meet the other. */
  stream(): RedactedStream;
  /** Takes them out of a whole text. */
  text(text: string): string;
}

/** A stream of bytes without secrets. */
interface RedactedStream {
  /** What can be passed on by now: the rest could still become part of a secret. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was held back. */
  end(): Uint8Array;
}

interface Span {
  start: number;
  end: number;
  name: string;
}

/**
 * Puts `[redacted NAME]` in place of secrets, in the forms of `secretForms`, however the bytes are cut into chunks.
 *
 * Values under four bytes are left alone. Every byte that belongs to any form is taken out, so that of two secrets that
 * overlap nothing is left either.
 *
 * @example
 * const stream = createRedactor({ API_KEY: "s3cr3t-v4lue" }).stream();
 * stream.push(Buffer.from("key: s3cr3t-v4lue\n")); // "key: [redacted API_KEY]\n"
 */
export function createRedactor(secrets: Readonly<Record<string, string>>): Redactor {
  const forms = Object.entries(secrets).flatMap(([name, value]) => secretForms(name, value));
  if (forms.length === 0)
    return { stream: () => ({ push: (chunk) => chunk, end: () => Buffer.alloc(0) }), text: (text) => text };
  const automaton = new PatternAutomaton(forms.map(({ bytes }) => bytes));
  const stream = (): RedactedStream => new AutomatonStream(automaton, forms);
  return {
    stream,
    text: (text) => {
      const whole = stream();
      return Buffer.concat([whole.push(Buffer.from(text)), whole.end()]).toString();
    },
  };
}

class AutomatonStream implements RedactedStream {
  readonly #automaton: PatternAutomaton;
  readonly #forms: readonly SecretForm[];
  #state: AutomatonState = 0;
  /** What is held back; `#offset` is the place of its first byte in the stream. */
  #held: Uint8Array = Buffer.alloc(0);
  #offset = 0;
  #spans: Span[] = [];

  constructor(automaton: PatternAutomaton, forms: readonly SecretForm[]) {
    this.#automaton = automaton;
    this.#forms = forms;
  }

  push(chunk: Uint8Array): Uint8Array {
    const start = this.#offset + this.#held.length;
    for (let index = 0; index < chunk.length; index++) {
      this.#state = this.#automaton.step(this.#state, chunk[index] ?? 0);
      const match = this.#automaton.match(this.#state);
      if (match !== undefined) this.#mark(start + index + 1, match);
    }
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    return this.#release(bytes, start + chunk.length - this.#automaton.pendingBytes(this.#state));
  }

  end(): Uint8Array {
    const rest = this.#release(this.#held, this.#offset + this.#held.length);
    this.#state = 0;
    return rest;
  }

  #mark(end: number, match: { readonly pattern: number; readonly length: number }): void {
    const span: Span = { start: end - match.length, end, name: this.#forms[match.pattern]?.name ?? "" };
    for (
      let last = this.#spans.at(-1);
      last !== undefined && last.end > span.start;
      last = this.#spans.at(-1)
    ) {
      // The name of whichever begins first; of two that begin together, of the longer.
      if (last.start < span.start) Object.assign(span, { start: last.start, name: last.name });
      this.#spans.pop();
    }
    this.#spans.push(span);
  }

  // No match to come can begin before `until`, so what lies before it is settled, except a span that reaches beyond.
  #release(bytes: Uint8Array, until: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let position = this.#offset;
    let settled = 0;
    for (const { start, end, name } of this.#spans) {
      if (end > until) break;
      parts.push(
        bytes.subarray(position - this.#offset, start - this.#offset),
        Buffer.from(`[redacted ${name}]`),
      );
      position = end;
      settled++;
    }
    this.#spans = this.#spans.slice(settled);
    const next = Math.max(position, Math.min(until, this.#spans[0]?.start ?? until));
    parts.push(bytes.subarray(position - this.#offset, next - this.#offset));
    // A copy: what is held must not change when the caller uses its chunk again, nor keep all of it in memory.
    this.#held = Buffer.from(bytes.subarray(next - this.#offset));
    this.#offset = next;
    return Buffer.concat(parts);
  }
}
