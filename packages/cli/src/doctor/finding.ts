import type { Layout } from "../ui/terminal.ts";
import { pad, showPath, showSentence, wrap } from "../ui/text.ts";

/** One answer of `doctor`: fine, worth a look, or wrong, and then what to do. */
export interface Finding {
  readonly check:
    | "node"
    | "home"
    | "config"
    | "trust"
    | "approvals"
    | "selection"
    | "cache"
    | "audit"
    | "sandbox"
    | "roots"
    | "skills"
    | "names"
    | "project"
    | "arguments";
  readonly status: "ok" | "warning" | "problem";
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

// A body full of prices would push everything else off the screen; `--json` has them all.
const MAX_PER_CHECK = 10;
const LABEL_WIDTH = 11;
const INDENT = " ".repeat(LABEL_WIDTH + 2);

/** Findings for people, grouped by check. */
export function findingList(findings: readonly Finding[], layout: Layout): string[] {
  const checks = [...new Set(findings.map(({ check }) => check))];
  return checks.flatMap((check) => {
    const all = findings.filter((finding) => finding.check === check);
    const listed = all.slice(0, MAX_PER_CHECK);
    const rest = all.length - listed.length;
    return [
      ...listed.flatMap((finding, index) => findingEntry(finding, index === 0 ? check : "", layout)),
      ...(rest > 0 ? [`${INDENT}${layout.colours.dim(`and ${rest} more: skillet doctor --json`)}`] : []),
    ];
  });
}

function findingEntry(finding: Finding, label: string, layout: Layout): string[] {
  const { colours, width } = layout;
  const room = width - INDENT.length;
  const { file, line, column, hint } = finding;
  const place =
    file === undefined ? undefined : `${showPath(file, layout.environment)}${position(line, column)}`;
  const indented = (text: string, paint: (text: string) => string): string[] =>
    wrap(showSentence(text, layout.environment), { width: room }).map((part) => `${INDENT}${paint(part)}`);
  const [first = "", ...rest] = wrap(showSentence(finding.message, layout.environment), { width: room });
  const title = `${mark(finding, layout)} ${colours.bold(pad(label, LABEL_WIDTH))}${first}`;
  if (finding.status === "ok") return [title, ...rest.map((part) => `${INDENT}${part}`)];
  return [
    title,
    ...rest.map((part) => `${INDENT}${part}`),
    ...(place === undefined ? [] : indented(place, colours.dim)),
    ...(hint === undefined ? [] : indented(hint, colours.cyan)),
  ];
}

function mark({ status }: Finding, { colours }: Layout): string {
  if (status === "ok") return colours.green("✓");
  return status === "warning" ? colours.yellow("!") : colours.red("✗");
}

function position(line: number | undefined, column: number | undefined): string {
  if (line === undefined) return "";
  return column === undefined ? `:${line}` : `:${line}:${column}`;
}
