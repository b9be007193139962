import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { secretForms } from "./secret-forms.ts";

const SECRET = 's3cr3t/v+lue with spaces & ünïcode"';

function inChunks(secrets: Record<string, string>, bytes: Uint8Array, cuts: readonly number[]): string {
  const stream = createRedactor(secrets).stream();
  const parts: Uint8Array[] = [];
  let position = 0;
  for (const cut of [
    ...cuts.map((value) => value % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ]) {
    parts.push(stream.push(bytes.subarray(position, cut)));
    position = Math.max(position, cut);
  }
  parts.push(stream.end());
  return Buffer.concat(parts).toString("latin1");
}

const redact = (secrets: Record<string, string>, text: string | Uint8Array): string =>
  inChunks(secrets, Buffer.from(text as string), []);

describe("a secret is taken out", () => {
  const hidden = "[redacted KEY]";
  test.each([
    ["as it is", SECRET],
    ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
    ["in ASCII JSON", 's3cr3t/v+lue with spaces & \\u00fcn\\u00efcode\\"'],
    ["in JSON with escaped slashes", JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")],
    ["in JSON for HTML", JSON.stringify(SECRET).slice(1, -1).replaceAll("&", "\\u0026")],
    ["percent-encoded", encodeURIComponent(SECRET)],
    [
      "percent-encoded in small letters",
      encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ["as part of a URL", encodeURI(SECRET)],
    ["in a form", new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ])("%s", (_how, text) => {
    expect(redact({ KEY: SECRET }, `before ${text} after`)).toBe(`before ${hidden} after`);
  });

  test.each([0, 1, 2, 3, 4, 5])("in base64 after %i other bytes, whatever follows", (before) => {
    for (const after of ["", "x", "xy", "xyz"]) {
      for (const encoding of ["base64", "base64url"] as const) {
        const text = Buffer.from(`${"u".repeat(before)}${SECRET}${after}`).toString(encoding);
        const shown = redact({ KEY: SECRET }, text);
        expect(shown).toContain(hidden);
        // Three characters at either end also hold bits of the neighbours.
        const left = Buffer.from(`${"u".repeat(before)}`).toString("base64").length + after.length * 2 + 6;
        expect(shown.replace(hidden, "").length).toBeLessThanOrEqual(left);
      }
    }
  });

  test("line by line, for a key of many lines", () => {
    const key =
      "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----\n";
    expect(redact({ KEY: key }, key)).toBe("[redacted KEY]");
    expect(redact({ KEY: key }, "x AQEFAASCBKcwggSjAgEAAoIB y")).toBe("x [redacted KEY] y");
    expect(redact({ KEY: "abcdefgh\n" }, "abcdefgh.")).toBe("[redacted KEY].");
  });

  test("together with another one that overlaps it", () => {
    expect(redact({ A: "abcdefgh", B: "efghijkl" }, "_abcdefghijkl_")).toBe("_[redacted A]_");
    expect(redact({ A: "bcde", B: "abcdef" }, "_abcdef_bcde_")).toBe("_[redacted B]_[redacted A]_");
    expect(redact({ A: "aaaa" }, "aaaaaaa-aaa")).toBe("[redacted A]-aaa");
    expect(redact({ A: "abcd" }, "abcdabcd")).toBe("[redacted A][redacted A]");
  });
});

test.each([
  ["no secrets", {}],
  ["none in it", { KEY: SECRET }],
])("bytes of any kind pass unchanged where there are %s", (_which, secrets) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.nat(300), { maxLength: 10 }),
      (bytes, cuts) => {
        expect(inChunks(secrets, bytes, cuts)).toBe(Buffer.from(bytes).toString("latin1"));
      },
    ),
  );
  const every = Uint8Array.from({ length: 256 * 256 }, (_, index) => index ^ (index >> 8));
  expect(inChunks(secrets, every, [1, 255, 4096])).toBe(Buffer.from(every).toString("latin1"));
});

test("a value under four bytes is left alone", () => {
  expect(redact({ A: "abc", B: "" }, "abcabc")).toBe("abcabc");
});

test("nothing is held back but what could become a secret", () => {
  const stream = createRedactor({ KEY: "topsecret" }).stream();
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
  expect(text(stream.push(Buffer.from("hello to")))).toBe("hello ");
  expect(text(stream.push(Buffer.from("day topsec")))).toBe("today ");
  expect(text(stream.push(Buffer.from("ret!")))).toBe("[redacted KEY]!");
  expect(text(stream.push(Buffer.from("tops")))).toBe("");
  expect(text(stream.end())).toBe("tops");
  const short = createRedactor({ KEY: "abcd" }).stream();
  expect(text(short.push(Buffer.from("abc abcd abc")))).toBe("abc [redacted KEY] ");
});

