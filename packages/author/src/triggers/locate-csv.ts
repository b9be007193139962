import type { Range } from "@skillet/kit/diagnostics";
import type { JsonFault } from "@skillet/kit/json";
import type { Located } from "@skillet/kit/located";

interface Field {
  readonly value: string;
  readonly range: Range;
}

/** Commas, semicolons or tabs part its columns; quotes are those of RFC 4180, where `""` is one quote. */
export function locateCsv(text: string): { readonly root: Located } | { readonly fault: JsonFault } {
  const [header = ""] = text.split(/[\r\n]/, 1);
  // The one that splits the header into most names; for a header of one column any will do.
  const count = (separator: string): number => header.split(separator).length;
  const separator = [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
  const plain = new RegExp(`[^${separator}\r\n]*`, "y");
  const records: Field[][] = [[]];
  let [line, lineStart, offset] = [1, 0, 0];
  while (offset <= text.length) {
    const range = { line, column: offset - lineStart + 1 };
    const isQuoted = text[offset] === '"';
    plain.lastIndex = offset;
    const end = isQuoted ? endOfQuotes(text, offset) : offset + (plain.exec(text)?.[0].length ?? 0);
    if (end === undefined) return { fault: { problem: "a quote is never closed", range } };
    const value = isQuoted ? text.slice(offset + 1, end - 1).replaceAll('""', '"') : text.slice(offset, end);
    records.at(-1)?.push({ value, range });
    // Only between quotes can a field go over lines.
    for (
      let at = text.indexOf("\n", offset);
      isQuoted && at !== -1 && at < end;
      at = text.indexOf("\n", at + 1)
    )
      [line, lineStart] = [line + 1, at + 1];
    const next = text[end];
    if (next !== undefined && ![separator, "\r", "\n"].includes(next)) {
      const after = { line, column: end - lineStart + 1 };
      return { fault: { problem: "there is text after a closing quote", range: after } };
    }
    offset = end + (text.startsWith("\r\n", end) ? 2 : 1);
    if (next === separator) continue;
    records.push([]);
    [line, lineStart] = [line + 1, offset];
  }
  return { root: { kind: "list", items: toMaps(records) } };
}

function endOfQuotes(text: string, start: number): number | undefined {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at === -1 ? undefined : at + 1;
}

function toMaps([header = [], ...records]: readonly (readonly Field[])[]): Located[] {
  return records
    .filter((fields) => fields.some(({ value }) => value.trim() !== ""))
    .map((fields) => ({
      kind: "map",
      entries: header.flatMap(({ value: name }, column) => {
        const field = fields[column];
        return field === undefined ? [] : [{ key: name.trim(), value: { kind: "scalar", ...field } }];
      }),
      ...(fields[0] && { range: fields[0].range }),
    }));
}
