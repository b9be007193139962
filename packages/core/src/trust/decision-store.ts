import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { locateJson } from "@skillet/kit/json";
import { locatorOf } from "@skillet/kit/located";
import { compareByteOrder } from "@skillet/kit/order";
import { object, oneOf, readDocument, record, refine, type Schema } from "@skillet/kit/schema";

/** A file in a home that stores the user's decisions by key. */
export interface StoreFormat<Key extends string, Item> {
  readonly fileName: string;
  readonly version: number;
  /** The field of the document that contains the items, in byte order of their keys. */
  readonly field: string;
  readonly items: Schema<ReadonlyMap<Key, Item>>;
  /** Default: as an object. */
  toJson?(items: ReadonlyMap<Key, Item>): object;
  readonly maxBytes: number;
  /** The error for a store that cannot be parsed: its code, the consequence and the remedy. */
  readonly invalid: { readonly errorCode: string; readonly consequence: string; readonly remedy: string };
  readonly full: { readonly errorCode: string; readonly what: string; readonly remedy: string };
}

export function byKey<Key extends string, Item>(
  item: Schema<Item>,
  key: Schema<Key>,
): Schema<ReadonlyMap<Key, Item>> {
  return refine(record(item, { key }), (items) => new Map(Object.entries(items) as [Key, Item][]));
}

/** Reads a store; a missing one is empty. A store that cannot be parsed is an error and is left unchanged. */
export function readStore<Key extends string, Item>(
  home: string,
  format: StoreFormat<Key, Item>,
): { readonly file: string; readonly items: ReadonlyMap<Key, Item> } {
  const file = join(home, format.fileName);
  try {
    const bytes = readBoundedFile(file, { maxBytes: format.maxBytes });
    return { file, items: bytes === undefined ? new Map() : parseStore(bytes, format) };
  } catch (error) {
    if (!SkilletError.isInstance(error) && !(error instanceof SyntaxError)) throw error;
    const { errorCode, consequence, remedy } = format.invalid;
    const message = `${file} cannot be used, so ${consequence}: ${error.message} ${remedy}`;
    throw new SkilletError(errorCode, message, { data: { file, problem: error.message }, cause: error });
  }
}

export async function changeStore<Key extends string, Item>(
  home: string,
  format: StoreFormat<Key, Item>,
  change: (items: Map<Key, Item>) => void,
): Promise<void> {
  await ensureHome(home);
  const file = join(home, format.fileName);
  const rewrite = async (): Promise<void> => {
    const items = new Map(readStore(home, format).items);
    change(items);
    const text = formatStore(items, format);
    // A store too large for the reader would lose every decision.
    const { maxBytes, full } = format;
    if (Buffer.byteLength(text) > maxBytes) {
      const message = `${full.what} ${file} would grow beyond ${maxBytes} bytes; ${full.remedy}.`;
      throw new SkilletError(full.errorCode, message, { data: { file, maxBytes } });
    }
    await writeAtomic(file, text, { mode: 0o600 });
  };
  await withFileLock(`${file}.lock`, rewrite);
}

/** Removes an item; false if there was none, and then the home is not created either. */
export async function removeFromStore<Key extends string, Item>(
  home: string,
  format: StoreFormat<Key, Item>,
  key: Key,
): Promise<boolean> {
  if (!readStore(home, format).items.has(key)) return false;
  let had = false;
  await changeStore(home, format, (items) => {
    had = items.delete(key);
  });
  return had;
}

/** The text of a store; the same items always give the same bytes. */
export function formatStore<Key extends string, Item>(
  items: ReadonlyMap<Key, Item>,
  { version, field, toJson = Object.fromEntries }: StoreFormat<Key, Item>,
): string {
  const sorted = [...items].sort(([left], [right]) => compareByteOrder(left, right));
  return `${JSON.stringify({ version, [field]: toJson(new Map(sorted)) }, undefined, 2)}\n`;
}

/** Throws a SyntaxError that says what is wrong in the store's text, and where. */
export function parseStore<Key extends string, Item>(
  written: string | Uint8Array,
  { version, field, items }: StoreFormat<Key, Item>,
): ReadonlyMap<Key, Item> {
  const schema = object<Record<string, unknown>>(
    { version: oneOf([version]), [field]: items },
    { unknown: "refuse" },
  );
  const bytes = Buffer.from(written);
  if (!isUtf8(bytes)) throw new SyntaxError("It is not UTF-8 text.");
  const text = new TextDecoder().decode(bytes);
  const { value, faults } = readDocument(schema, parse(text), { name: "the store", maxFaults: 1 });
  if (value !== undefined && faults.length === 0) return value[field] as ReadonlyMap<Key, Item>;
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
