/** An object of a JSON document that somebody else wrote. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads bytes as a JSON object; undefined for anything else, with nothing thrown. */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  return asObject(parseJsonValue(bytes));
}

/** Reads bytes as JSON; undefined for anything else, with nothing thrown. */
export function parseJsonValue(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The value as an object, if it is one. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** The text under a key, if there is one of its own. */
export function textOf(object: JsonObject | undefined, key: string): string | undefined {
  const value = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The texts under a key, which may hold one or a list. */
export function textsOf(object: JsonObject | undefined, key: string): readonly string[] {
  const value = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
