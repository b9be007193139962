import type { HeaderNote, RawHeader, RawValue } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { repairLines } from "./repair-lines.ts";

// Each block is parsed by itself, some of them twice; a header has a few dozen keys at most.
const MAX_BLOCKS = 256;

const KEY_LINE = /^([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]+|$)/;

/**
 * Reads what can be read of a header that is not YAML as a whole: each top-level key with its own lines.
 *
 * Gives undefined without a name or a description, or with hundreds of keys, since then it is hardly a header at all.
 */
export function salvageHeader(text: string): RawHeader | undefined {
  const entries = new Map<string, RawValue>();
  const notes: HeaderNote[] = [];
  const blocks = splitBlocks(text);
  if (blocks.length > MAX_BLOCKS) return undefined;
  for (const block of blocks) {
    const value = readBlock(block, notes);
    if (value !== undefined && block.key !== undefined) entries.set(block.key, value);
  }
  if (!entries.has("name") && !entries.has("description")) return undefined;
  return { keys: [...entries.keys()], values: [...entries.values()], notes };
}

interface Block {
  readonly key: string | undefined;
  readonly line: number;
  readonly lines: string[];
}

/** Cuts a header before each line that begins with a key, and around lines that can belong to none. */
function splitBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (/^(?:[ \t\r]*$|[ \t]*#)/.test(line)) continue;
    const key = KEY_LINE.exec(line)?.[1];
    const last = blocks.at(-1);
    if (key === undefined && last?.key !== undefined && /^(?:[ \t]|- )/.test(line)) last.lines.push(line);
    else blocks.push({ key, line: index + 1, lines: [line] });
  }
  return blocks;
}

function readBlock(block: Block, notes: HeaderNote[]): RawValue | undefined {
  const { key, line } = block;
  if (key !== undefined) {
    const text = `${block.lines.join("\n")}\n`;
    const read = readYamlHeader(text);
    if (!isHeaderFault(read)) return read.values[0];
    const repaired = read.kind === "invalid" ? repairLines(text) : undefined;
    const again = repaired && readYamlHeader(repaired.text);
    if (again !== undefined && !isHeaderFault(again)) {
      notes.push({ code: "unquoted-value", line, column: 1 });
      return again.values[0];
    }
  }
  notes.push({ code: "line-ignored", line, column: 1 });
  return undefined;
}
