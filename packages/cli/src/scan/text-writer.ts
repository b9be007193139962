import type { ReportWriter } from "./report-writer.ts";
import { type SkillLayout, skillBlock } from "./skill-block.ts";
import { summaryLines } from "./summary-lines.ts";

/** Writes results for people, as they come in. */
export function textWriter(print: (line: string) => void, layout: SkillLayout): ReportWriter {
  let lastIsBlank = true;
  const printAll = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (line !== "" || !lastIsBlank) print(line);
      lastIsBlank = line === "";
    }
  };
  return {
    add: (result) => printAll(skillBlock(result, layout)),
    finish: (end) => {
      const isMany = end.summary.skills > 1 || end.diagnostics.length > 0;
      printAll([...(isMany ? [""] : []), ...summaryLines(end, layout)]);
    },
    // What was printed stands; the error follows on standard error.
    breakOff: () => undefined,
  };
}
