import { blankJsonComments } from "@skillet/core/internal";
import { locateJson } from "@skillet/kit/json";
import { type Located, type LocatedEntry, plainValue } from "@skillet/kit/located";

/** A range of a text and its replacement; nothing else in the file changes. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Thrown if settings contain something that the agent's documentation does not describe: no edit is safe then. */
export class Uncertain extends Error {}

type JsonMap = Extract<Located, { readonly kind: "map" }>;
type IsMeant = (item: unknown) => boolean;

const TOKENS = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[[\]{}]|[^\s[\]{}",:/]+|[\s\S]/g;

/** A JSON text that may contain comments and trailing commas. */
export class JsonText {
  readonly #text: string;
  readonly #root: JsonMap;
  readonly #lines: readonly number[];

  constructor(text: string) {
    const read = locateJson(blankJsonComments(text));
    if ("fault" in read) throw new Uncertain(`line ${read.fault.range.line}: ${read.fault.problem}`);
    if (read.root.kind !== "map") throw new Uncertain("it is not an object");
    this.#text = text;
    this.#root = read.root;
    this.#lines = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  /** The value at a path of nested keys, or undefined. */
  at(path: readonly string[]): Located | undefined {
    return this.#follow(path).entry?.value;
  }

  /** Sets a key and creates the objects around it; undefined if it has that value already. */
  set(path: readonly string[], value: string, place: "first" | "last" = "first"): Splice | undefined {
    const { parent, entry, missing } = this.#follow(path);
    if (entry === undefined) return this.#insert(parent, memberText(missing, value), place);
    const { start, end } = this.#span(entry);
    const isSet = this.#text.slice(this.#offset(entry.value.range), end) === value;
    return isSet ? undefined : { start, end, text: memberText(path.slice(-1), value) };
  }

  /** Adds an item to a list, which is created if missing, over several `lines` if asked; undefined if it is there. */
  add(path: readonly string[], item: string, isThere: IsMeant, lines?: "lines"): Splice | undefined {
    const { parent, entry, missing } = this.#follow(path);
    if (entry === undefined && lines !== undefined) return this.#insertLines(parent, missing, `[${item}]`);
    if (entry === undefined) return this.#insert(parent, memberText(missing, `[${item}]`), "first");
    if (entry.value.kind !== "list") throw new Uncertain(`${path.join(".")} is not a list`);
    const has = entry.value.items.some((one) => isThere(plainValue(one)));
    return has ? undefined : this.#insert(entry.value, item, "first");
  }

  /** Removes a key, or one item of its list, and anything left empty around it; undefined if it is not there. */
  remove(path: readonly string[], isMeant?: IsMeant): Splice | undefined {
    const { parent, entry } = this.#follow(path);
    if (entry === undefined) return undefined;
    if (isMeant !== undefined) {
      const items = entry.value.kind === "list" ? entry.value.items : [];
      const index = items.findIndex((one) => isMeant(plainValue(one)));
      if (index < 0) return undefined;
      return items.length > 1 ? this.#cut(entry.value, index) : this.remove(path);
    }
    if (path.length > 1 && parent.entries.length === 1) return this.remove(path.slice(0, -1));
    return this.#cut(parent, parent.entries.indexOf(entry));
  }

  #follow(path: readonly string[]): { parent: JsonMap; entry?: LocatedEntry; missing: readonly string[] } {
    let parent = this.#root;
    for (const [index, key] of path.entries()) {
      const [entry, second] = parent.entries.filter((one) => one.key === key);
      if (second !== undefined) throw new Uncertain(`the key ${JSON.stringify(key)} occurs twice`);
      if (entry === undefined) return { parent, missing: path.slice(index) };
      if (index === path.length - 1) return { parent, entry, missing: [] };
      if (entry.value.kind !== "map") throw new Uncertain(`${key} is not an object`);
      parent = entry.value;
    }
    throw new Uncertain("no key is named");
  }

  #offset(range: Located["range"]): number {
    return (this.#lines[(range?.line ?? 1) - 1] ?? 0) + (range?.column ?? 1) - 1;
  }

  #span(part: Located | LocatedEntry): { readonly start: number; readonly end: number } {
    const from = this.#offset("key" in part ? part.value.range : part.range);
    let [end, depth] = [from, 0];
    for (const { 0: token, index } of this.#text.slice(from).matchAll(TOKENS)) {
      depth += /^[[{]$/.test(token) ? 1 : /^[\]}]$/.test(token) ? -1 : 0;
      end = from + index + token.length;
      if (depth <= 0) break;
    }
    return { start: "key" in part ? this.#offset(part.keyRange) : from, end };
  }

  #spans(container: Located): readonly { readonly start: number; readonly end: number }[] {
    const parts =
      container.kind === "map" ? container.entries : container.kind === "list" ? container.items : [];
    return parts.map((part) => this.#span(part));
  }

  /** Inserts one line per key, below the existing ones. */
  #insertLines(container: JsonMap, keys: readonly string[], value: string): Splice {
    const [first] = this.#spans(container);
    const from = first?.start ?? this.#offset(container.range);
    const around = /(?:^|\n)([ \t]*)[^\n]*$/.exec(this.#text.slice(0, from))?.[1] ?? "";
    const indent = first === undefined ? `${around}  ` : around;
    const added = memberText(keys, value, indent);
    if (first !== undefined) return this.#insert(container, added, "last");
    const splice = this.#insert(container, added, "last");
    return { ...splice, text: `\n${indent}${added}\n${around}` };
  }

  /** At the front, where no comma of the user's is touched; at the end for agents in which the last entry wins. */
  #insert(container: Located, added: string, place: "first" | "last"): Splice {
    const spans = this.#spans(container);
    const inside = this.#offset(container.range) + 1;
    const { start } = spans[0] ?? { start: inside };
    const end = spans.at(-1)?.end;
    if (end === undefined)
      return { start, end: start, text: container.kind === "map" ? ` ${added} ` : added };
    // The indentation of an element that begins its line.
    const indent = /(\r?\n[ \t]*)$/.exec(this.#text.slice(0, start))?.[1] ?? " ";
    if (place === "last") return { start: end, end, text: `,${indent}${added}` };
    return { start, end: start, text: `${added},${indent}` };
  }

  #cut(container: Located, index: number): Splice {
    const spans = this.#spans(container);
    const [before, own, after] = [spans[index - 1], spans[index], spans[index + 1]];
    const { start, end } = own ?? { start: 0, end: 0 };
    if (after !== undefined) return { start, end: after.start, text: "" };
    if (before !== undefined) return { start: before.end, end, text: "" };
    return { start, end: end + (/^\s*,/.exec(this.#text.slice(end))?.[0].length ?? 0), text: "" };
  }
}

function memberText([key, ...inner]: readonly string[], value: string, indent?: string): string {
  const deeper = indent === undefined ? undefined : `${indent}  `;
  const [open, close] = indent === undefined ? [" ", " "] : [`\n${deeper}`, `\n${indent}`];
  const held = inner.length === 0 ? value : `{${open}${memberText(inner, value, deeper)}${close}}`;
  return `${JSON.stringify(key)}: ${held}`;
}
