import type { DataSource, SecretKind, Sink } from "../../fact/fact.ts";
import { classifyVariable } from "../../secret/classify-path.ts";
import { wordSet, words } from "../../word-list.ts";
import type { Encoding } from "./decode-constant.ts";
import type { Site } from "./machine.ts";
import { HOLE, knownText, taintsOf, UNKNOWN, unionTaints, type Value } from "./value.ts";

export function namedValue(table: ApiTable, name: string): Value {
  const api = table.aliases.get(name) ?? name;
  const value = table.values.get(api);
  if (value === undefined) return { api, taints: [] };
  if (typeof value === "string") return { api, text: value, taints: [] };
  return { api, taints: [{ source: value, steps: [], isDirect: true }] };
}

export function freeName(table: ApiTable, name: string): Value {
  if (table.globals.has(name)) return { api: name, taints: [] };
  const isKnown =
    table.roots === "any" ||
    table.roots.has(name) ||
    table.effects.has(name) ||
    table.values.has(name) ||
    BUILT_IN_NAMES.has(name);
  return isKnown ? namedValue(table, name) : UNKNOWN;
}

export function memberOf(
  site: Site,
  object: Value,
  property: string,
  how: "plain" | "built" = "plain",
): Value {
  const field = object.box?.fields?.get(property);
  if (field !== undefined) {
    if (field.closure?.takesOwner === true && object.box?.isClass !== true)
      return { ...field, closure: { ...field.closure, owner: object } };
    return field;
  }
  const isDisguised = how === "built" || object.isDisguised === true;
  if (object.api !== undefined) return apiMember(site, object, object.api, property, isDisguised);
  if (property === "constructor" && site.machine.language === "javascript")
    return object.property === "constructor" || object.closure !== undefined
      ? { api: "Function", taints: [], isDisguised: true }
      : { subject: object, property, taints: [] };
  if (property === "length") {
    const length = object.text === undefined ? object.box?.items?.length : knownText(object)?.length;
    return length === undefined ? UNKNOWN : { number: length, taints: [] };
  }
  return { subject: object, property, taints: taintsOf(object), maker: object.maker };
}

function apiMember(site: Site, object: Value, api: string, property: string, isDisguised: boolean): Value {
  const table = site.machine.api;
  if (table.environments.has(api) && !MAPPING_METHODS.has(property)) return environmentValue(site, property);
  if (property === "__dict__" && table.globals.has(api)) return object;
  if (table.globals.has(api))
    return table.globals.has(property)
      ? { api: property, taints: [], isDisguised }
      : { ...namedValue(table, property), isDisguised };
  const found = namedValue(table, `${api}.${property}`);
  const taints = unionTaints(found.taints, taintsOf(object));
  // Most values are members: listing the fields is several times as fast as a spread.
  return { api: found.api, text: found.text, subject: object, property, taints, isDisguised };
}

const MAPPING_METHODS: ReadonlySet<string> = wordSet(`
  get items keys values copy pop setdefault update hasOwnProperty __getitem__
  fetch to_h to_a to_hash map each inspect to_json select filter collect reject sort entries to_s dup clone
`);
const BUILT_IN_NAMES: ReadonlySet<string> = wordSet(`
  pow abs divmod sorted dict str itertools operator math chr ord map filter reversed zip enumerate range
  int float sum min max codecs functools String Buffer Object Array Reflect bytes bytearray str parseInt
  Number globals locals vars Uint8Array
`);

/** The value of an environment variable: the home folder as `~`, others unknown, with secrets marked. */
export function environmentValue(site: Site, name: string): Value {
  if (name === "HOME" || name === "USERPROFILE") return { text: "~", taints: [] };
  if (name === "TMPDIR" || name === "TEMP" || name === "TMP") return { text: "/tmp", taints: [] };
  if (name === "APPDATA" || name === "LOCALAPPDATA") return { text: `~/AppData/${HOLE}`, taints: [] };
  site.act({ type: "environment", name });
  if (IDENTITIES.has(name)) return { text: HOLE, taints: [site.taint({ type: "system" })] };
  const secret = classifyVariable(name);
  if (secret === undefined) return { text: HOLE, taints: [] };
  return { text: HOLE, taints: [site.taint({ type: "secret", secret, name })] };
}

const IDENTITIES: ReadonlySet<string> = new Set(["USER", "USERNAME", "LOGNAME", "HOSTNAME", "COMPUTERNAME"]);

/** Which argument: its position and names; the receiver; the last; or all of them as a list. */
export type Slot = readonly [number, ...string[]] | "self" | "all" | "last";

export type NetworkHow = Extract<Sink, { readonly type: "network" }>["how"];

/** A function's effect by its row of the table, with the arguments by their roles. */
export interface ApiEffect extends Readonly<Partial<Record<PlaceSlot | DataSlot, Slot | undefined>>> {
  readonly does: string;
  readonly how?: NetworkHow;
  readonly method?: "get" | "send" | "by-argument";
  /** The kind of its result, such as `http.client`, which decides how later calls are read. */
  readonly returns?: string;
  readonly api?: string;
  /** The option without which the argument is the path of a file. */
  readonly onlyWith?: string;
  readonly safeWith?: readonly string[];
  /** Whether it gets the file or the address of the code. */
  readonly loads?: "yes";
  readonly memory?: "yes";
  readonly append?: "yes";
  /** Whether it returns all variables if no name is given. */
  readonly whole?: "yes";
  readonly recursive?: "yes" | "no" | "by-option";
  readonly text?: string;
  readonly source?: DataSource;
  readonly encoding?: Encoding;
}

type PlaceSlot = "url" | "to" | "path" | "from" | "target" | "subject" | "address" | "pattern";
type DataSlot = "data" | "command" | "arguments" | "input" | "code" | "name" | "object" | "value" | "mode";

export interface ApiTable {
  readonly effects: ReadonlyMap<string, ApiEffect>;
  /** Methods so specific that they count on objects of unknown kind. */
  readonly methods: ReadonlyMap<string, ApiEffect>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly environments: ReadonlySet<string>;
  /** Objects whose members are the names that need no import. */
  readonly globals: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, DataSource | string>;
  /** First parts of names that mean a module even without an import, as in a snippet. */
  readonly roots: ReadonlySet<string> | "any";
}

/**
 * Reads a table of effects: the effect with its options, a colon, and the functions that have it, continued
 * on indented lines. `fs.{rm,rmSync}` is two names, `url=0,uri` the first argument or the one named `uri`.
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
  const read = options.map((option) => {
    const [key = "", value = ""] = option.split("=");
    return [key, optionValue(key, value)];
  });
  return { does, ...Object.fromEntries(read) };
}

function optionValue(key: string, value: string): unknown {
  if (PLAIN_OPTIONS.has(key)) return value;
  if (key === "safeWith") return value.split(",");
  if (key === "text") return value === '""' ? "" : value.replace("*", HOLE);
  return key === "source" ? readSource(value) : readSlot(value);
}

const PLAIN_OPTIONS = wordSet("loads method how api returns onlyWith encoding recursive append memory whole");

function readSlot(text: string): Slot {
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
