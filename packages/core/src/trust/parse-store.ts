import type { Digest } from "@skillet/kit/digest";

/** Reads the JSON of one of Skillet's stores, or throws a SyntaxError that says what is wrong. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw new SyntaxError("It is not UTF-8 text.", { cause: error });
    throw new SyntaxError(`It is not JSON (${(error as Error).message}).`, { cause: error });
  }
}

/** An object of a store; with `keys`, one that has no others. */
export function readObject(value: unknown, where: string, keys?: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SyntaxError(`${where} is not an object.`);
  const unknown = keys && Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new SyntaxError(`${where} has the unknown key ${JSON.stringify(unknown)}.`);
  return value as Record<string, unknown>;
}

/** Whether a value of a store is a digest. */
export function isDigest(value: unknown): value is Digest {
  return typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
}
