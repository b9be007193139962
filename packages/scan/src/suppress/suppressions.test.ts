import { digestBytes } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import type { Finding, Suppression } from "../finding/finding.ts";
import { makeFile } from "../testing/make-source.ts";
import { applySuppressions, readSuppressions, SuppressionUse } from "./suppressions.ts";

const file = makeFile("a.sh", "echo");
const finding: Finding = {
  rule: "EX1",
  category: "execution",
  severity: "critical",
  file: "a.sh",
  line: 1,
  message: "m",
  evidence: "e",
  chain: [],
  remedy: "r",
  owasp: [],
  fingerprint: "f1",
};
const suppression: Suppression = {
  rule: "EX1",
  file: "a.sh",
  digest: digestBytes(file.bytes),
  reason: "our mirror",
};

describe("a dismissed finding", () => {
  test("does not count, and is shown with the reason", () => {
    expect(applySuppressions([finding], [suppression], [file])).toEqual({
      counted: [],
      suppressed: [{ finding, reason: "our mirror", by: suppression }],
    });
  });

  test("in a file that is called like a member of an archive beside it cannot be dismissed as either's", () => {
    const [archive, own] = [makeFile("data.zip", "same"), makeFile("data.zip!/run.sh", "echo")];
    const inside = { ...finding, file: own.path };
    for (const { bytes } of [archive, own]) {
      const dismissal = { ...suppression, file: own.path, digest: digestBytes(bytes) };
      expect(applySuppressions([inside], [dismissal], [archive, own]).counted).toEqual([inside]);
      expect(applySuppressions([inside], [dismissal], [bytes === own.bytes ? own : archive]).counted).toEqual(
        [],
      );
    }
  });

  test("counts again when a byte of the file changes", () => {
    expect(applySuppressions([finding], [suppression], [makeFile("a.sh", "echo ")])).toEqual({
      counted: [finding],
      suppressed: [],
    });
  });

  test.each<[string, Partial<Finding>]>([
    ["another rule", { rule: "EX2" }],
    ["another file", { file: "b.sh" }],
  ])("is not %s", (_title, other) => {
    const one = { ...finding, ...other };
    expect(applySuppressions([one], [suppression], [file, makeFile("b.sh", "echo")]).counted).toEqual([one]);
  });

  test("may be one alone, by its fingerprint", () => {
    const other = { ...finding, fingerprint: "f2" };
    const { counted } = applySuppressions([finding, other], [{ ...suppression, fingerprint: "f1" }], [file]);
    expect(counted).toEqual([other]);
  });

  test("inside an archive is bound to the archive", () => {
    const archive = makeFile("a.zip", "PK");
    const inner = { ...finding, file: "a.zip!/x.sh" };
    const one = { ...suppression, file: "a.zip!/x.sh", digest: digestBytes(archive.bytes) };
    expect(applySuppressions([inner], [one], [archive]).counted).toEqual([]);
  });

  test("in a file that could not be read whole still counts", () => {
    expect(applySuppressions([finding], [suppression], [{ ...file, unread: "cut" }]).counted).toEqual([
      finding,
    ]);
  });
});

describe("a file of suppressions", () => {
  const entry = `  - rule: EX1\n    file: a.sh\n    digest: ${suppression.digest}\n    reason: our mirror\n`;
  const read = (text: string) => readSuppressions(text, { file: "s.yaml" });

  test("is read", () => {
    expect(read(`suppressions:\n${entry}`)).toEqual({
      suppressions: [{ ...suppression, line: 2 }],
      diagnostics: [],
    });
    expect(read("")).toEqual({ suppressions: [], diagnostics: [] });
  });

  test.each([
    ["no reason", `suppressions:\n${entry.replace(/ {4}reason.*\n/, "")}`, "suppression-field"],
    ["no digest", `suppressions:\n${entry.replace("sha256:", "md5:")}`, "suppression-field"],
    ["no list", "suppressions: all\n", "suppressions-invalid"],
    ["no YAML", "suppressions: [", "suppressions-invalid"],
    ["an unknown key", `suppressions:\n${entry}    until: never\n`, "suppression-unknown-key"],
    ["too large", `#${"x".repeat(300_000)}`, "suppressions-too-large"],
  ])("with %s is faulty", (_title, text, code) => {
    expect(read(text).diagnostics.map((fault) => fault.code)).toEqual([code]);
  });

  test("says where its YAML is broken", () => {
    expect(read(`suppressions:\n${entry}  - [\n`).diagnostics).toMatchObject([
      {
        code: "suppressions-invalid",
        range: { line: 7 },
        hint: expect.stringContaining("check quotes, colons"),
      },
    ]);
  });
});

describe("a dismissal that does nothing", () => {
  const tell = (...reports: Parameters<SuppressionUse["add"]>[0][]) => {
    const use = new SuppressionUse([{ ...suppression, line: 4 }], { file: "s.yaml" });
    for (const report of reports) use.add(report);
    return use.diagnostics();
  };

  test("is told with its place, because it may be for a skill that was not scanned", () => {
    expect(tell({ findings: [{ ...finding, rule: "EX2" }], suppressed: [] })).toMatchObject([
      {
        code: "suppression-unused",
        severity: "info",
        file: "s.yaml",
        range: { line: 4, column: 1 },
        message: expect.stringContaining("EX1 in a.sh"),
      },
    ]);
  });

  test("is a warning where the finding counts again", () => {
    expect(tell({ findings: [finding], suppressed: [] })).toMatchObject([
      { code: "suppression-unused", severity: "warning", message: expect.stringContaining("of other bytes") },
    ]);
  });

  test("is none where it held in any of the skills", () => {
    const use = new SuppressionUse([suppression], { file: "s.yaml" });
    use.add({ findings: [finding], suppressed: [] });
    use.add(applied());
    expect(use.diagnostics()).toEqual([]);
  });

  function applied() {
    const { counted, suppressed } = applySuppressions([finding], [suppression], [file]);
    return { findings: counted, suppressed };
  }
});
