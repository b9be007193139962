import type { Range } from "@skillet/kit/diagnostics";
import type { JsonFault } from "@skillet/kit/json";
import type { Located } from "@skillet/kit/located";

/** Commas, semicolons or tabs part its columns; quotes are those of RFC 4180, where `""` is one quote. */
export function locateCsv(text: string): { readonly root: Located } | { readonly fault: JsonFault } {
  const separator = separatorOf(text.slice(0, text.search(/[\r\n]|$/)));
  const records: Field[][] = [];
  let record: Field[] = [];
  let line = 1;
  let lineStart = 0;
  let offset = 0;
  while (offset <= text.length) {
    const range = { line, column: offset - lineStart + 1 };
    const quoted = text[offset] === '"' ? quotedField(text, offset) : undefined;
    if (quoted === "open") return { fault: { problem: "a quote is never closed", range } };
    const end = quoted?.end ?? plainEnd(text, offset, separator);
    record.push({ value: quoted?.value ?? text.slice(offset, end), range });
    // Only between quotes can a field go over lines.
    const breaks = quoted === undefined ? [] : [...text.slice(offset, end).matchAll(/\n/g)];
    line += breaks.length;
    lineStart = breaks.length === 0 ? lineStart : offset + (breaks.at(-1)?.index ?? 0) + 1;
    const next = text[end];
    if (next !== undefined && next !== separator && next !== "\r" && next !== "\n")
      return {
        fault: {
          problem: "there is text after a closing quote",
          range: { line, column: end - lineStart + 1 },
        },
      };
    offset = end + (next === "\r" && text[end + 1] === "\n" ? 2 : 1);
    if (next === separator) continue;
    records.push(record);
    record = [];
    line += 1;
    lineStart = offset;
  }
  return { root: { kind: "list", items: toMaps(records) } };
}

interface Field {
  readonly value: string;
  readonly range: Range;
}

// The delimiter that splits the header into most names; for a header of one column any will do.
function separatorOf(header: string): string {
  const count = (separator: string): number => header.split(separator).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function quotedField(text: string, start: number): { readonly value: string; readonly end: number } | "open" {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] === '"') continue;
    return { value: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 };
  }
  return "open";
}

function plainEnd(text: string, start: number, separator: string): number {
  for (let at = start; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === separator || unit === "\n" || unit === "\r") return at;
  }
  return text.length;
}

function toMaps([header = [], ...records]: readonly (readonly Field[])[]): Located[] {
  return records
    .filter((fields) => fields.some(({ value }) => value.trim() !== ""))
    .map((fields) => ({
      kind: "map",
      entries: fields.flatMap(({ value, range }, column) => {
        const name = header[column];
        return name === undefined
          ? []
          : [{ key: name.value.trim(), value: { kind: "scalar" as const, value, range } }];
      }),
      ...(fields[0] && { range: fields[0].range }),
    }));
}
