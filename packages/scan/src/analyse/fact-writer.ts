import type { Effect } from "@skillet/shell";
import { type Act, type DataSource, type Fact, type FactPlace, placeIn, type Sink } from "../fact/fact.ts";
import { agentPath, startupPath } from "../secret/classify-path.ts";
import { LineIndex, type SourceText } from "../text/source-text.ts";

/** Bounds a script that does the same a million times. */
const MAX_FACTS = 20_000;
const MAX_TEXTS = 500;
/** Each of them is read again, by another analyser. */
const MAX_TEXTS_CHARACTERS = 8 * 1024 * 1024;
/** A file that is started later is judged whole, as padding before a payload is cheap. */
const MAX_STARTED_CHARACTERS = 64 * 1024;
const MAX_RECORDED_CHARACTERS = 4_096;

/** Collects the facts and the inner texts of one text, without duplicates on a line. */
export class FactWriter {
  readonly source: SourceText;
  readonly facts: Fact[] = [];
  readonly texts: SourceText[] = [];
  readonly #lines: LineIndex;
  /** By place and kind: the first fact or, if there are several, all of them serialised. */
  readonly #seen = new Map<string, { readonly content: unknown } | Set<string>>();
  #textsCharacters = 0;
  #unread: string | undefined;

  constructor(source: SourceText) {
    this.source = source;
    this.#lines = new LineIndex(source);
  }

  unread(reason: string): void {
    this.#unread ??= reason;
  }

  get analysis(): Analysis {
    const unread = this.facts.length >= MAX_FACTS ? `it does more than ${MAX_FACTS} things` : this.#unread;
    return { facts: this.facts, texts: this.texts, ...(unread === undefined ? {} : { unread }) };
  }

  lineOf(offset: number): number {
    return this.#lines.at(offset);
  }

  placeOf({ from, to }: Span): FactPlace {
    return placeIn(this.source, this.lineOf(from), this.source.text.slice(from, to));
  }

  protected add(fact: Fact): void {
    if (this.facts.length < MAX_FACTS && this.#isNew(fact.line, fact.kind, contentOf(fact)))
      this.facts.push(fact);
  }

  act(act: Act, first: Span, last: Span = first): void {
    this.addAct(act, this.placeOf({ from: first.from, to: last.to }));
  }

  protected addAct(act: Act, place: FactPlace): void {
    this.add({ ...place, kind: "act", act });
  }

  protected addFlow(
    sources: readonly DataSource[],
    sink: Sink,
    steps: readonly string[],
    place: FactPlace,
  ): void {
    this.add({ ...place, kind: "flow", sources, sink, steps });
  }

  /** Returns whether there was room for it. */
  protected addText(text: SourceText): boolean {
    const isFull =
      this.texts.length >= MAX_TEXTS || this.#textsCharacters + text.text.length > MAX_TEXTS_CHARACTERS;
    if (isFull) this.unread("it holds more scripts in scripts than can be read");
    else if (
      text.keepsLines ||
      this.#isNew(text.firstLine, "text", [text.language, text.stance, text.text])
    ) {
      this.texts.push(text);
      this.#textsCharacters += text.text.length;
    }
    return !isFull;
  }

  #isNew(line: number, kind: string, content: unknown): boolean {
    const key = `${line} ${kind}`;
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      this.#seen.set(key, { content });
      return true;
    }
    // Most are the only ones of their kind on a line, and need not be serialised.
    if (!(seen instanceof Set)) {
      seen = new Set([JSON.stringify(seen.content)]);
      this.#seen.set(key, seen);
    }
    const { size } = seen;
    return seen.add(JSON.stringify(content)).size > size;
  }
}

function contentOf(fact: Fact): unknown {
  if (fact.kind === "act") return fact.act;
  if (fact.kind !== "flow") return fact;
  // A decoded text may be long, and adds nothing new.
  return [fact.sources.map((source) => (source.type === "decoded" ? source.encoding : source)), fact.sink];
}

/** What it means to write a file: something may start by itself, or an agent's or a machine's settings change. */
export function writeActs(path: string, written: string | undefined, append: boolean): readonly Effect[] {
  const text = written?.slice(0, MAX_STARTED_CHARACTERS);
  const head = text?.slice(0, MAX_RECORDED_CHARACTERS);
  const acts: Effect[] = [{ type: "write", path, append, ...(head === undefined ? {} : { text: head }) }];
  const words = text === undefined ? {} : { text };
  const where = startupPath(path);
  if (where !== undefined) acts.push({ type: "persist", where, path, ...words });
  const what = agentPath(path);
  if (what !== undefined) acts.push({ type: "agent-config", what, path, ...words });
  if (/^\/dev\/(?:r?disk|sd|hd|nvme|vd|mmcblk)/.test(path))
    acts.push({ type: "destroy", what: "disk", detail: path });
  if (/^\/etc\/sudoers/.test(path))
    acts.push({
      type: "privilege",
      how: ROOT_FOR_ALL.test(head ?? "") ? "root-for-all" : "sudoers",
      detail: text?.slice(0, 200).trim() ?? path,
    });
  if (/^\/etc\/passwd$/.test(path) && NUMBER_OF_ROOT.test(head ?? ""))
    acts.push({ type: "privilege", how: "root-for-all", detail: path });
  return acts;
}

// With exact commands after the colon, it is used as intended.
const ROOT_FOR_ALL = /NOPASSWD\s{0,5}:\s{0,5}ALL\b/i;

// An account with root's number is root under another name.
const NUMBER_OF_ROOT = /^[^:\n]{1,64}:[^:\n]{0,200}:0:/m;

/** Reads one text in one of its languages; never throws because of the text. */
export type Analyser = (source: SourceText, siblings?: Siblings) => Analysis;

export interface Analysis {
  readonly facts: readonly Fact[];
  /** Inner texts to analyse next: fences, here-documents, `sh -c "…"`, decoded literals, manifest scripts. */
  readonly texts: readonly SourceText[];
  /** Why something was not understood; the file then counts as read partly. */
  readonly unread?: string;
}

export const NOTHING: Analysis = { facts: [], texts: [] };

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Siblings {
  source(path: string): SourceText | undefined;
  /** The path of the only file with this name, in any folder. */
  named(name: string): string | undefined;
}
