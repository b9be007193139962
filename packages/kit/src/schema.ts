import type { Severity } from "./diagnostics.ts";
import type { Digest } from "./digest.ts";
import { isJsonObject, isTooDeep } from "./json.ts";
import type { Path } from "./located.ts";
import { nearestName } from "./nearest-name.ts";
import { quoteName, showName } from "./text.ts";

/** One fault of a document. The caller adds a code, a severity and, through a `Locator`, a position. */
export interface Fault {
  readonly kind: "invalid" | "missing" | "unknown-key";
  /** The path of the faulty value; if a key is missing, of the object that lacks it. */
  readonly path: Path;
  readonly part: "key" | "value";
  /** A clause that begins with the path: "`skills.0` must be text, but is 3". */
  readonly message: string;
  readonly hint?: string;
  /** The diagnostic's code and severity, in documents whose faults have different ones. */
  readonly code?: string;
  readonly severity?: Severity;
}

/**
 * Reads one value of a document. Returns undefined if it is faulty, after reporting why.
 *
 * A value that needs no change is returned itself, not a copy: documents can contain 100,000 entries.
 */
export interface Schema<Value> {
  (value: unknown, reading: Reading): Value | undefined;
  readonly absence?: "allowed";
  readonly onFault?: "drop";
}

export interface OptionalSchema<Value> extends Schema<Value> {
  readonly absence: "allowed";
}

/** A schema for every key of a type: a key that the type gains does not compile until it is added here. */
export type Fields<Value extends object> = {
  readonly [Key in keyof Value]-?: Pick<Value, Key> extends Required<Pick<Value, Key>>
    ? Schema<Value[Key]>
    : OptionalSchema<Exclude<Value[Key], undefined>>;
};

export interface ReadOptions {
  /** The name of the whole document in messages. */
  readonly name?: string;
  /** In YAML an empty value counts as absent, and objects are called maps. */
  readonly format?: "json" | "yaml";
  /** Reading stops at this number: every value can be wrong, and the first few faults show why. */
  readonly maxFaults?: number;
}

const MAX_FAULTS = 20;
const MAX_SHOWN_CHARACTERS = 60;
// A key can be as long as the whole file.
const MAX_PATH_CHARACTERS = 200;

/** Checks a document. With faults, `value` is the rest of it or undefined; beyond `maxFaults`, undefined. */
export function readDocument<Value>(
  schema: Schema<Value>,
  document: unknown,
  options: ReadOptions = {},
): { readonly value: Value | undefined; readonly faults: readonly Fault[] } {
  const reading = new Reading(options);
  const value = reading.isUnset(document) ? undefined : schema(document, reading);
  // JSON has no undefined.
  if (document === undefined && options.format !== "yaml") reading.fault("is not JSON");
  return { value: reading.isCut ? undefined : value, faults: reading.faults };
}

export class Reading {
  readonly faults: Fault[] = [];
  /** Whether a part was not read. It must not pass for absent, so then the whole document is void. */
  isCut = false;
  readonly #path: (string | number)[] = [];
  readonly #options: ReadOptions;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  get path(): Path {
    return [...this.#path];
  }

  get isFull(): boolean {
    return this.faults.length >= (this.#options.maxFaults ?? MAX_FAULTS);
  }

  inside<Value>(key: string | number, schema: Schema<Value>, value: unknown): Value | undefined {
    this.isCut ||= this.isFull;
    if (this.isCut) return undefined;
    this.#path.push(key);
    const result = schema(value, this);
    this.#path.pop();
    return result;
  }

  isUnset(value: unknown): boolean {
    return value === undefined || (value === null && this.#options.format === "yaml");
  }

  /** Reports the current value; `clause` follows its path. */
  fault(clause: string, options: Partial<Omit<Fault, "path" | "message">> = {}): undefined {
    if (this.isFull) return;
    const message = `${this.#describePath()} ${clause}`;
    this.faults.push({ kind: "invalid", part: "value", ...options, path: this.path, message });
  }

  faultAt(key: string | number, clause: string, options?: Parameters<Reading["fault"]>[1]): undefined {
    return this.inside(key, (_, reading) => reading.fault(clause, options), undefined);
  }

  refuse(value: unknown, expected: string, hint: string = `make it ${expected}`): undefined {
    return this.fault(`must be ${expected}, but is ${this.#describe(value)}`, { hint });
  }

  refuseObject(value: unknown, hint?: string): undefined {
    return this.refuse(value, this.#object, hint);
  }

  lacks(key: string, hint: string = `add \`${key}\``): undefined {
    return this.fault(`has no \`${key}\``, { kind: "missing", hint });
  }

  get #object(): string {
    return this.#options.format === "yaml" ? "a map" : "an object";
  }

  #describe(value: unknown): string {
    if (Array.isArray(value)) return "a list";
    if (typeof value === "object" && value !== null) return this.#object;
    if (typeof value !== "string") return String(value).slice(0, MAX_SHOWN_CHARACTERS);
    const isLong = value.length > MAX_SHOWN_CHARACTERS;
    return quoteName(isLong ? `${value.slice(0, MAX_SHOWN_CHARACTERS)}…` : value);
  }

  #describePath(): string {
    if (this.#path.length === 0) return this.#options.name ?? "the document";
    const steps = this.#path.map((step) =>
      `${step}`.includes(".") ? quoteName(`${step}`) : showName(`${step}`),
    );
    const text = steps.join(".");
    return `\`${text.length > MAX_PATH_CHARACTERS ? `${text.slice(0, MAX_PATH_CHARACTERS)}…` : text}\``;
  }
}

