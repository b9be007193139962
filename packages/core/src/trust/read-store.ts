import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { locateJson } from "@skillet/kit/json";
import { locatorOf } from "@skillet/kit/located";
import { readDocument, type Schema } from "@skillet/kit/schema";

/** A file in which Skillet keeps a person's decisions. */
export interface StoreFormat<Value> {
  readonly schema: Schema<Value>;
  readonly maxBytes: number;
  /** Of the error for a store that cannot be understood: its code, and what follows from it. */
  readonly errorCode: string;
  readonly consequence: string;
  readonly remedy: string;
}

/** Reads a store, or undefined where there is none yet. One that cannot be understood is an error and left as it is. */
export function readStore<Value>(file: string, format: StoreFormat<Value>): Value | undefined {
  try {
    const bytes = readBoundedFile(file, { maxBytes: format.maxBytes });
    return bytes === undefined ? undefined : parseStore(decode(bytes), format.schema);
  } catch (error) {
    if (!SkilletError.isInstance(error) && !(error instanceof SyntaxError)) throw error;
    const { errorCode, consequence, remedy } = format;
    const message = `${file} cannot be used, so ${consequence}: ${error.message} ${remedy}`;
    throw new SkilletError(errorCode, message, { data: { file, problem: error.message }, cause: error });
  }
}

/** Throws a SyntaxError that says what is wrong with the text of a store, and where. */
export function parseStore<Value>(text: string, schema: Schema<Value>): Value {
  const { value, faults } = readDocument(schema, parse(text), { name: "the store", maxFaults: 1 });
  if (value !== undefined && faults.length === 0) return value;
  const [fault] = faults;
  const located = locateJson(text);
  const range = fault && "root" in located ? locatorOf(located.root)(fault.path, fault.part) : undefined;
  throw new SyntaxError(`In line ${range?.line ?? 1}, ${fault?.message}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`It is not JSON (${(error as Error).message}).`, { cause: error });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SyntaxError("It is not UTF-8 text.", { cause: error });
  }
}
