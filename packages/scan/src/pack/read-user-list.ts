import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { fieldOf } from "@skillet/kit/json";
import { type Located, type Locator, locatorOf, plainValue } from "@skillet/kit/located";
import { array, lenient, readDocument, type Schema, scalar } from "@skillet/kit/schema";
import * as yaml from "yaml";
import { type DataNode, type DataReading, entriesOf } from "../analyse/data/data-node.ts";
import { readYaml } from "../analyse/data/read-yaml.ts";
import { lastAtMost, lineStarts } from "../text/line-index.ts";

export interface UserList<Item> {
  /** The key of the list, and what a fault says about its items. */
  readonly key: string;
  readonly itemHint: string;
  readonly codes: {
    readonly tooLarge: string;
    readonly invalid: string;
    /** Of a fault that has no code of its own. */
    readonly field: string;
    readonly unknownKey: string;
  };
  readonly maxItems?: number;
  readonly mayBeEmpty?: boolean;
  item(locate: Locator): Schema<Item>;
}

const MAX_CHARACTERS = 256 * 1024;
const MAX_DIAGNOSTICS = 100;

/** Reads the items of a list; a faulty one is left out and reported, and the others are still read. */
export function readUserList<Item>(
  text: string,
  file: string,
  list: UserList<Item>,
): { readonly items: readonly Item[]; readonly diagnostics: readonly Diagnostic[] } {
  const { key, codes, itemHint, maxItems = Number.POSITIVE_INFINITY } = list;
  const fail = (code: string, message: string, hint: string, range: Range = { line: 1, column: 1 }) => ({
    items: [],
    diagnostics: [{ code, severity: "error" as const, message, file, range, hint }],
  });
  if (text.length > MAX_CHARACTERS)
    return fail(
      codes.tooLarge,
      `the file has more than ${MAX_CHARACTERS} characters`,
      "split it, or remove entries",
    );
  const reading = readYaml(text);
  const placeOf = placesIn(text);
  if (reading.fault !== undefined)
    return fail(
      codes.invalid,
      reading.fault,
      "correct the YAML there: quotes and brackets in pairs, lists and keys indented alike",
      placeOf(faultOffset(text, reading)),
    );
  const root = locatedOf(reading.root, placeOf);
  const items = fieldOf(plainValue(root), key);
  if (items === undefined && list.mayBeEmpty === true && text.trim() === "")
    return { items: [], diagnostics: [] };
  if (!Array.isArray(items))
    return fail(
      codes.invalid,
      `there is no list \`${key}\``,
      `write \`${key}:\` and below it a list, ${itemHint}`,
    );
  if (items.length > maxItems)
    return fail(codes.tooLarge, `there are more than ${maxItems} ${key}`, "split the file");
  const locate = locatorOf(root);
  const schema: Schema<readonly Item[]> = (value, inner) =>
    inner.inside(key, array(lenient(list.item(locate))), value);
  // The text is bounded; whatever is faulty, the other items still count.
  const options = { format: "yaml", maxFaults: Number.POSITIVE_INFINITY } as const;
  const { value, faults } = readDocument(schema, items, options);
  const diagnostics = faults.slice(0, MAX_DIAGNOSTICS).map((fault): Diagnostic => {
    const isUnknown = fault.kind === "unknown-key";
    const range = locate(fault.path, fault.part);
    return {
      code: fault.code ?? (isUnknown ? codes.unknownKey : codes.field),
      severity: isUnknown ? "warning" : "error",
      message: isUnknown ? `${fault.message}, so it has no effect` : fault.message,
      file,
      range: range ?? { line: 1, column: 1 },
      ...(fault.hint !== undefined && { hint: fault.hint }),
    };
  });
  return { items: value ?? [], diagnostics };
}

export const trimmedText: Schema<string> = scalar("text", (value) =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined,
);

// Keys in any case, as everywhere in data that is scanned; of one that is there twice the last counts.
function locatedOf(node: DataNode, placeOf: (offset: number) => Range): Located {
  if (node.kind === "scalar")
    return { kind: "scalar", value: node.text === "" ? null : node.text, range: placeOf(node.start) };
  const [first] = entriesOf(node);
  const range = first && { range: placeOf(first.keyStart) };
  if (node.kind === "list")
    return { kind: "list", items: node.items.map((item) => locatedOf(item, placeOf)), ...range };
  const entries = node.entries.map(({ key, keyStart, value }) => ({
    key: key.toLowerCase(),
    keyRange: placeOf(keyStart),
    value: locatedOf(value, placeOf),
  }));
  return { kind: "map", entries, ...range };
}

function placesIn(text: string): (offset: number) => Range {
  const starts = lineStarts(text);
  return (offset) => {
    const line = lastAtMost(starts, offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

// A text that reached a bound, such as one of depth, is not given to the library a second time.
function faultOffset(text: string, { limit }: DataReading): number {
  if (limit !== undefined) return 0;
  const options = { strict: false, uniqueKeys: false, logLevel: "silent", prettyErrors: false } as const;
  const [fault] = yaml.parseDocument(text, { ...options, schema: "failsafe" }).errors;
  return Math.min(fault?.pos[0] ?? 0, text.length);
}