/** A value that `accept` converts, or refuses by returning undefined. */
export function scalar<Value>(
  expected: string,
  accept: (value: unknown) => Value | undefined,
  hint?: string,
): Schema<Value> {
  return (value, reading) => accept(value) ?? reading.refuse(value, expected, hint);
}

export const text: Schema<string> = scalar("text", (value) =>
  typeof value === "string" ? value : undefined,
);

export const filledText: Schema<string> = scalar("text that is not empty", (value) =>
  typeof value === "string" && value !== "" ? value : undefined,
);

export const flag: Schema<boolean> = scalar(
  "true or false",
  (value) => (typeof value === "boolean" ? value : undefined),
  "write true or false",
);

export const time: Schema<string> = scalar(
  "a time",
  (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
      ? value
      : undefined,
  'write it like "2026-01-05T10:30:00Z"',
);

export const digest: Schema<Digest> = scalar("sha256: and 64 hexadecimal digits", (value) =>
  isDigest(value) ? value : undefined,
);

export function isDigest(value: unknown): value is Digest {
  return typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
}

export function matching(pattern: RegExp, expected: string, hint?: string): Schema<string> {
  return scalar(
    expected,
    (value) => (typeof value === "string" && pattern.test(value) ? value : undefined),
    hint,
  );
}

export function wholeNumber(
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
  options: { readonly unit?: string; readonly hint?: string } = {},
): Schema<number> {
  const unit = options.unit === undefined ? "" : ` of ${options.unit}`;
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? `${minimum} up` : `${minimum} to ${maximum}`;
  return scalar(
    `a whole number${unit} from ${bounds}`,
    (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= minimum && value <= maximum
        ? value
        : undefined,
    options.hint,
  );
}

/** One of a few values; for a misspelled text, the hint names the nearest one. */
export function oneOf<Choice extends string | number | boolean>(choices: readonly Choice[]): Schema<Choice> {
  const expected = choices.length === 1 ? JSON.stringify(choices[0]) : `one of ${choices.join(", ")}`;
  return (value, reading) => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    const near = typeof value === "string" ? nearestName(value, choices.map(String)) : undefined;
    return reading.refuse(
      value,
      expected,
      near === undefined ? `write ${expected}` : `did you mean ${near}?`,
    );
  };
}

export function optional<Value>(schema: Schema<Value>): OptionalSchema<Value> {
  const read: Schema<Value> = (value, reading) => schema(value, reading);
  return Object.assign(read, { absence: "allowed" as const });
}

/** A faulty value is reported and left out, without making its parent faulty. */
export function lenient<Value>(schema: Schema<Value>): OptionalSchema<Value> {
  return Object.assign(optional(schema), { onFault: "drop" as const });
}

/** Continues with an accepted value; `read` may replace it, or report a fault and return undefined. */
export function refine<Value, Result>(
  schema: Schema<Value>,
  read: (value: Value, reading: Reading) => Result | undefined,
): Schema<Result> {
  return (value, reading) => {
    const accepted = schema(value, reading);
    return accepted === undefined ? undefined : read(accepted, reading);
  };
}

export function array<Value>(
  item: Schema<Value>,
  options: { readonly maxItems?: number; readonly hint?: string } = {},
): Schema<readonly Value[]> {
  const { maxItems = Number.POSITIVE_INFINITY, hint } = options;
  return (value, reading) => {
    if (!Array.isArray(value)) return reading.refuse(value, "a list", hint);
    if (value.length > maxItems)
      return reading.fault(`has more than ${maxItems} entries`, { hint: hint ?? "remove some" });
    const items: Value[] = [];
    let [isFaulty, isChanged] = [false, false];
    for (let index = 0; index < value.length; index += 1) {
      const given: unknown = value[index];
      const read = reading.inside(index, reading.isUnset(given) ? emptyItem : item, given);
      if (read !== undefined) items.push(read);
      else if (item.onFault !== "drop") isFaulty = true;
      isChanged ||= read !== given;
    }
    if (isFaulty) return undefined;
    return isChanged ? items : (value as readonly Value[]);
  };
}

const emptyItem: Schema<never> = (_, reading) =>
  reading.fault("is empty", { hint: "remove it or give it a value" });

/** An object with arbitrary keys; the result has no prototype. `key` may replace a key, or refuse it. */
export function record<Value>(
  value: Schema<Value>,
  options: { readonly key?: Schema<string> } = {},
): Schema<Readonly<Record<string, Value>>> {
  return (given, reading) => {
    if (!isJsonObject(given)) return reading.refuseObject(given);
    const result: Record<string, Value> = Object.create(null);
    let isFaulty = false;
    for (const name of Object.keys(given)) {
      const item = given[name];
      if (reading.isUnset(item)) continue;
      const key = options.key === undefined ? name : reading.inside(name, options.key, name);
      const read = key === undefined ? undefined : reading.inside(name, value, item);
      if (key !== undefined && read !== undefined) result[key] = read;
      else if (value.onFault !== "drop") isFaulty = true;
    }
    return isFaulty ? undefined : result;
  };
}

/** What happens to unknown keys: `report` drops and reports them, `refuse` makes the object faulty. */
export type UnknownKeys = "keep" | "drop" | "report" | "refuse";

export function object<Value extends object>(
  fields: Fields<Value>,
  options: { readonly unknown?: UnknownKeys; readonly hint?: string } = {},
): Schema<Value> {
  const { unknown = "keep", hint } = options;
  const schemas: readonly (readonly [string, Schema<unknown>])[] = Object.entries<Schema<unknown>>(fields);
  const known = new Map(schemas);
  const required = schemas.filter(([, { absence }]) => absence === undefined).map(([key]) => key);
  const others = otherKeys(unknown, [...known.keys()]);
  return (given, reading) => {
    if (!isJsonObject(given)) return reading.refuseObject(given, hint);
    let changes: Map<string, unknown> | undefined;
    let isFaulty = false;
    for (const key of Object.keys(given)) {
      const schema = known.get(key) ?? others;
      const value = given[key];
      const isUnset = schema !== others && reading.isUnset(value);
      const read = isUnset ? undefined : reading.inside(key, schema, value);
      if (read === value) continue;
      changes ??= new Map();
      changes.set(key, read);
      if (read === undefined && !isUnset && schema.onFault !== "drop") isFaulty = true;
    }
    const missing = required.filter((key) => !Object.hasOwn(given, key) || reading.isUnset(given[key]));
    for (const key of missing) reading.lacks(key);
    if (isFaulty || missing.length > 0) return undefined;
    if (changes === undefined) return given as Value;
    // Without unknown keys all keys are ours, and an ordinary object is safe.
    return applyChanges(unknown === "keep" ? Object.create(null) : {}, given, changes) as Value;
  };
}

function applyChanges(
  result: Record<string, unknown>,
  given: Readonly<Record<string, unknown>>,
  changes: ReadonlyMap<string, unknown>,
): object {
  for (const key of Object.keys(given)) {
    const value = changes.has(key) ? changes.get(key) : given[key];
    if (value !== undefined) result[key] = value;
  }
  return result;
}

function otherKeys(unknown: UnknownKeys, known: readonly string[]): Schema<unknown> {
  if (unknown === "keep") return (value) => value;
  if (unknown === "drop") return lenient(() => undefined);
  const kind = unknown === "report" ? "unknown-key" : "invalid";
  const report: Schema<unknown> = (_, reading) => {
    const near = nearestName(String(reading.path.at(-1)), known);
    const hint = near === undefined ? "remove it, or check its spelling" : `did you mean \`${near}\`?`;
    return reading.fault("is not a known key", { kind, part: "key", hint });
  };
  return unknown === "report" ? lenient(report) : report;
}

/** An object whose keys may all be absent, and are left out if they are faulty. */
export function partial<Value extends object>(
  fields: { readonly [Key in keyof Value]-?: Schema<Exclude<Value[Key], undefined>> },
  options: { readonly unknown?: UnknownKeys } = {},
): Schema<Value> {
  const entries = Object.entries<Schema<unknown>>(fields).map(([key, schema]) => [key, lenient(schema)]);
  return object<Value>(Object.fromEntries(entries) as Fields<Value>, options);
}

/** An object of one of several kinds, chosen by its key `kind`. */
export function variant<Value extends { readonly kind: string }>(
  schemas: { readonly [Kind in Value["kind"]]: Schema<Extract<Value, { readonly kind: Kind }>> },
): Schema<Value> {
  const choice = oneOf(Object.keys(schemas) as Value["kind"][]);
  return (given, reading) => {
    if (!isJsonObject(given)) return reading.refuseObject(given);
    if (!Object.hasOwn(given, "kind")) return reading.lacks("kind");
    const { kind: named } = given;
    const kind = reading.inside("kind", choice, named);
    return kind === undefined ? undefined : schemas[kind](given, reading);
  };
}

export function anything(maxDepth: number): Schema<unknown> {
  return (value, reading) =>
    isTooDeep(value, maxDepth) ? reading.refuse(value, `a value of at most ${maxDepth} levels`) : value;
}
