import { callInvalid } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";

// Hosts pass on what a model wrote, so the type of every value is checked before it is used.

export function checkedOptions<Options extends object>(options: Options | null | undefined): Options {
  if (options === undefined || options === null) return {} as Options;
  if (typeof options !== "object") throw callInvalid("The options argument", "an object");
  return options;
}

/** Options without null fields: OpenAI's strict mode sends null for every optional field. */
export function givenOptions<Options extends object>(given: Options | null | undefined): Options {
  const options = checkedOptions(given);
  const nulls = Object.entries(options).filter(([, value]) => value === null);
  if (nulls.length === 0) return options;
  return { ...options, ...Object.fromEntries(nulls.map(([key]) => [key, undefined])) };
}

export function givenText(value: unknown, what: string, wanted = "a text"): string {
  if (typeof value === "string") return value;
  throw callInvalid(what, wanted);
}

export function givenTexts(value: unknown, what: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw callInvalid(what, "a list of texts, or leave it out");
}

/** A text for a record; empty for anything else, because an object's own toString may throw. */
export function textOrNothing(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A value for a message; an object that a model passed may return anything from toString. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return quoteName(value.slice(0, 40));
  return typeof value === "object" && value !== null ? "an object" : String(value).slice(0, 40);
}

/** Undefined if it is not JSON: circular, a big integer, a function, or nested too deep for the stack. */
export function toJson(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    // A getter or `toJSON` of the input may throw anything.
    return undefined;
  }
}
