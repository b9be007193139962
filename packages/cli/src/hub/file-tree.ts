import { stripControl } from "../ui/strip-control.ts";

const MAX_LINES = 12;

/** The top of a tree of files, folders with how many files they hold; a skill may have thousands. */
export function fileTree(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const [first = "", ...rest] = path.split("/");
    const key = rest.length === 0 ? first : `${first}/`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rows = [...counts].map(([name, number]) =>
    name.endsWith("/") ? `${stripControl(name)} (${number})` : stripControl(name),
  );
  const shown = rows.length > MAX_LINES ? rows.slice(0, MAX_LINES - 1) : rows;
  const rest = rows.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].map(
    (row, index, all) => `${index === all.length - 1 ? "└" : "├"} ${row}`,
  );
}