test("a flood of a short secret is taken out in one piece", () => {
  const flood = Buffer.alloc(1024 * 1024, "a");
  expect(redact({ A: "aaaa" }, flood)).toBe("[redacted A]");
});

describe("secrets that overlap without end", () => {
  const secrets = { API_KEY: "s3cr3ts-tokens" };
  const longest = Math.max(...secretForms("API_KEY", secrets.API_KEY).map(({ bytes }) => bytes.length));

  test.each([1, 5, 13, 4096])("are not held back, in chunks of %i bytes", (size) => {
    const flood = Buffer.alloc(2000 * 13, "s3cr3ts-token");
    const stream = createRedactor(secrets).stream();
    let shown = "";
    let held = 0;
    for (let at = 0; at < flood.length; at += size) {
      shown += Buffer.from(stream.push(flood.subarray(at, at + size))).toString();
      held = Math.max(held, stream.heldBytes);
    }
    expect(shown).toBe("[redacted API_KEY]");
    expect(held).toBeLessThanOrEqual(longest);
    expect(Buffer.from(stream.push(Buffer.from("! s3cr"))).toString()).toBe("3cr3ts-token! ");
    expect(Buffer.from(stream.end()).toString()).toBe("s3cr");
  });

  test("end with the last of them, and the next one gets a mark of its own", () => {
    const text = `<${"s3cr3ts-token".repeat(3)}s${secrets.API_KEY}>${secrets.API_KEY}`;
    const bytes = Buffer.from(text);
    for (const cuts of [[], Array.from(bytes.keys())])
      expect(inChunks(secrets, bytes, cuts)).toBe("<[redacted API_KEY][redacted API_KEY]>[redacted API_KEY]");
  });

  test("show the name of the first, and of two that begin together of the longer, however they are cut", () => {
    // B in hexadecimal over two lines begins where A does, and ends inside of C.
    const bytes = Buffer.from("3031323334\n3536zzzz");
    for (const cuts of [[], [4], [15], Array.from(bytes.keys())])
      expect(inChunks({ A: "3031", B: "0123456", C: "31323334\n3536zzzz" }, bytes, cuts)).toBe(
        "[redacted B]",
      );
  });
});

const secretText = fc.oneof(
  fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom("a", "b", "=", "/") }),
  fc.string({ minLength: 4, maxLength: 40, unit: "binary" }),
);

test("however the bytes are cut, the same comes out", () => {
  const run = fc.property(
    fc.dictionary(fc.constantFrom("A", "B", "C"), secretText, { minKeys: 1 }),
    fc.array(
      fc.oneof(
        fc.constantFrom("A", "B", "C"),
        fc.string({ maxLength: 8, unit: fc.constantFrom("a", "b", "=", "/", "x") }),
      ),
      { maxLength: 12 },
    ),
    fc.array(fc.nat(400), { maxLength: 30 }),
    (secrets, parts, cuts) => {
      const bytes = Buffer.from(parts.map((part) => secrets[part] ?? part).join(""));
      expect(inChunks(secrets, bytes, cuts)).toBe(inChunks(secrets, bytes, []));
      expect(inChunks(secrets, bytes, Array.from(bytes.keys()))).toBe(inChunks(secrets, bytes, []));
    },
  );
  fc.assert(run, { numRuns: 500 });
});

test("no form of a secret is left, and everything else is kept", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("A", "B"), secretText, { minKeys: 1 }),
      fc.array(
        fc.oneof(
          fc.constantFrom("A", "B"),
          fc.string({ maxLength: 6, unit: fc.constantFrom("a", "b", "=", "/", "x") }),
        ),
        { maxLength: 8 },
      ),
      (secrets, parts) => {
        const bytes = Buffer.from(parts.map((part) => secrets[part] ?? part).join(""));
        const forms = Object.entries(secrets).flatMap(([name, value]) => secretForms(name, value));
        // The plain way: mark every byte of every occurrence.
        const covered = new Uint8Array(bytes.length);
        for (const form of forms)
          for (let at = bytes.indexOf(form.bytes); at >= 0; at = bytes.indexOf(form.bytes, at + 1))
            covered.fill(1, at, at + form.bytes.length);
        const kept = Buffer.from(bytes.filter((_, index) => covered[index] === 0)).toString("latin1");
        expect(inChunks(secrets, bytes, []).replace(/\[redacted [AB]\]/g, "")).toBe(kept);
      },
    ),
    { numRuns: 500 },
  );
});

