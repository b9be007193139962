import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { anomalyOf, memberOf, type Unpacked } from "./unpacked.ts";
import { unsafeMemberName } from "./unsafe-member-name.ts";

/** Opens a tar archive (POSIX and GNU). */
export function unpackTar(file: SkillFile, budget: ScanBudget): Unpacked {
  const files: SkillFile[] = [];
  const facts: Fact[] = [];
  for (const entry of entriesOf(file.bytes)) {
    if (entry === "damaged") return { files, facts, unread: "the archive is damaged or cut short" };
    const { name, type, data } = entry;
    const unsafe = unsafeMemberName(name);
    if (unsafe !== undefined)
      facts.push(anomalyOf(file, "escaping-path", `${JSON.stringify(name)} has ${unsafe}`));
    if (type === "directory") continue;
    if (!budget.takeEntry() || !budget.takeBytes(data.length))
      return { files, facts, unread: budget.exhausted.join("; ") };
    files.push({ ...memberOf(file, name, data), mode: type === "link" ? "120000" : "644" });
  }
  return { files, facts };
}

interface TarEntry {
  readonly name: string;
  readonly type: "file" | "link" | "directory";
  /** Of a link, its target. */
  readonly data: Uint8Array;
}

const BLOCK_BYTES = 512;

function* entriesOf(bytes: Uint8Array): Iterable<TarEntry | "damaged"> {
  let longName: string | undefined;
  for (let offset = 0; offset + BLOCK_BYTES <= bytes.length; ) {
    const header = bytes.subarray(offset, offset + BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return;
    const size = readNumber(header.subarray(124, 136));
    const start = offset + BLOCK_BYTES;
    if (size === undefined || start + size > bytes.length) {
      yield "damaged";
      return;
    }
    offset = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    const flag = String.fromCharCode(header[156] ?? 0);
    const data = bytes.subarray(start, start + size);
    if (flag === "L") longName = textOf(data);
    else if (flag === "x") longName = paxPath(data) ?? longName;
    if (EXTENSIONS.has(flag)) continue;
    const name = longName ?? headerName(header);
    longName = undefined;
    const isLink = flag === "1" || flag === "2";
    const target = Buffer.from(textOf(header.subarray(157, 257)));
    yield { name, type: flag === "5" ? "directory" : isLink ? "link" : "file", data: isLink ? target : data };
  }
}

// Headers about the next entry: long names and targets of GNU, attributes of POSIX.
const EXTENSIONS: ReadonlySet<string> = new Set(["L", "K", "x", "g"]);

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

function headerName(header: Uint8Array): string {
  const prefix = textOf(header.subarray(345, 500));
  const name = textOf(header.subarray(0, 100));
  return prefix === "" ? name : `${prefix}/${name}`;
}

// Octal, or base 256 for what octal cannot hold.
function readNumber(field: Uint8Array): number | undefined {
  if (((field[0] ?? 0) & 0x80) !== 0) {
    let value = 0;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const digits = textOf(field).trim();
  if (digits === "") return 0;
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

function paxPath(data: Uint8Array): string | undefined {
  return /(?:^|\n)\d{1,7} path=([^\n]{1,4096})\n/.exec(Buffer.from(data).toString("utf8"))?.[1];
}
