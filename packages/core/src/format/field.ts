import type { FaultList } from "./fault-list.ts";
import { EMPTY_LIST } from "./manifest.ts";
import { isRawMap, parseJsonMap, type RawMap, type RawValue } from "./raw-header.ts";

/** The text of a scalar without surrounding white space; undefined if it is empty or not a scalar. */
export function toText(value: RawValue | undefined): string | undefined {
  if (value === null || value === undefined || typeof value === "object") return undefined;
  const text = typeof value === "string" ? value.trim() : String(value);
  return text === "" ? undefined : text;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "0"].map((word) => [word, false] as const),
]);

/** Reads a scalar as a boolean, in any of the spellings that headers use. */
export function booleanOf(value: unknown): boolean | undefined {
  return BOOLEANS.get(toText(value as RawValue | undefined)?.toLowerCase() ?? "");
}

/** One value of a header. Its readers accept what they can, and report the rest at its path. */
export class Field {
  readonly value: RawValue | undefined;
  readonly path: string;
  readonly faults: FaultList;

  constructor(value: RawValue | undefined, path: string, faults: FaultList) {
    this.value = value;
    this.path = path;
    this.faults = faults;
  }

  at(key: string): Field {
    return new Field(isRawMap(this.value) ? this.value[key] : undefined, `${this.path}.${key}`, this.faults);
  }

  /** The value of the first of several keys that exists; its faults are reported at this field. */
  pick(...keys: readonly string[]): Field {
    const map: RawMap = isRawMap(this.value) ? this.value : {};
    const key = keys.find((name) => map[name] !== undefined);
    return this.holding(key === undefined ? undefined : map[key]);
  }

  holding(value: RawValue | undefined): Field {
    return new Field(value, this.path, this.faults);
  }

  get items(): readonly RawValue[] {
    const { value } = this;
    if (value === null || value === undefined) return EMPTY_LIST;
    return Array.isArray(value) ? (value as readonly RawValue[]) : [value];
  }

  text(): string | undefined {
    return toText(this.value);
  }

  /** A text; a list of scalars is joined, and any other list or map is rejected with a warning. */
  joined(): string | undefined {
    const { value } = this;
    if (typeof value !== "object" || value === null) return toText(value);
    const joined = Array.isArray(value)
      ? toText(value.map((item) => toText(item) ?? "").join(" "))
      : undefined;
    return joined ?? this.reject("text");
  }

  flag(): boolean | undefined {
    const { value, path } = this;
    if (typeof value === "boolean") return value;
    if (value === null || value === undefined) return undefined;
    const flag = booleanOf(value);
    if (flag === undefined) return this.reject("true or false");
    const message = `The value of ${path} is text that stands for ${flag}.`;
    const hint = `Write ${flag} without quotes.`;
    this.faults.addAtKey({ code: "boolean-spelling", severity: "info", message, hint }, path);
    return flag;
  }

  /** Texts, from a list or from one text that is split at spaces and commas outside brackets. */
  list(): readonly string[] {
    return this.#texts("spaces-and-commas");
  }

  /** Texts, from a list or from one text that is split at commas only. */
  phrases(): readonly string[] {
    return this.#texts("commas");
  }

  map(): RawMap | undefined {
    if (isRawMap(this.value)) return this.value;
    return this.value === null || this.value === undefined ? undefined : this.reject("a map");
  }

  /** A map, or the map in a text of JSON; anything else is ignored. */
  block(): Field {
    return typeof this.value === "string" ? this.holding(parseJsonMap(this.value)) : this;
  }

  reject(expected: string): undefined {
    const message = `The value of ${this.path} is not ${expected}, and is left out.`;
    const hint = `Write ${expected} there, or remove the key.`;
    this.faults.addAtKey({ code: "invalid-value", severity: "warning", message, hint }, this.path);
  }

  #texts(separators: Separators): readonly string[] {
    const { value } = this;
    if (value === null || value === undefined) return EMPTY_LIST;
    if (!Array.isArray(value)) {
      if (typeof value !== "object") return splitList(String(value), separators);
      this.reject("a list");
      return EMPTY_LIST;
    }
    // Nearly every list has only plain texts and is returned unchanged.
    if (value.every(isPlainText)) return value as readonly string[];
    if (value.some((item) => typeof item === "object" && item !== null)) this.reject("a list of texts");
    return value.map(toText).filter((text) => text !== undefined);
  }
}

function isPlainText(item: RawValue): boolean {
  return (
    typeof item === "string" &&
    item !== "" &&
    item.charCodeAt(0) > 0x20 &&
    item.charCodeAt(item.length - 1) > 0x20
  );
}

type Separators = "spaces-and-commas" | "commas";

/** Ignores separators inside brackets: `Bash(git add:*), Read` has two parts. */
export function splitList(text: string, at: Separators = "spaces-and-commas"): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (const end of [...separatorsIn(text, at), text.length]) {
    const part = text.slice(start, end).trim();
    if (part !== "") parts.push(part);
    start = end + 1;
  }
  return parts;
}

export function separatorsIn(text: string, at: Separators): readonly number[] {
  const places: number[] = [];
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? "";
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && (character === "," || (at !== "commas" && character.trim() === "")))
      places.push(index);
  }
  return places;
}

export function checkLength(text: string, limit: number, key: string, faults: FaultList): void {
  if (text.length <= limit) return;
  const length = [...text].length;
  if (length <= limit) return;
  const message = `The ${key} has ${length} characters; at most ${limit} are allowed.`;
  const hint = `Shorten it to ${limit} characters; details belong in the body.`;
  faults.addUnlessLenient({ code: `${key}-too-long`, message, hint }, key);
}
