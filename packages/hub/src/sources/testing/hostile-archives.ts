import { deflateRawSync, gzipSync } from "node:zlib";
import { paxRecord, type TarMember, tarBytes } from "./tar-bytes.ts";
import { type ZipFields, type ZipShape, zipBytes, zipDescriptor } from "./zip-bytes.ts";

/** Archives that must be refused as a whole: what is wrong, the bytes, and what the refusal must say. */
export const HOSTILE_ARCHIVES: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ...both("an absolute path", "/etc/cron.d/evil", /absolute/),
  ...both("a path with ..", "../../evil", /\.\./),
  ...both("a path with .. in its middle", "a/../../evil", /\.\./),
  ...both("a backslash", "..\\..\\evil.bat", /backslash/),
  ...both("a drive", "C:/evil.bat", /colon/),
  ...both("an alternate stream", "SKILL.md:hidden", /colon/),
  ...both("a device name of Windows", "aux.md", /device/),
  ...both("a trailing dot", "SKILL.md.", /dot/),
  ...both("a control character", "a\u001b[2Jb", /control/),
  ...both("a turned direction", "a\u202egnp.sh", /control|hides/),
  ...both("an empty segment", "a//b", /empty segment/),
  ...both("a .git folder", ".git/hooks/post-checkout", /\.git/),
  ...both("a .git folder in disguise", ".G\u200cit/config", /\.git/),
  ...both("too deep a path", `${"d/".repeat(40)}x`, /deep/),
  tar("a link", { name: "a", type: "2", link: "/etc/passwd" }, /a link/),
  tar("a hard link", { name: "a", type: "1", link: "SKILL.md" }, /hard link/),
  tar("a character device", { name: "a", type: "3" }, /device/),
  tar("a block device", { name: "a", type: "4" }, /device/),
  tar("a FIFO", { name: "a", type: "6" }, /FIFO/),
  tar("a sparse file", { name: "a", type: "S", content: "x" }, /sparse/),
  tar("a long link name", { name: "././@LongLink", type: "K", content: "/etc/passwd\0" }, /a link/),
  tar("a contiguous file", { name: "a", type: "7" }, /unknown type/),
  tar("an unknown type", { name: "a", type: "Z" }, /unknown type/),
  tar("a dump of a folder", { name: "a", type: "D", content: "x" }, /unknown type/),
  tar("setuid", { name: "a", mode: 0o4755 }, /setuid/),
  tar("setgid", { name: "a", mode: 0o2755 }, /setuid/),
  tar("a wrong checksum", { name: "a", badChecksum: true }, /checksum/),
  tar("bytes after a NUL in a name", { name: Buffer.from("a.md\0/../../evil") }, /NUL/),
  tar("a name that is not UTF-8", { name: Buffer.from([0x61, 0xff, 0x62]) }, /UTF-8/),
  tar("a folder with content", { name: "a/", type: "5", content: "x" }, /folder with content/),
  tar("a folder by name with content", { name: "a/", type: "\0", content: "x" }, /folder with content/),
  tar("a file whose name is a folder's", { name: "a/" }, /folder by its name/),
  tars("a file that pax makes a folder", [pax([["path", "b/"]]), { name: "a" }], /folder by its name/),
  tars(
    "a folder that pax makes a file",
    [pax([["path", "b"]]), { name: "a/", type: "\0" }],
    /folder by its name/,
  ),
  tars(
    "a long name that makes an old file a folder",
    [
      { name: "././@LongLink", type: "L", content: "b/\0" },
      { name: "a", type: "\0" },
    ],
    /folder by its name/,
  ),
  tar("a size beyond its end", { name: "a", size: 5_000_000 }, /ends within/),
  tar("the same file twice", { name: "SKILL.md", content: "other" }, /twice/),
  tar("a twin by case", { name: "skill.MD" }, /case/),
  tar("a climbing prefix", { name: "evil", prefix: "../.." }, /\.\./),
  tar("a prefix that only some read", { name: "run.sh", magic: "ustar  \0", prefix: "hidden" }, /prefix/),
  tar("a prefix without any magic", { name: "run.sh", magic: "", prefix: "hidden" }, /prefix/),
  tar("an unknown magic", { name: "run.sh", magic: "USTAR\0" }, /known tar format/),
  tars("a twin by composition", [{ name: "caf\u00e9" }, { name: "cafe\u0301" }], /composed/),
  tars("a file that is a folder", [{ name: "a" }, { name: "a/b" }], /folder/),
  tars("a file and an empty folder of one name", [{ name: "a" }, { name: "a/", type: "5" }], /folder/),
  tars("folders that differ by case", [{ name: "Docs/a" }, { name: "docs/b" }], /case/),
  tars("a pax path that climbs", [pax([["path", "../evil"]]), { name: "fine.md" }], /\.\./),
  tars("a pax path with a NUL", [pax([["path", "a\0b"]]), { name: "fine.md" }], /NUL/),
  tars(
    "a pax key with a NUL",
    [
      pax([
        ["comment\0x", "y"],
        ["path", "b.md"],
      ]),
      { name: "fine.md" },
    ],
    /key with a NUL/,
  ),
  tars(
    "two pax paths",
    [
      pax([
        ["path", "a"],
        ["path", "b"],
      ]),
      { name: "fine.md" },
    ],
    /twice/,
  ),
  tars("a pax link", [pax([["linkpath", "/etc/passwd"]]), { name: "fine.md" }], /link/),
  tars("a pax sparse map", [pax([["GNU.sparse.major", "1"]]), { name: "fine.md" }], /sparse/),
  tars(
    "a size that pax gives otherwise",
    [pax([["size", "1024"]]), { name: "a", content: "x".repeat(512) }],
    /two sizes/,
  ),
  // A reader that applies the size to the global header starts to read the next entry inside this one.
  tars(
    "a size of pax before a global header",
    [
      pax([["size", "512"]]),
      { name: "g", type: "g", content: "" },
      { name: "evil.sh", content: "x".repeat(512) },
    ],
    /gives a size/,
  ),
  tars(
    "a size of pax before a long name",
    [
      pax([["size", "512"]]),
      { name: "././@LongLink", type: "L", content: "evil.sh\0" },
      { name: "a", content: "x".repeat(512) },
    ],
    /gives a size/,
  ),
  tars("a size of pax that is none", [pax([["size", "-1"]]), { name: "a" }], /not a number/),
  tars(
    "a pax header that cannot be read",
    [{ name: "x", type: "x", content: "999 path=a\n" }, { name: "a" }],
    /cannot be read/,
  ),
  tars(
    "a pax header of many bytes",
    [{ name: "x", type: "x", content: "x".repeat(70_000) }, { name: "a" }],
    /at most/,
  ),
  tars("a global pax path", [pax([["path", "other"]], "g"), { name: "a" }], /global/),
  tars("a global pax size", [pax([["size", "0"]], "g"), { name: "a" }], /global/),
  tars("a global pax link", [pax([["linkpath", "/etc"]], "g"), { name: "a" }], /link/),
  tars(
    "two pax headers for one entry",
    [pax([["path", "a"]]), pax([["size", "1"]]), { name: "b" }],
    /in a row/,
  ),
  tars("a pax header for nothing", [{ name: "a" }, pax([["path", "b"]])], /not there/),
  tars(
    "a long name that climbs",
    [{ name: "././@LongLink", type: "L", content: "../evil\0" }, { name: "a" }],
    /\.\./,
  ),
  tars(
    "a long name with a NUL",
    [{ name: "././@LongLink", type: "L", content: "a\0../evil" }, { name: "b" }],
    /NUL/,
  ),
  ["tar: no end mark", tarBytes([SKILL()], { end: new Uint8Array() }), /end mark/],
  [
    "tar: a second archive after the end",
    tarBytes([SKILL()], { end: Buffer.concat([new Uint8Array(1024), tarBytes([{ name: "evil" }])]) }),
    /second archive/,
  ],
  [
    "tar.gz: garbage after the end",
    Buffer.concat([gzipSync(tarBytes([SKILL()])), Buffer.from("\0\0garbage")]),
    /second archive|damaged/,
  ],
  [
    "tar.gz: a second archive after the end",
    Buffer.concat([gzipSync(tarBytes([SKILL()])), gzipSync(tarBytes([{ name: "evil" }]))]),
    /second archive/,
  ],
  ["tar.gz: cut off", gzipSync(tarBytes([SKILL()])).subarray(0, 60), /cut off/],
  ["tar.gz: a changed byte", flip(gzipSync(tarBytes([SKILL()])), -6), /damaged/],
  [
    "tar.gz: a bomb",
    gzipSync(tarBytes([SKILL(), { name: "zeros", content: new Uint8Array(12 * 1024 * 1024) }])),
    /unpacks to more|bomb/,
  ],
  ["gzip: something else than a tar", gzipSync("hello"), /not a tar/],
  ["gzip: a gzip", gzipSync(gzipSync(tarBytes([SKILL()]))), /not a tar/],
  ["gzip: a zip", gzipSync(zipBytes([FILE()])), /not a tar/],
  zip("a link", { name: "a", content: "/etc/passwd", mode: 0o120777 }, /a link/),
  zip("a device", { name: "a", mode: 0o020666 }, /device/),
  zip("a FIFO", { name: "a", mode: 0o010666 }, /FIFO/),
  zip("a socket", { name: "a", mode: 0o140666 }, /socket/),
  zip("setuid", { name: "a", mode: 0o104755 }, /setuid/),
  zip("a file that says it is a folder", { name: "a", mode: 0o040755 }, /another kind/),
  zip("a folder that says it is a file", { name: "a/" }, /another kind/),
  zip("a folder with content", { name: "a/", content: "x", mode: 0o040755 }, /folder with content/),
  zip("encryption", { name: "a", content: "x", flags: 0x801 }, /encrypted/),
  zip("encryption beside the data only", { name: "a", content: "x", local: { flags: 0x801 } }, /encrypted/),
  zip("strong encryption", { name: "a", content: "x", flags: 0x841 }, /encrypt/),
  zip("a NUL in a name", { name: "a\0b" }, /control/),
  zip("a name that is not UTF-8", { name: Buffer.from([0x61, 0xff]) }, /UTF-8/),
  zip("another name beside the data", { name: "a.md", local: { name: "b.md" } }, /two names/),
  zip("another name in an extra field", { name: "a.md", extra: unicodePath("../evil") }, /two names/),
  zip(
    "another name in the second of two extra fields",
    {
      name: "a.md",
      extra: Buffer.concat([unicodePath("a.md"), unicodePath("run.sh")]),
      local: { extra: Buffer.alloc(0) },
    },
    /two names/,
  ),
  zip(
    "another name in an extra field beside the data",
    { name: "a.md", local: { extra: Buffer.concat([unicodePath("a.md"), unicodePath("run.sh")]) } },
    /two names/,
  ),
  zip(
    "extra fields beside the data that are longer than they are",
    { name: "a.md", local: { extra: Buffer.from([1, 2, 9, 0, 0]) } },
    /cannot be read/,
  ),
  zip(
    "another method beside the data",
    { name: "a", content: "x", local: { method: 0 } },
    /how it is packed/,
  ),
  zip("another size beside the data", { name: "a", content: "x", local: { size: 2 } }, /different sizes/),
  zip("another checksum beside the data", { name: "a", content: "x", local: { crc: 1 } }, /different sizes/),
  zip(
    "a checksum beside the data that is none",
    { name: "a", content: "x", local: { crc: 0xffffffff } },
    /different sizes/,
  ),
  // A reader that reads from the front finds another entry within the data.
  zip(
    "sizes beside the data that are in a zip64 field",
    {
      name: "a",
      content: Buffer.concat([Buffer.from("harmless"), hiddenEntry()]),
      method: 0,
      local: { size: 0xffffffff, packedSize: 0xffffffff, extra: zip64Sizes(8n) },
    },
    /different sizes/,
  ),
  zip("stored data that ends at the first descriptor in it", openEnded(), /end it early/),
  zip(
    "an empty stored file without its descriptor",
    { name: "a", method: 0, flags: 0x808, local: { size: 0, packedSize: 0 } },
    /do not follow it/,
  ),
  zip(
    "a promised descriptor that is not there",
    { name: "a", content: "x", flags: 0x808 },
    /do not follow it/,
  ),
  zip(
    "other bytes in the place of a descriptor",
    { name: "a", content: "x", flags: 0x808, gap: Buffer.from("sixteen bytes!!!") },
    /data descriptor/,
  ),
  zip(
    "a descriptor of other sizes",
    { name: "a", content: "x", flags: 0x808, gap: zipDescriptor("xy") },
    /data descriptor/,
  ),
  zip("a wrong checksum", { name: "a", content: "x", crc: 1 }, /checksum/),
  zip("more content than it says", { name: "a", content: "xyz", size: 1 }, /unpacks to more/),
  zip("less content than it says", { name: "a", content: "x", size: 9 }, /another length/),
  zip("an unknown method", { name: "a", content: "x", method: 99 }, /method 99/),
  zip(
    "bytes after compressed data",
    { name: "a", content: "x", data: Buffer.concat([deflateRawSync("x"), Buffer.from("hidden")]) },
    /follow its compressed/,
  ),
  zip(
    "compressed data that is garbage",
    { name: "a", content: "x", data: Buffer.from("garbage") },
    /damaged/,
  ),
  zip("a stored file of two sizes", { name: "a", content: "x", method: 0, size: 5 }, /damaged|sizes/),
  zip("data beyond the end", { name: "a", content: "x", packedSize: 1_000_000 }, /damaged|proper zip/),
  zip("a header that is elsewhere", { name: "a", content: "x", offset: 3 }, /damaged|proper zip/),
  zip(
    "the data of another file",
    { name: "a", content: "# skill", offset: 0, local: { name: "SKILL.md" } },
    /two names/,
  ),
  zip(
    "bytes between entries",
    { name: "a", content: "x", gap: Buffer.from("hidden bytes") },
    /belong to no entry/,
  ),
  zip(
    "a zip64 size that lies",
    { name: "a", content: "x", size: 0xffffffff, extra: zip64Field(1n << 40n) },
    /bytes|sizes/,
  ),
  zip(
    "a zip64 size that is missing",
    { name: "a", content: "x", size: 0xffffffff, extra: Buffer.from([1, 0, 0, 0]) },
    /damaged|proper zip/,
  ),
  zip("the same file twice", { name: "SKILL.md", content: "other" }, /twice/),
  zip("a twin by case", { name: "Skill.md" }, /case/),
  zips("a file that is a folder", [{ name: "a" }, { name: "a/b" }], /folder/),
  zips("a bomb", [{ name: "zeros", content: new Uint8Array(12 * 1024 * 1024) }], /bomb/),
  shaped("bytes before its first entry", { before: Buffer.from("PK\x03\x04 hidden") }, /no entry|proper zip/),
  shaped("a comment of another length", { after: Buffer.from("garbage") }, /end record/),
  shaped("a second archive after the end", { after: zipBytes([FILE()]) }, /not where|no entry/),
  shaped("a second archive in its comment", { comment: zipBytes([FILE()]) }, /not where|no entry/),
  shaped("more entries than there are", { entryCount: 3 }, /shorter than its end record/),
  shaped("fewer entries than there are", { entryCount: 0 }, /length|no entry|proper zip/),
  shaped("a list that is elsewhere", { listOffset: 0 }, /not where/),
  shaped("a list of another size", { listSize: 1 }, /not where/),
  shaped("several volumes", { disk: 1 }, /volumes/),
  shaped("a zip64 end record", { beforeEnd: zip64Locator() }, /zip64/),
  ["zip: overlapping entries", overlapping(), /share their bytes/],
  ["zip: no files", zipBytes([]), /no files/],
  ["zip: cut off", zipBytes([FILE()]).subarray(0, -10), /end record/],
  ["no archive: empty", new Uint8Array(), /neither/],
  [
    "no archive: a page for people",
    Buffer.from("<!doctype html><title>Not found</title>".padEnd(2000)),
    /neither/,
  ],
  ["no archive: zeros", new Uint8Array(10_240), /neither/],
  ["no archive: 7z", Buffer.from("377abcaf271c0004".padEnd(2048, "0"), "hex"), /neither/],
];

