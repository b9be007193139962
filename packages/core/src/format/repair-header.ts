import type { RawHeader } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { type RepairedHeader, repairLines } from "./repair-lines.ts";

/** A header that can be read, with what it says. */
export interface ReadableHeader extends RepairedHeader {
  readonly header: RawHeader;
}

/** Repairs a header that is not YAML, as little as it takes; undefined if that is not enough. */
export function repairHeader(text: string): ReadableHeader | undefined {
  const spaced = repairTabs(text);
  const read = spaced && withHeader(spaced);
  if (read !== undefined) return read;
  const quoted = repairLines(spaced?.text ?? text);
  return quoted && withHeader({ text: quoted.text, notes: [...(spaced?.notes ?? []), ...quoted.notes] });
}

function withHeader(repaired: RepairedHeader): ReadableHeader | undefined {
  const header = readYamlHeader(repaired.text);
  return isHeaderFault(header) ? undefined : { ...repaired, header };
}

/** Gives two spaces for each tab of an indentation. */
function repairTabs(text: string): RepairedHeader | undefined {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => /^ *\t/.test(line));
  if (first === -1) return undefined;
  const spaced = lines.map((line) =>
    line.replace(/^[ \t]+/, (indentation) => indentation.replaceAll("\t", "  ")),
  );
  return { text: spaced.join("\n"), notes: [{ code: "tab-indentation", line: first + 1, column: 1 }] };
}
