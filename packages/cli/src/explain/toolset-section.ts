import { wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { ToolRow, ToolsetRow } from "./toolset-rows.ts";

const MAX_LINES = 8;
// Eight files of 32 tools are possible; `--json` has them all.
const MAX_TOOLS = 30;

/** The tools that a skill declares, file by file, each with whether its script may run. */
export function toolsetSection(toolsets: readonly ToolsetRow[], layout: Layout): string[] {
  if (toolsets.length === 0) return [];
  const { colours } = layout;
  let room = MAX_TOOLS;
  let rest = 0;
  const shown = toolsets.flatMap(({ file, supported, tools }) => {
    const listed = tools.slice(0, room);
    room -= listed.length;
    rest += tools.length - listed.length;
    return [
      ...lines(`${file}${supported ? "" : ": not supported here"}`, "  ", layout),
      ...listed.flatMap((tool) => toolLines(tool, layout)),
    ];
  });
  const more = rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : [];
  return [colours.bold("Declared tools"), ...shown, ...more];
}

function toolLines({ name, script, allowed, reason, once }: ToolRow, layout: Layout): string[] {
  const { colours } = layout;
  const [first = "", ...rest] = lines(`${name}: ${script}`, "", { ...layout, width: layout.width - 6 });
  return [
    `    ${allowed ? colours.green("✓") : colours.red("✗")} ${first}`,
    ...rest.map((line) => `      ${line}`),
    ...lines(`${allowed ? "allowed" : "not allowed"}: ${reason}`, "      ", layout).map(colours.dim),
    // A command stays on one line, to be copied.
    ...(once === undefined ? [] : [colours.dim("      for one run:"), `        ${stripControl(once)}`]),
  ];
}

function lines(text: string, indent: string, { width }: Layout): string[] {
  return wrap(stripControl(text), { width: width - indent.length, maxLines: MAX_LINES }).map(
    (line) => `${indent}${line}`,
  );
}
