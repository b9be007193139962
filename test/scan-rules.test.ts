import { readFileSync } from "node:fs";
import { ALL_RULES } from "@skillet/scan";
import { describe, expect, test } from "vitest";
import { repositoryPath } from "./docs/pages.ts";

const PAGE = repositoryPath("docs/scan-rules.md");
const REGION = /(?<=<!-- rules -->\n).*(?=<!-- \/rules -->)/s;

describe("the rules of the scanner", () => {
  test("are all in docs/scan-rules.md, as they are (vitest -u writes the table)", async () => {
    const rows = ALL_RULES.map(({ id, title, severity, category, remedy, owasp }) =>
      [`\`${id}\``, title, severity, category, remedy, owasp.join(" ")].map(cell).join(" | "),
    );
    const table = [
      "| Id | What | Severity | Category | What makes it fine | OWASP |",
      "|---|---|---|---|---|---|",
      ...rows.map((row) => `| ${row} |`),
      "",
    ].join("\n");
    await expect(readFileSync(PAGE, "utf8").replace(REGION, () => table)).toMatchFileSnapshot(PAGE);
  });

  test("have ids of their own, and every word that people are told", () => {
    const ids = ALL_RULES.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.length).toBeGreaterThan(30);
    const wordless = ALL_RULES.filter(
      ({ id, title, explanation, remedy, owasp }) =>
        !/^[A-Z]{2}\d+$/.test(id) || [title, explanation, remedy].includes("") || owasp.length === 0,
    );
    expect(wordless.map(({ id }) => id)).toEqual([]);
  });
});

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").trim();
}
