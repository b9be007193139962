import { type SecretForm, secretForms } from "./secret-forms.ts";
import { EscapeFilter, type FoundPattern, PatternAutomaton, ViewMatcher } from "./view-matcher.ts";

const ESCAPE = 0x1b;
const SPACES = new Uint8Array(256).fill(1, 0x09, 0x0e).fill(1, 0x20, 0x21);

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
  /** How many bytes are held back: at most the longest form of a secret and a few thousand. */
  readonly heldBytes: number;
}

interface Span {
  start: number;
  end: number;
  name: string;
  /** The end of the match that gave the name. */
  nameEnd: number;
}

/**
 * Puts `[redacted NAME]` in place of secrets, in the forms of `secretForms`, however the bytes are cut into chunks; also
 * where escape sequences stand in between, as in a text that is coloured in part.
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
    return {
      stream: () => ({ push: (chunk) => chunk, end: () => Buffer.alloc(0), heldBytes: 0 }),
      text: (text) => text,
    };
  const patterns: Patterns = {
    whole: patternSet(forms),
    wrapped: patternSet(forms.filter(({ wraps }) => wraps)),
  };
  const stream = (): RedactedStream => new PatternStream(patterns);
  return {
    stream,
    text: (text) => {
      const whole = stream();
      return Buffer.concat([whole.push(Buffer.from(text)), whole.end()]).toString();
    },
  };
}

interface PatternSet {
  readonly forms: readonly SecretForm[];
  readonly automaton: PatternAutomaton;
}

interface Patterns {
  readonly whole: PatternSet;
  /** Those that white space may stand in. */
  readonly wrapped: PatternSet;
}

function patternSet(forms: readonly SecretForm[]): PatternSet {
  return { forms, automaton: new PatternAutomaton(forms.map(({ bytes }) => bytes)) };
}

class PatternStream implements RedactedStream {
  readonly #patterns: Patterns;
  readonly #escapes = new EscapeFilter();
  /** Looks at every byte: a secret may stand inside an escape sequence, such as a title. */
  readonly #raw: ViewMatcher;
  /** Looks at the text between escape sequences. */
  readonly #text: ViewMatcher;
  /** Looks at the same without its white space. */
  readonly #joined: ViewMatcher | undefined;
  readonly #held = new StreamWindow();
  /** Those that are not settled; of the first one the start, and so the mark, may have been passed on. */
  readonly #spans: Span[] = [];

  constructor(patterns: Patterns) {
    this.#patterns = patterns;
    this.#raw = new ViewMatcher(patterns.whole.automaton);
    this.#text = new ViewMatcher(patterns.whole.automaton);
    this.#joined =
      patterns.wrapped.forms.length === 0 ? undefined : new ViewMatcher(patterns.wrapped.automaton);
  }

  get heldBytes(): number {
    return this.#held.end - this.#held.start;
  }

