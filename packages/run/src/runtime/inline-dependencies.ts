const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Whether a Python script lists packages to be installed for it in a `# /// script` header (PEP 723).
 *
 * A header that cannot be understood counts as one with packages: then nothing is run that would miss them.
 */
export function hasInlineDependencies(head: Uint8Array): boolean {
  const isCut = head.length >= MAX_HEADER_BYTES;
  const lines = Buffer.from(head.subarray(0, MAX_HEADER_BYTES))
    .toString("latin1")
    .split(/\r\n|\r|\n/);
  const headers: (readonly string[])[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!/^# \/\/\/ script[ \t]*$/.test(lines[at] ?? "")) continue;
    const length = lines.slice(at + 1).findIndex((line) => !/^#(?: |$)/.test(line));
    if (length < 0 && isCut) return true;
    const block = lines.slice(at + 1, length < 0 ? undefined : at + 1 + length);
    const end = block.findLastIndex((line) => /^# \/\/\/[ \t]*$/.test(line));
    if (end < 0) continue;
    headers.push(block.slice(0, end).map((line) => line.slice(2)));
    at += end + 1;
  }
  // Two of them are an error, whatever they say.
  return headers.length > 1 || headers.some(listsPackages);
}

const NOTHING = /^\s*(?:#.*)?$/;
const PYTHON =
  /^\s*(?:requires-python|"requires-python"|'requires-python')\s*=\s*(?:"[^"\\]*"|'[^']*')\s*(?:#.*)?$/;
const LIST = /^\s*(?:dependencies|"dependencies"|'dependencies')\s*=/;
const EMPTY_LIST = /^\s*\[\s*(?:#[^\n]*\n\s*)*\][ \t]*(?:#[^\n]*)?(?:\n|$)/;
const TOOL_TABLE = /^\s*\[{1,2}\s*tool\s*[.\]]/;

// Line by line, and only what the standard has: an odd spelling of a key, or text over several lines, could hide a list.
function listsPackages(lines: readonly string[]): boolean {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (NOTHING.test(line) || PYTHON.test(line)) continue;
    if (!LIST.test(line)) return !TOOL_TABLE.test(line);
    const value = [line.replace(LIST, ""), ...lines.slice(at + 1)].join("\n");
    const [empty] = EMPTY_LIST.exec(value) ?? [];
    if (empty === undefined) return true;
    at += empty.split("\n").length - (empty.endsWith("\n") ? 2 : 1);
  }
  return false;
}
