import type { DataSource, SecretKind } from "../../fact/data-source.ts";
import type { Sink } from "../../fact/sink.ts";
import { wordSet, words } from "../../word-list.ts";
import type { Encoding } from "./decode-constant.ts";
import { HOLE } from "./value.ts";

/** Which argument: its place and the names that it goes by; what the method was called on; or all of them as a list. */
export type Slot = readonly [number, ...string[]] | "self" | "all";

export type NetworkHow = Extract<Sink, { readonly type: "network" }>["how"];

export type ApiEffect =
  | {
      readonly does: "request";
      readonly url: Slot;
      readonly method: "get" | "send" | "by-argument";
      readonly to?: Slot;
      /** The kind of its result, such as `http.ClientRequest`, by which later calls are read. */
      readonly returns?: string;
    }
  | { readonly does: "send"; readonly how: NetworkHow; readonly to?: Slot; readonly data?: readonly Slot[] }
  | { readonly does: "upload"; readonly how: NetworkHow; readonly path: Slot }
  | { readonly does: "receive" }
  | { readonly does: "connect"; readonly target: Slot }
  | { readonly does: "make"; readonly api: string; readonly subject?: Slot }
  | { readonly does: "shell"; readonly command: Slot; readonly input?: Slot }
  /** Writes to a program that was started before. */
  | { readonly does: "feed"; readonly data: Slot }
  /** Sets a variable for all that is started from then on. */
  | { readonly does: "set-variable"; readonly name: Slot; readonly value: Slot }
  | { readonly does: "argv"; readonly command: Slot; readonly arguments?: Slot; readonly input?: Slot }
  | {
      readonly does: "code";
      readonly slot: Slot | "last";
      /** The option without which the argument is the path of a file. */
      readonly onlyWith?: string;
    }
  | { readonly does: "deserialise"; readonly data: Slot; readonly safeWith?: readonly string[] }
  | { readonly does: "load-library"; readonly path: Slot; readonly from?: "file" | "memory" }
  | { readonly does: "load-module"; readonly name: Slot }
  | { readonly does: "attribute"; readonly object: Slot; readonly name: Slot }
  | { readonly does: "open"; readonly path: Slot; readonly mode?: Slot }
  | { readonly does: "read"; readonly path: Slot }
  | { readonly does: "write"; readonly path: Slot; readonly data: Slot; readonly append?: boolean }
  | { readonly does: "copy"; readonly from: Slot; readonly to: Slot }
  | { readonly does: "move"; readonly from: Slot; readonly to: Slot }
  | { readonly does: "delete"; readonly path: Slot; readonly recursive: "yes" | "no" | "by-option" }
  | { readonly does: "list"; readonly path: Slot; readonly pattern?: Slot }
  | { readonly does: "join-path" }
  | { readonly does: "same-path"; readonly path: Slot; readonly api?: string }
  | { readonly does: "text"; readonly text: string; readonly api?: string }
  | { readonly does: "environment"; readonly name: Slot }
  | { readonly does: "source"; readonly source: DataSource }
  | { readonly does: "decode"; readonly encoding: Encoding; readonly data: Slot }
  | { readonly does: "listen"; readonly address: Slot }
  | { readonly does: "duplicate-descriptor" }
  | { readonly does: "pseudo-terminal"; readonly command: Slot }
  | { readonly does: "encrypt"; readonly data: Slot }
  /** The value itself, however it is dressed. */
  | { readonly does: "pass"; readonly value: Slot }
  /** Nothing of its arguments is in the result: a length, a test. */
  | { readonly does: "clean" };

export interface ApiTable {
  readonly effects: ReadonlyMap<string, ApiEffect>;
  /** Methods so telling that they count on objects of unknown kind. */
  readonly methods: ReadonlyMap<string, ApiEffect>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly environments: ReadonlySet<string>;
  /** Objects whose members are the names that need no import. */
  readonly globals: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, DataSource | string>;
  /** First parts of names that mean a module even where nothing imported it, as in a snippet. */
  readonly roots: ReadonlySet<string>;
}

/**
 * Reads a table of effects: what it does with its options, a colon, and the functions that do it, over further indented
 * lines where there are many. `fs.{rm,rmSync}` is two names, `url=0,uri` the first argument or the one named `uri`.
 */
export function effectsOf(table: string): ReadonlyMap<string, ApiEffect> {
  const effects = new Map<string, ApiEffect>();
  for (const row of table.trim().split(/\n(?! {6})/)) {
    const [effect = "", names = ""] = row.split(/: |:\n/);
    const read = readEffect(effect);
    for (const name of words(names)) for (const whole of expand(name)) effects.set(whole, read);
  }
  return effects;
}

export function aliasesOf(text: string): ReadonlyMap<string, string> {
  return new Map(words(text).map((pair) => pair.split("=") as [string, string]));
}

function readEffect(text: string): ApiEffect {
  const [does = "", ...options] = words(text);
  const effect: Record<string, unknown> = { does };
  for (const option of options) {
    const [key = "", value = ""] = option.split("=");
    effect[key] = optionValue(does, key, value);
  }
  return effect as unknown as ApiEffect;
}

function optionValue(does: string, key: string, value: string): unknown {
  if (PLAIN_OPTIONS.has(key) || (key === "from" && does === "load-library")) return value;
  if (key === "append") return true;
  if (key === "safeWith") return value.split(",");
  if (key === "text") return value === '""' ? "" : value.replace("*", HOLE);
  if (key === "source") return readSource(value);
  return key === "data" && does === "send" ? value.split("+").map(readSlot) : readSlot(value);
}

const PLAIN_OPTIONS = wordSet("method how api returns onlyWith encoding recursive");

function readSlot(text: string): Slot | "last" {
  if (text === "self" || text === "all" || text === "last") return text;
  const [place = "", ...names] = text.split(",");
  return [Number(place), ...names];
}

function readSource(text: string): DataSource {
  const [type, kind, name = ""] = text.split("/");
  if (type === "secret") return { type, secret: kind as SecretKind, name: name.replace("_", " ") };
  if (type === "capture") return { type, what: kind as Extract<DataSource, { type: "capture" }>["what"] };
  return { type: type as "system" | "input" };
}

function expand(name: string): readonly string[] {
  const braces = /^([^{]*)\{([^}]*)\}(.*)$/.exec(name);
  if (braces === null) return [name];
  const [, before = "", inside = "", after = ""] = braces;
  return inside.split(",").map((part) => `${before}${part}${after}`);
}
