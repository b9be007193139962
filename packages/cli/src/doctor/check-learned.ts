import { loadSelecting } from "../select/load-selecting.ts";
import { count } from "../ui/skill-state.ts";
import type { Finding } from "./finding.ts";

/** Whether what use has taught can be understood; most people have no such file. */
export function checkLearned(home: string): readonly Finding[] {
  const { file, text, learned, diagnostics } = loadSelecting().readLearned(home);
  if (diagnostics.length === 0)
    return text === undefined
      ? []
      : [
          {
            check: "selection",
            status: "ok",
            message: `${count(learned.skills.size, "skill")} learned`,
            file,
          },
        ];
  return diagnostics.map(({ severity, message, hint, file: place, range }) => ({
    check: "selection",
    status: severity === "error" ? "problem" : severity === "warning" ? "warning" : "ok",
    message,
    ...(hint !== undefined && { hint }),
    file: place,
    ...(range && { line: range.line, column: range.column }),
  }));
}