  push(chunk: Uint8Array): Uint8Array {
    for (const span of this.#find(chunk)) addSpan(this.#spans, span);
    this.#held.append(chunk);
    const views = [this.#raw, this.#text, ...(this.#joined ? [this.#joined] : [])];
    return this.#release(Math.min(...views.map((view) => view.pendingFrom())));
  }

  end(): Uint8Array {
    return this.#release(this.#held.end);
  }

  /** In the order of their ends. */
  #find(chunk: Uint8Array): Span[] {
    // Most output has no escape sequences, and then two of the views are one.
    const isPlain = this.#escapes.isInText && !chunk.includes(ESCAPE) && this.#text.agreesWith(this.#raw);
    const escapes = isPlain ? undefined : chunk.map((byte) => Number(this.#escapes.hides(byte)));
    const { whole, wrapped } = this.#patterns;
    const inRaw = new SpanList(whole);
    const inText = new SpanList(whole);
    const inJoined = new SpanList(wrapped);
    this.#raw.read(chunk, inRaw.add);
    if (escapes === undefined) this.#text.follow(this.#raw, chunk.length);
    else this.#text.read(chunk, inText.add, escapes);
    this.#joined?.read(chunk, inJoined.add, withSpaces(chunk, escapes));
    if (inText.spans.length + inJoined.spans.length === 0) return inRaw.spans;
    return [...inRaw.spans, ...inText.spans, ...inJoined.spans].sort((left, right) => left.end - right.end);
  }

  // No match to come can begin before `until`, so of what lies before it nothing has to be held: a span that reaches
  // beyond has its start and its name by now, and its bytes are never shown. Otherwise secrets that overlap each other
  // without end would hold back everything.
  #release(until: number): Uint8Array {
    const held = this.#held;
    const parts: Uint8Array[] = [];
    let position = held.start;
    let settled = 0;
    for (const { start, end, name } of this.#spans) {
      // One that begins at `until` may yet get the name of a longer one.
      if (start >= until) break;
      // One that begins before what is held has its mark already.
      if (start >= held.start) parts.push(held.between(position, start), Buffer.from(`[redacted ${name}]`));
      position = Math.min(end, until);
      if (end <= until) settled++;
    }
    this.#spans.splice(0, settled);
    parts.push(held.between(position, until));
    held.forgetBefore(until);
    return Buffer.concat(parts);
  }
}

class SpanList {
  readonly spans: Span[] = [];
  readonly #forms: readonly SecretForm[];

  constructor({ forms }: PatternSet) {
    this.#forms = forms;
  }

  readonly add = ({ pattern, start, end }: FoundPattern): void =>
    addSpan(this.spans, { start, end, name: this.#forms[pattern]?.name ?? "", nameEnd: end });
}

/** Adds a span that ends behind all others, and makes one of those that overlap. */
function addSpan(spans: Span[], span: Span): void {
  const whole = { ...span };
  for (let last = spans.at(-1); last !== undefined && last.end > whole.start; last = spans.at(-1)) {
    if (namesBefore(last, whole)) Object.assign(whole, { name: last.name, nameEnd: last.nameEnd });
    whole.start = Math.min(whole.start, last.start);
    spans.pop();
  }
  spans.push(whole);
}

/**
 * The name of whichever begins first; of two that begin together, of the longer. It must not depend on the order in which
 * they are put together, because that depends on the chunks.
 */
function namesBefore(left: Span, right: Span): boolean {
  if (left.start !== right.start) return left.start < right.start;
  return left.nameEnd === right.nameEnd ? left.name < right.name : left.nameEnd > right.nameEnd;
}

function withSpaces(chunk: Uint8Array, escapes: Uint8Array | undefined): Uint8Array {
  const hidden = escapes === undefined ? new Uint8Array(chunk.length) : Uint8Array.from(escapes);
  for (let index = 0; index < chunk.length; index++) if (SPACES[chunk[index] ?? 0] === 1) hidden[index] = 1;
  return hidden;
}

/**
 * The bytes of a stream from some place on to what came last; places are counted from the start of the stream.
 *
 * However small the chunks and however much is kept, a byte is moved about twice at most: nobody can make it slow with
 * many small writes.
 */
export class StreamWindow {
  #bytes: Uint8Array = Buffer.alloc(0);
  /** The place in the stream of the first byte of `#bytes`. */
  #base = 0;
  #start = 0;
  #end = 0;
  #moved = 0;

  /** The place of the first byte that is kept. */
  get start(): number {
    return this.#start;
  }

  /** The place behind the last byte. */
  get end(): number {
    return this.#end;
  }

  /** How many bytes were moved so far to make room for others. */
  get movedBytes(): number {
    return this.#moved;
  }

  /** Copies the chunk, so that its owner may use it again. */
  append(chunk: Uint8Array): void {
    if (this.#end - this.#base + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length);
    this.#bytes.set(chunk, this.#end - this.#base);
    this.#end += chunk.length;
  }

  /** The bytes between two places, good until something is appended. */
  between(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#base, to - this.#base);
  }

  forgetBefore(place: number): void {
    this.#start = place;
  }

  // As much room again as is in use: then at least that much is appended before anything is moved again.
  #makeRoom(bytes: number): void {
    const kept = this.between(this.#start, this.#end);
    const roomy = Buffer.allocUnsafeSlow(2 * (kept.length + bytes));
    roomy.set(kept);
    this.#moved += kept.length;
    this.#bytes = roomy;
    this.#base = this.#start;
  }
}
