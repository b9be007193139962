import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { present, textOf } from "@skillet/kit/json";
import type { Layout } from "../ui/terminal.ts";
import { firstLines, hang, pad, showPath, showSentence } from "../ui/text.ts";

type Check =
  | ("node" | "home" | "config" | "lock" | "trust" | "approvals" | "selection" | "cache" | "scan")
  | ("audit" | "sandbox" | "hooks" | "settings" | "plugins" | "roots" | "skills" | "names" | "project");

export interface Finding {
  readonly check: Check;
  readonly status: "ok" | "warning" | "problem";
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export function ok(check: Check, message: string, file?: string): Finding {
  return present({ check, status: "ok", message, file });
}

type Place = Pick<Finding, "file" | "line" | "column">;

const found =
  (status: Finding["status"]) =>
  (check: Check, message: string, hint: string, place: Place = {}): Finding => ({
    check,
    status,
    message,
    hint,
    ...place,
  });

export const warning: ReturnType<typeof found> = found("warning");
export const problem: ReturnType<typeof found> = found("problem");

export function findingOf(check: Check, { severity, message, hint, file, range }: Diagnostic): Finding {
  const status = severity === "error" ? "problem" : severity === "warning" ? "warning" : "ok";
  return present({ check, status, message, hint, file, line: range?.line, column: range?.column });
}

export async function checkStore(
  { check, file, hint }: { readonly check: Check; readonly file: string; readonly hint: string },
  read: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await read();
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    // The place and remedy of an error have columns of their own here.
    const message = textOf(error.data, "problem") ?? error.message;
    const { line } = error.data;
    const place = { file, ...(typeof line === "number" && { line }) };
    return [problem(check, message, textOf(error.data, "hint") ?? hint, place)];
  }
}

// A file with many findings would push everything else off the screen; `--json` lists them all.
const MAX_PER_CHECK = 10;
const LABEL_WIDTH = 11;
const INDENT = LABEL_WIDTH + 2;

export function findingList(findings: readonly Finding[], layout: Layout): string[] {
  const checks = [...new Set(findings.map(({ check }) => check))];
  return checks.flatMap((check) =>
    firstLines(
      findings.filter((finding) => finding.check === check),
      MAX_PER_CHECK,
      (finding) => findingEntry(finding, layout),
      (rest) => `${" ".repeat(INDENT)}${layout.colours.dim(`and ${rest} more: skillet doctor --json`)}`,
    ),
  );
}

function findingEntry(finding: Finding, layout: Layout): string[] {
  const { colours, environment } = layout;
  const { check, status, message, file, line, column, hint } = finding;
  const mark = { ok: colours.green("✓"), warning: colours.yellow("!"), problem: colours.red("✗") }[status];
  const lead = `${mark} ${colours.bold(pad(check, LABEL_WIDTH))}`;
  const [first = lead, ...rest] = hang(showSentence(message, environment), layout, { indent: INDENT, lead });
  if (status === "ok") return [first, ...rest];
  const position = [line, column].filter((number) => number !== undefined).map((number) => `:${number}`);
  const below = (text: string, paint: (text: string) => string): string[] =>
    hang(showSentence(text, environment), layout, { indent: INDENT, paint });
  return [
    first,
    ...rest,
    ...(file === undefined ? [] : below(`${showPath(file, environment)}${position.join("")}`, colours.dim)),
    ...(hint === undefined ? [] : below(hint, colours.cyan)),
  ];
}
