import { quoteName } from "@skillet/kit/text";
import { tarText } from "./tar-header.ts";

/** What a pax header says about the next entry, as far as that is allowed. */
export interface PaxRecords {
  readonly path?: string;
  readonly size?: number;
}

// Those that would make a file of something else, or fill it from elsewhere.
const REFUSED = /^(?:linkpath|GNU\.sparse\.|SCHILY\.realsize|SCHILY\.filetype|type)/;

/** Reads the records of a pax header, strictly: what one program skips, another follows. */
export function readPaxRecords(
  bytes: Uint8Array,
  { scope }: { readonly scope: "entry" | "global" },
): PaxRecords | { readonly fault: string } {
  let path: string | undefined;
  let size: number | undefined;
  for (let start = 0; start < bytes.length; ) {
    const record = readRecord(bytes, start);
    if (record === undefined) return { fault: "a pax header cannot be read" };
    const { key, value } = record;
    start = record.end;
    // Where a key ends at its NUL, the rest of it may be read as another record.
    if (key.includes("\0")) return { fault: "a pax header has a key with a NUL" };
    if (REFUSED.test(key))
      return {
        fault: `a pax header sets ${quoteName(key.slice(0, 40))}, which makes it a link or a sparse file`,
      };
    if (key !== "path" && key !== "size") continue;
    if (scope === "global") return { fault: `a global pax header sets the ${key} of all entries` };
    if (key === "path") {
      const text = tarText(value);
      if (path !== undefined || text === undefined || value.includes(0))
        return { fault: "a pax header gives a path twice, or one with a NUL or that is not UTF-8" };
      path = text;
    } else {
      const text = Buffer.from(value).toString("latin1");
      if (size !== undefined || !/^[0-9]{1,15}$/.test(text))
        return { fault: "a pax header gives a size twice, or one that is no number" };
      size = Number(text);
    }
  }
  return { ...(path === undefined ? {} : { path }), ...(size === undefined ? {} : { size }) };
}

interface PaxRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly end: number;
}

// `length SP key=value LF`, where the length counts the whole record.
function readRecord(bytes: Uint8Array, start: number): PaxRecord | undefined {
  const head = /^([1-9][0-9]{0,8}) /.exec(Buffer.from(bytes.subarray(start, start + 10)).toString("latin1"));
  if (head === null) return undefined;
  const end = start + Number(head[1]);
  const keyStart = start + head[0].length;
  if (end > bytes.length || end <= keyStart || bytes[end - 1] !== 0x0a) return undefined;
  const equals = bytes.indexOf(0x3d, keyStart);
  if (equals <= keyStart || equals >= end) return undefined;
  const key = Buffer.from(bytes.subarray(keyStart, equals)).toString("latin1");
  return { key, value: bytes.subarray(equals + 1, end - 1), end };
}