describe("with escape sequences and broken lines", () => {
  const KEY = "s3cr3t-v4lue-0815";
  const noise = fc.constantFrom("\x1b[31m", "\x1b[K", "\x1b]0;t\x07", "\x1b[", "\x1b");
  const encoded = Buffer.from(KEY).toString("base64").replace(/=+$/, "");

  test("however the bytes are cut, the same comes out, and no secret in it", () => {
    const scattered = (text: string, between: fc.Arbitrary<string>) =>
      fc
        .array(fc.oneof({ weight: 3, arbitrary: fc.constant("") }, { weight: 1, arbitrary: between }), {
          minLength: text.length,
          maxLength: text.length,
        })
        .map((gaps) => Array.from(text, (character, index) => character + gaps[index]).join(""));
    const whole = fc.constantFrom("\x1b[31m", "\x1b[K", "\x1b]0;t\x07", `\x1b]0;${KEY}\x07`);
    const part = fc.oneof(
      scattered(KEY, whole),
      scattered(encoded, fc.constantFrom("\n", "\r\n  ", "\x1b[1m")),
      noise,
      fc.constantFrom("x", "s3cr", "\n"),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.array(fc.nat(600), { maxLength: 10 }),
        (parts, cuts) => {
          const bytes = Buffer.from(parts.join(""));
          const shown = inChunks({ KEY }, bytes, []);
          expect(inChunks({ KEY }, bytes, cuts)).toBe(shown);
          expect(inChunks({ KEY }, bytes, Array.from(bytes.keys()))).toBe(shown);
          expect(shown).not.toContain(KEY);
        },
      ),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(
        scattered(KEY, whole),
        scattered(encoded, fc.constantFrom("\n", "\t")),
        (coloured, wrapped) => {
          expect(redact({ KEY }, `<${coloured}>`)).toMatch(/^<\[redacted KEY\]/);
          expect(redact({ KEY }, `<${wrapped}>`)).toMatch(/^<\[redacted KEY\]/);
        },
      ),
    );
  });

  test("an end of a sequence that looks like the text before it hides nothing", () => {
    const bytes = Buffer.from("m\x1b[mabc");
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(inChunks({ KEY: "mabc" }, bytes, [cut])).toBe("[redacted KEY]");
  });

  test("what is held back has a bound, whatever stands in between", () => {
    for (const filler of ["\x1b[m", "\n", "\x1b]0;"]) {
      const stream = createRedactor({ KEY: "ab".repeat(64) }).stream();
      const start = filler === "\n" ? Buffer.from("ab".repeat(64)).toString("hex").slice(0, 40) : "ab";
      let passedOn = stream.push(Buffer.from(start)).length;
      const flood = Buffer.from(filler.repeat(20_000));
      passedOn += stream.push(flood).length;
      expect(start.length + flood.length - passedOn).toBeLessThan(5000);
      expect(stream.heldBytes).toBe(start.length + flood.length - passedOn);
    }
  });

  test("a flood that is nearly a secret, with something in between everywhere, is read in one pass", () => {
    const secret = "a".repeat(16_000);
    for (const piece of ["a\x1b[m", "61 ", "YWFh\n"]) {
      const stream = createRedactor({ KEY: `${secret}b` }).stream();
      const flood = Buffer.from(piece.repeat(100_000));
      let bytes = 0;
      for (let chunk = 0; chunk < 8; chunk++) bytes += stream.push(flood).length;
      expect(bytes + stream.end().length).toBe(8 * flood.length);
    }
  });
});

test("a text made to be nearly the secret all the time is read in one pass", () => {
  const secret = `${"a".repeat(16_000)}b`;
  const flood = Buffer.alloc(4 * 1024 * 1024, "a");
  const stream = createRedactor({ KEY: secret }).stream();
  let bytes = 0;
  for (let chunk = 0; chunk < 4; chunk++) bytes += stream.push(flood).length;
  expect(bytes + stream.end().length).toBe(4 * flood.length);
});

test("single bytes that nearly become a long secret are passed on in the end, and the chunks may be reused", () => {
  const stream = createRedactor({ KEY: `${"a".repeat(2000)}b` }).stream();
  const chunk = Buffer.from("a");
  let shown = "";
  for (let index = 0; index < 20_000; index++) shown += Buffer.from(stream.push(chunk)).toString();
  chunk.fill("x");
  shown += Buffer.from(stream.end()).toString();
  expect(shown).toBe("a".repeat(20_000));
});
