const MAX_HEADER_CHARACTERS = 64 * 1024;

/**
 * Whether a Python script lists packages to be installed for it in a `# /// script` header (PEP 723).
 *
 * A header that cannot be understood counts as one with packages: then nothing is run that would miss them.
 */
export function hasInlineDependencies(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, MAX_HEADER_CHARACTERS)).toString("latin1");
  const lines = text.split(/\r\n|\r|\n/);
  const start = lines.findIndex((line) => /^# \/\/\/ script[ \t]*$/.test(line));
  if (start < 0) return false;
  const length = lines.slice(start + 1).findIndex((line) => !/^#(?: |$)/.test(line));
  const block = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  const end = block.findLastIndex((line) => /^# \/\/\/[ \t]*$/.test(line));
  if (end < 0) return false;
  return listsPackages(block.slice(0, end).map((line) => line.slice(2)));
}

function listsPackages(lines: readonly string[]): boolean {
  const table = lines.findIndex((line) => /^\s*\[/.test(line));
  const top = table < 0 ? lines : lines.slice(0, table);
  const at = top.findIndex((line) => /^\s*(?:dependencies|"dependencies"|'dependencies')\s*=/.test(line));
  if (at < 0) return false;
  const value = [top[at]?.replace(/^[^=]*=/, "") ?? "", ...lines.slice(at + 1)]
    .map((line) => line.replace(/^\s*#.*$/, ""))
    .join("\n");
  return !/^\s*\[\s*(?:#[^\n]*\n\s*)*\]/.test(value);
}
