import type { Skill } from "@skillet/core";
import type { Inspection } from "@skillet/scan";
import type { CommandContext } from "../command-context.ts";
import { wrap } from "../ui/fit-text.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import { showPath } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Shows what a scan found, before somebody is asked: verdict, place, digest and the worst findings. */
export function presentInspection(
  { terminal, environment }: CommandContext,
  { qualifiedName, path }: Skill,
  { verdict, origin, digest, known }: Inspection,
): void {
  const { colours, width } = terminal;
  const paint = verdict === "safe" ? colours.green : verdict === "caution" ? colours.yellow : colours.red;
  terminal.print(`${colours.bold(stripControl(qualifiedName))}  ${paint(verdict)}  ${colours.dim(origin)}`);
  terminal.print(`  ${showPath(path, environment)}`);
  terminal.print(`  ${colours.dim(digest ?? "no digest: not all of its files can be read")}`);
  for (const { rule, file, line, message } of known.findings)
    printIndented(`${rule}  ${file}:${line}  ${message}`);
  const { critical, warn } = known.counts;
  const more = critical + warn - known.findings.length;
  if (more > 0) printIndented(`and ${more} more: skillet scan ${shellQuote(qualifiedName)}`);
  for (const opinion of known.opinions)
    printIndented(`${opinion.by} calls it ${opinion.verdict}: ${opinion.reasons.join(" ")}`);

  function printIndented(text: string): void {
    for (const line of wrap(stripControl(text), { width: width - 4 })) terminal.print(`    ${line}`);
  }
}
