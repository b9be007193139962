import { locateYaml } from "@skillet/core/internal";
import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { fieldOf } from "@skillet/kit/json";
import { type Locator, locatorOf, plainValue } from "@skillet/kit/located";
import { array, lenient, readDocument, type Schema, scalar } from "@skillet/kit/schema";

export interface UserList<Item> {
  readonly key: string;
  readonly itemHint: string;
  readonly codes: {
    readonly tooLarge: string;
    readonly invalid: string;
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
    diagnostics: [{ code, severity: "error" as const, message, file, range: startOf(range), hint }],
  });
  if (text.length > MAX_CHARACTERS)
    return fail(
      codes.tooLarge,
      `the file has more than ${MAX_CHARACTERS} characters`,
      "split it, or remove entries",
    );
  const { root, faults: yamlFaults } = locateYaml(text);
  const [broken] = yamlFaults;
  if (broken !== undefined) return fail(codes.invalid, broken.message, broken.hint, broken.range);
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
  // The text is bounded, and valid items still count beside faulty ones.
  const options = { format: "yaml", maxFaults: Number.POSITIVE_INFINITY } as const;
  const { value, faults } = readDocument(schema, items, options);
  const diagnostics = faults.slice(0, MAX_DIAGNOSTICS).map((fault): Diagnostic => {
    const isUnknown = fault.kind === "unknown-key";
    return {
      code: fault.code ?? (isUnknown ? codes.unknownKey : codes.field),
      severity: isUnknown ? "warning" : "error",
      message: isUnknown ? `${fault.message}, so it has no effect` : fault.message,
      file,
      range: startOf(locate(fault.path, fault.part) ?? { line: 1, column: 1 }),
      ...(fault.hint !== undefined && { hint: fault.hint }),
    };
  });
  return { items: value ?? [], diagnostics };
}

export const trimmedText: Schema<string> = scalar("text", (value) =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined,
);

function startOf({ line, column }: Range): Range {
  return { line, column };
}