function SKILL(): TarMember {
  return { name: "SKILL.md", content: "# skill" };
}

function FILE(): ZipFields {
  return { name: "SKILL.md", content: "# skill" };
}

type Case = readonly [string, Uint8Array, RegExp];

function both(what: string, name: string, reason: RegExp): readonly Case[] {
  return [tar(what, { name, content: "x" }, reason), zip(what, { name, content: "x" }, reason)];
}

function tar(what: string, member: TarMember, reason: RegExp): Case {
  return tars(what, [member], reason);
}

function tars(what: string, members: readonly TarMember[], reason: RegExp): Case {
  return [`tar: ${what}`, tarBytes([SKILL(), ...members]), reason];
}

function pax(records: readonly (readonly [string, string])[], type = "x"): TarMember {
  return {
    name: "PaxHeader/x",
    type,
    content: records.map(([key, value]) => paxRecord(key, value)).join(""),
  };
}

function zip(what: string, member: ZipFields, reason: RegExp): Case {
  return zips(what, [member], reason);
}

function zips(what: string, members: readonly ZipFields[], reason: RegExp): Case {
  return [`zip: ${what}`, zipBytes([FILE(), ...members]), reason];
}

function shaped(what: string, shape: ZipShape, reason: RegExp): Case {
  return [`zip: ${what}`, zipBytes([FILE()], shape), reason];
}

