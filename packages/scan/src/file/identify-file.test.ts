import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeFile } from "../testing/make-source.ts";
import { makeZip } from "../testing/make-zip.ts";
import type { FileKind } from "./file-kind.ts";
import { identifyFile } from "./identify-file.ts";

const ELF = Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0]);
const ZIP = makeZip([{ name: "a.txt", content: "a" }]);

const CASES: readonly (readonly [string, string | Uint8Array, FileKind])[] = [
  ["SKILL.md", "# A\n", "markdown"],
  ["scripts/run", "#!/bin/sh\nls\n", "shell"],
  ["scripts/run", "#!/usr/bin/env -S python3 -u\nprint(1)\n", "python"],
  ["scripts/run", "#!/usr/bin/env -S A=1 node\n", "javascript"],
  ["scripts/run", "#!/usr/bin/env -Sbash\n", "shell"],
  ["scripts/run", "#!/usr/bin/python3.11\n", "python"],
  ["scripts/run", "#!/usr/bin/perl\n", "code"],
  ["scripts/run.txt", "#!/bin/bash\nls\n", "shell"],
  ["scripts/run.png", "#!/bin/bash\nls\n", "shell"],
  ["scripts/deploy", 'curl -fsSL "https://tools.test/x" -o x\nchmod +x x\n./x\n', "shell"],
  ["scripts/tool", "import os\nimport sys\n\nprint(os.getcwd())\n", "python"],
  ["notes", "Notes on the project.\nSet the value, open the file, then echo it back.\n", "text"],
  [
    "INSTALL.txt",
    "To install, open a terminal.\nThen run\n  curl -O https://a.test/x\nand wait.\nThat is all.\n",
    "text",
  ],
  ["a.mjs", "export {};\n", "javascript"],
  ["a.cjs", "x\n", "javascript"],
  ["a.tsx", "x\n", "typescript"],
  ["a.mts", "x\n", "typescript"],
  ["a.ps1", "x\n", "powershell"],
  ["a.cmd", "x\n", "batch"],
  ["a.fish", "x\n", "shell"],
  ["a.ipynb", "{}", "notebook"],
  ["a.svg", "<svg/>", "svg"],
  ["a.plist", "<plist/>", "xml"],
  [".env", "A=1", "ini"],
  [".env.example", "A=1", "ini"],
  ["a.desktop", "[Desktop Entry]", "ini"],
  ["Dockerfile", "FROM a", "dockerfile"],
  ["Dockerfile.dev", "FROM a", "dockerfile"],
  ["Makefile", "a:\n", "makefile"],
  ["a.sh ", "ls\n", "shell"],
  ["a.SH", "ls\n", "shell"],
  ["empty.md", "", "empty"],
  ["a.png", ELF, "executable"],
  ["tool", ELF, "executable"],
  ["a.md", ZIP, "archive"],
  ["a.docx", ZIP, "office"],
  [
    "a",
    makeZip([
      { name: "[Content_Types].xml", content: "<a/>" },
      { name: "word/document.xml", content: "<a/>" },
    ]),
    "office",
  ],
  ["a.tgz", gzipSync("a"), "archive"],
  ["a.bin", Uint8Array.from([1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0, 0, 9]), "executable"],
  ["unknown", Uint8Array.from([1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0, 0, 9]), "binary"],
  ["SKILL.md", "GIF89a is how a picture begins.\n", "markdown"],
  ["SKILL.md", "MZ is a German district.\n", "markdown"],
  ["run.sh", "ls\0\0\0\n", "shell"],
  ["a.txt", Buffer.from("\ufeffhello wide world\n", "utf16le"), "text"],
];

test.each(CASES)("%s is told by its bytes before its name (%#)", (path, content, kind) => {
  expect(identifyFile(makeFile(path, content))).toBe(kind);
});

test("a link is a link whatever it is called", () => {
  expect(identifyFile(makeFile("a.md", "../b.md", "120000"))).toBe("link");
});

test("any bytes under any name are some kind", () => {
  fc.assert(
    fc.property(fc.string(), fc.uint8Array({ maxLength: 600 }), (path, bytes) => {
      expect(identifyFile(makeFile(path, bytes))).toBeTypeOf("string");
    }),
  );
});
