import { expect, test } from "vitest";
import { type AnomalyFact, FactBook, type UnreadFact } from "../fact/fact.ts";
import type { SkillFile } from "../file/file-kind.ts";
import { identifyFile } from "../file/identify-file.ts";
import { DEFAULT_SCAN_LIMITS } from "../scan-limits.ts";
import { makeAct, makePlace, makeProfile } from "../testing/make-fact.ts";
import { makeFile } from "../testing/make-source.ts";
import { makeZip } from "../testing/make-zip.ts";
import { ScanBudget } from "../text/scan-budget.ts";
import { unpackFile } from "../unpack/unpack-file.ts";
import { AN1, BI1 } from "./binary.ts";

async function severities(file: SkillFile): Promise<string[]> {
  const { facts } = await unpackFile(file, identifyFile(file), new ScanBudget(DEFAULT_SCAN_LIMITS));
  return BI1.find(new FactBook(facts), makeProfile()).map(({ severity }) => severity);
}

const ELF = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), Buffer.alloc(40)]);
const PNG = Buffer.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
]);
const PYC = Buffer.concat([Buffer.from([0xa7, 0x0d, 0x0d, 0x0a]), Buffer.alloc(20)]);

test.each([
  ["a program", makeFile("bin/tool", ELF), ["warn"]],
  ["a program called a picture", makeFile("logo.png", ELF), ["warn", "critical"]],
  ["a picture", makeFile("logo.png", PNG), []],
  ["compiled code", makeFile("a.pyc", PYC), ["warn"]],
  ["a plain archive", makeFile("a.zip", makeZip([{ name: "a.md", content: "a" }])), []],
  ["an encrypted archive", makeFile("a.zip", makeZip([{ name: "a", content: "a", flags: 1 }])), ["warn"]],
  ["an archive in an archive", makeFile("a.zip!/b.zip", makeZip([{ name: "a", content: "a" }])), ["info"]],
  [
    "a member that climbs out",
    makeFile("a.zip", makeZip([{ name: "../../.bashrc", content: "a" }])),
    ["critical"],
  ],
  [
    "a document with macros",
    makeFile("a.docm", makeZip([{ name: "word/vbaProject.bin", content: "a" }])),
    ["warn"],
  ],
  ["a document", makeFile("a.docx", makeZip([{ name: "word/document.xml", content: "<w:p>a</w:p>" }])), []],
  ["a PDF that runs a script", makeFile("a.pdf", "%PDF-1.4\n<< /S /JavaScript /JS (x) >>\n"), ["warn"]],
  ["a PDF", makeFile("a.pdf", "%PDF-1.4\n<< /Type /Catalog >>\n"), []],
  ["a shortcut", makeFile("a.lnk", Buffer.from([0x4c, 0, 0, 0, 1, 0x14, 2, 0, 0, 0, 0, 0])), ["warn"]],
  ["two suffixes", makeFile("invoice.pdf.js", "x"), ["warn"]],
  ["a minified suffix", makeFile("a.min.js", "x"), []],
  ["a link to a neighbour", makeFile("a/b", "../c", "120000"), []],
  ["a link out of the skill", makeFile("a/b", "../../shared/c", "120000"), ["warn"]],
  ["a link to the home folder's keys", makeFile("a", "../../../.ssh/id_rsa", "120000"), ["critical"]],
  ["a link to the system", makeFile("a", "/etc/passwd", "120000"), ["critical"]],
])("BI1 on %s", async (_, file, expected) => {
  expect(await severities(file)).toEqual(expected);
});

test.each([
  ["ELF in base64", "critical"],
  ["WebAssembly in base64", "info"],
])("%s in a text is %s", (detail, severity) => {
  const fact: AnomalyFact = { ...makePlace(), kind: "anomaly", what: "executable", detail };
  expect(BI1.find(new FactBook([fact]), makeProfile())).toEqual([
    { severity, place: fact, message: `A program: ${detail}` },
  ]);
});

const UNREAD: UnreadFact = {
  ...makePlace({ file: "a.7z", medium: "data" }),
  kind: "unread",
  reason: "7z archive is not opened",
};

test("what was not read is a warning that names it and says why, once", () => {
  expect(AN1.find(new FactBook([UNREAD, UNREAD]), makeProfile())).toEqual([
    { severity: "warn", place: UNREAD, message: "a.7z was not read whole: 7z archive is not opened" },
  ]);
});

test("a skill that was read whole has none", () => {
  const act = makeAct({ type: "run", program: "ls", arguments: [] });
  expect(AN1.find(new FactBook([act]), makeProfile())).toEqual([]);
});
