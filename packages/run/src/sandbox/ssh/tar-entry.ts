import type { TreeFile } from "@skillet/core";

export const TAR_BLOCK_BYTES = 512;

/** How many bytes one file of this size and these names takes in an archive. */
export function tarEntryBytes({
  path,
  mode,
  size,
}: Pick<TreeFile, "path" | "mode"> & { size: number }): number {
  const isLink = mode === "120000";
  const long = [Buffer.byteLength(path), isLink ? size : 0].filter((length) => length > MAX_NAME_BYTES);
  return (
    TAR_BLOCK_BYTES +
    (isLink ? 0 : padded(size)) +
    long.reduce((sum, length) => sum + TAR_BLOCK_BYTES + padded(length + 1), 0)
  );
}

/** One file as an entry of a tar archive; names that do not fit go before it, as GNU and busybox read them. */
export function tarEntry({ path, mode, bytes }: TreeFile): Uint8Array {
  const name = Buffer.from(path);
  const target = mode === "120000" ? Buffer.from(bytes) : Buffer.alloc(0);
  const content = mode === "120000" ? new Uint8Array(0) : bytes;
  return Buffer.concat([
    longName("L", name),
    longName("K", target),
    header({
      name,
      target,
      mode: mode === "755" ? 0o755 : 0o644,
      size: content.length,
      type: mode === "120000" ? "2" : "0",
    }),
    content,
    padding(content.length),
  ]);
}

const MAX_NAME_BYTES = 100;

function padded(length: number): number {
  return Math.ceil(length / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
}

function padding(length: number): Uint8Array {
  return new Uint8Array(padded(length) - length);
}

function longName(type: "L" | "K", name: Buffer): Buffer {
  if (name.length <= MAX_NAME_BYTES) return Buffer.alloc(0);
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  const fields = {
    name: Buffer.from("././@LongLink"),
    target: Buffer.alloc(0),
    mode: 0,
    size: content.length,
  };
  return Buffer.concat([header({ ...fields, type }), content, padding(content.length)]);
}

interface HeaderFields {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly mode: number;
  readonly size: number;
  readonly type: "0" | "2" | "L" | "K";
}

// The fields of the old GNU form; owner and time are zero, so that the same tree is the same bytes.
function header({ name, target, mode, size, type }: HeaderFields): Buffer {
  const block = Buffer.alloc(TAR_BLOCK_BYTES);
  name.copy(block, 0, 0, MAX_NAME_BYTES);
  octal(block, mode, { at: 100, length: 8 });
  octal(block, 0, { at: 108, length: 8 });
  octal(block, 0, { at: 116, length: 8 });
  octal(block, size, { at: 124, length: 12 });
  octal(block, 0, { at: 136, length: 12 });
  block.fill(" ", 148, 156);
  block.write(type, 156);
  target.copy(block, 157, 0, MAX_NAME_BYTES);
  block.write("ustar  \0", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  octal(block, sum, { at: 148, length: 8 });
  return block;
}

function octal(block: Buffer, value: number, { at, length }: { at: number; length: number }): void {
  block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
}
