import { posix, win32 } from "node:path";
import { treeDigestOf } from "@skillet/kit/digest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkEntryPath, findCollisions, isHostilePath } from "./entry-path.ts";

describe("one path", () => {
  test.each([
    "SKILL.md",
    "scripts/run.sh",
    ".hidden",
    "a b/c.md",
    "ünï/日本.md",
    "a..b",
    "console.md",
    "x/.gitignore",
    "com.md",
    "\u00e9",
  ])("%s can be a file everywhere", (path) => {
    expect(checkEntryPath(path)).toBeUndefined();
  });

  test.each([
    "",
    ".",
    "..",
    "/etc/passwd",
    "../x",
    "a/../b",
    "a/./b",
    "a//b",
    "a/",
    "a\\b",
    "..\\x",
    "C:x",
    "a:stream",
    "a\0b",
    "a\nb",
    "a\u001b[31m",
    "a\u202eb",
    "a\u2028b",
    "a\ud800",
    "a.",
    "a ",
    "a./b",
    "con",
    "CON",
    "aux.md",
    "x/NUL.txt",
    "com1",
    "LPT9.tar.gz",
    "com¹",
    "CONIN$",
    ".git/hooks/x",
    "a/.GIT/config",
    ".git.",
    "git~1/x",
    ".g\u200cit/x",
    "scripts/run\u200b.sh",
    "scripts/r\u00adun.sh",
    "scripts/ru\u2060n.sh",
    "run\ufe0f.sh",
    "run\u3164.sh",
    "run\u{e0041}.sh",
    "a?b",
    "a*",
    "a|b",
    "a".repeat(256),
    "é".repeat(128),
    `${"a/".repeat(600)}b`,
  ])("%j is refused", (path) => {
    expect(checkEntryPath(path)).toEqual(expect.any(String));
  });

  test.each(["e\u0301", "scripts/CHEC\u212a.sh", "\u2126.md", "x/\u{2f800}"])(
    "%j is refused, because its composed form is another path of the same digest",
    (path) => {
      expect(checkEntryPath(path)).toContain("NFC");
      expect(checkEntryPath(path.normalize("NFC"))).toBeUndefined();
    },
  );

  test("whatever is let through has a digest of its own", () => {
    const piece = fc.constantFrom("a", "e", "\u0301", "\u00e9", "K", "\u212a", "\u1100", "\u1161", "\uac00");
    const path = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
    const digestOf = (name: string) => treeDigestOf([{ path: name, mode: "755", bytes: Buffer.from("x") }]);
    fc.assert(
      fc.property(path, path, (left, right) => {
        fc.pre(left !== right && [left, right].every((one) => checkEntryPath(one) === undefined));
        expect(digestOf(left)).not.toBe(digestOf(right));
      }),
    );
  });

  test("whatever is let through stays below its folder on every system", () => {
    const piece = fc.constantFrom(..."a.~/\\: \0$", "..", ".git", "con", "\u200d", "\u202e", "é");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = pieces.join("");
        if (checkEntryPath(path) !== undefined) return;
        expect(posix.normalize(path)).toBe(path);
        expect(win32.resolve("C:\\root", path)).toBe(`C:\\root\\${path.replaceAll("/", "\\")}`);
        expect(posix.join("/root", path).startsWith("/root/")).toBe(true);
        expect(win32.isAbsolute(path)).toBe(false);
        expect(isHostilePath(path)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("hostile paths", () => {
  test.each(["", "/x", "../x", "a/../b", "a//b", ".git/config", "a/.Git/x", "a\\..\\b", "git~1"])(
    "%j is one",
    (path) => {
      expect(isHostilePath(path)).toBe(true);
    },
  );

  test.each(["aux.md", "a:b", "a ", "a\u202eb"])("%j is only unwieldy", (path) => {
    expect(isHostilePath(path)).toBe(false);
  });
});

describe("paths together", () => {
  test.each<[string, readonly string[]]>([
    ["twice", ["a", "a"]],
    ["composition", ["README.md", "readme.md"]],
    ["composition", ["caf\u00e9", "cafe\u0301"]],
    ["composition", ["stra\u00dfe", "STRASSE"]],
    ["composition", ["\u212a", "k"]],
    ["composition", ["\u1e9e.md", "\u00df.md"]],
    ["composition", ["\u1e9e.md", "ss.md"]],
    ["composition", ["\u03c2.md", "\u03a3.md"]],
    ["composition", ["\u0130", "i\u0307"]],
    ["folder", ["a/b", "a"]],
    ["folder", ["a", "a/b"]],
    ["folder", ["A", "a/b/c"]],
    ["folders", ["Docs/a.md", "docs/b.md"]],
    ["folders", ["x/Docs/a.md", "x/docs/deep/b.md"]],
  ])("%s: %j", (word, paths) => {
    expect(findCollisions(paths)).toContain(word);
  });

  test("different paths do not collide, in whatever order", () => {
    const name = fc.stringMatching(/^[a-d]{1,3}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join("/")}.md`);
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 20 }), (paths) => {
        expect(findCollisions(paths)).toBeUndefined();
        expect(findCollisions(paths.toReversed())).toBeUndefined();
      }),
    );
  });

  test("a twin in another case is found wherever it stands", () => {
    const path = fc.stringMatching(/^[a-d]{1,3}\/[a-d]{1,3}$/);
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 20 }), fc.nat(), (paths, index) => {
        const twin = paths[index % paths.length]!.toUpperCase();
        expect(findCollisions([...paths, twin])).toEqual(expect.any(String));
        expect(findCollisions([twin, ...paths])).toEqual(expect.any(String));
      }),
    );
  });
});
