import { classifyVariable } from "../../secret/classify-path.ts";
import { wordSet } from "../../word-list.ts";
import type { ApiTable } from "./api.ts";
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
    table.roots.has(name) || table.effects.has(name) || table.values.has(name) || BUILT_IN_NAMES.has(name);
  return isKnown ? namedValue(table, name) : UNKNOWN;
}

/** What a name means in an object; one that was put together is a disguise. */
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
  // Members are most of all values: written out, one takes a part of the time that a spread takes.
  return { api: found.api, text: found.text, subject: object, property, taints, isDisguised };
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
