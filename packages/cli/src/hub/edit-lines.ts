import type { FileDifference, SideChange } from "@skillet/hub";
import { stripControl } from "../ui/strip-control.ts";
import type { Terminal } from "../ui/terminal.ts";

const MAX_FILES = 20;

/** What somebody did to an installed skill beside what a new version does, file by file. */
export function editLines(
  name: string,
  differences: readonly FileDifference[] | undefined,
  { colours }: Pick<Terminal, "colours">,
): readonly string[] {
  if (differences === undefined) return [];
  const rows = differences.filter(({ here }) => here !== "unchanged");
  const shown = rows.slice(0, MAX_FILES).map(({ path, here, there, conflict }) => {
    const words =
      there === "unchanged" ? `${HERE[here]}, the new version leaves it` : `${HERE[here]}, ${THERE[there]}`;
    const line = `    ${stripControl(path)}: ${words}`;
    return conflict ? colours.yellow(line) : line;
  });
  const rest = rows.length - shown.length;
  return [
    `${colours.yellow("!")} ${colours.bold(stripControl(name))} was edited here`,
    ...shown,
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}

const HERE: Readonly<Record<SideChange, string>> = {
  unchanged: "unchanged here",
  added: "added here",
  changed: "changed here",
  removed: "removed here",
};

const THERE: Readonly<Record<SideChange, string>> = {
  unchanged: "unchanged in the new version",
  added: "added by the new version",
  changed: "changed by the new version",
  removed: "removed by the new version",
};
