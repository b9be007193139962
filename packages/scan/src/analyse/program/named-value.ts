import type { DataSource } from "../../fact/data-source.ts";
import { classifyVariable } from "../../secret/classify-path.ts";
import { wordSet } from "../../word-list.ts";
import type { ApiTable } from "./api.ts";
import type { Machine } from "./machine.ts";
import type { Span } from "./program-tree.ts";
import { HOLE, knownText, type Taint, taintsOf, UNKNOWN, unionTaints, type Value } from "./value.ts";

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
    table.roots.has(name) || table.effects.has(name) || table.values.has(name) || BUILT_IN_NAMES.has(name);
  return isKnown ? namedValue(table, name) : UNKNOWN;
}

export function memberOf(
  machine: Machine,
  object: Value,
  property: string,
  place: { readonly span: Span; readonly how: "plain" | "built" },
): Value {
  const field = object.box?.fields?.get(property);
  if (field !== undefined) {
    if (field.closure?.takesOwner === true && object.box?.isClass !== true)
      return { ...field, closure: { ...field.closure, owner: object } };
    return field;
  }
  const isDisguised = place.how === "built" || object.isDisguised === true;
  if (object.api !== undefined)
    return apiMember(machine, object, object.api, property, place.span, isDisguised);
  if (property === "constructor" && machine.language === "javascript")
    return object.property === "constructor" || object.closure !== undefined
      ? { api: "Function", taints: [], isDisguised: true }
      : { subject: object, property, taints: [] };
  if (property === "length") {
    const length = object.text === undefined ? object.box?.items?.length : knownText(object)?.length;
    return length === undefined ? UNKNOWN : { number: length, taints: [] };
  }
  const { maker } = object;
  const taints = taintsOf(object);
  return maker === undefined
    ? { subject: object, property, taints }
    : { subject: object, property, taints, maker };
}

function apiMember(
  machine: Machine,
  object: Value,
  api: string,
  property: string,
  span: Span,
  isDisguised: boolean,
): Value {
  if (machine.api.environments.has(api) && !MAPPING_METHODS.has(property))
    return environmentValue(machine, property, span);
  const disguise = isDisguised ? { isDisguised } : {};
  if (property === "__dict__" && machine.api.globals.has(api)) return object;
  if (machine.api.globals.has(api))
    return machine.api.globals.has(property)
      ? { api: property, taints: [], ...disguise }
      : { ...namedValue(machine.api, property), ...disguise };
  const found = namedValue(machine.api, `${api}.${property}`);
  const taints = unionTaints(found.taints, taintsOf(object));
  if (isDisguised) return { ...found, subject: object, property, taints, isDisguised };
  // Members are most of all values: written out, one takes a part of the time that a spread takes.
  const { api: name = api, text } = found;
  return text === undefined
    ? { api: name, subject: object, property, taints }
    : { api: name, text, subject: object, property, taints };
}

const MAPPING_METHODS: ReadonlySet<string> = wordSet(`
  get items keys values copy pop setdefault update hasOwnProperty __getitem__
`);
const BUILT_IN_NAMES: ReadonlySet<string> = wordSet(`
  pow abs divmod sorted dict str itertools operator math chr ord map filter reversed zip enumerate range
  int float sum min max codecs functools String Buffer Object Array Reflect bytes bytearray str parseInt
  Number globals locals vars Uint8Array
`);

/** The value of an environment variable: the home folder by its sign, anything else unknown, secrets marked. */
export function environmentValue(machine: Machine, name: string, span: Span): Value {
  if (name === "HOME" || name === "USERPROFILE") return { text: "~", taints: [] };
  if (name === "TMPDIR" || name === "TEMP" || name === "TMP") return { text: "/tmp", taints: [] };
  if (name === "APPDATA" || name === "LOCALAPPDATA") return { text: `~/AppData/${HOLE}`, taints: [] };
  machine.recorder.act(span, { type: "environment", name });
  if (IDENTITIES.has(name)) return { text: HOLE, taints: [taintOf(machine, span, { type: "system" })] };
  const secret = classifyVariable(name);
  if (secret === undefined) return { text: HOLE, taints: [] };
  return { text: HOLE, taints: [taintOf(machine, span, { type: "secret", secret, name })] };
}

const IDENTITIES: ReadonlySet<string> = new Set(["USER", "USERNAME", "LOGNAME", "HOSTNAME", "COMPUTERNAME"]);

function taintOf(machine: Machine, span: Span, source: DataSource): Taint {
  return { source, steps: [machine.recorder.step(span)], isDirect: true };
}