function flip(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Buffer.from(bytes);
  changed[changed.length + at] = (changed.at(at) ?? 0) ^ 0xff;
  return changed;
}

function unicodePath(name: string): Uint8Array {
  const data = Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), Buffer.from(name)]);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(0x7075, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

function zip64Field(size: bigint): Uint8Array {
  const field = Buffer.alloc(12);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8, 2);
  field.writeBigUInt64LE(size, 4);
  return field;
}

function zip64Locator(): Uint8Array {
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  return locator;
}

function zip64Sizes(size: bigint): Uint8Array {
  const field = Buffer.alloc(20);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(16, 2);
  field.writeBigUInt64LE(size, 4);
  field.writeBigUInt64LE(size, 12);
  return field;
}

function hiddenEntry(): Uint8Array {
  const [name, content] = ["evil.sh", "rm -rf ~"];
  return zipBytes([{ name, content, method: 0 }]).subarray(0, 30 + name.length + content.length);
}

function openEnded(): ZipFields {
  const content = Buffer.concat([Buffer.from("harmless"), zipDescriptor("harmless"), hiddenEntry()]);
  const local = { crc: 0, size: 0, packedSize: 0 };
  return { name: "a", content, method: 0, flags: 0x808, local, gap: zipDescriptor(content) };
}

// Both names are in the list, and the second entry begins within the data of the first.
function overlapping(): Uint8Array {
  const inner = zipBytes([{ name: "b", content: "inner", method: 0 }]);
  const innerLocal = inner.subarray(0, 30 + 1 + 5);
  return zipBytes([
    { name: "a", content: innerLocal, method: 0 },
    { name: "b", content: "inner", method: 0, offset: 31 },
  ]);
}
