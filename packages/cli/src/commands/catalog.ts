import { estimateTokens, renderCatalogXml, type Skill } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { printJson } from "../output/json-document.ts";
import { formatTokens } from "../ui/format-quantity.ts";
import { count } from "../ui/skill-state.ts";
import { showControl } from "../ui/strip-control.ts";

/** Prints what a model is told about the skills it may load. */
export async function catalog(
  context: CommandContext,
  options: { readonly format: "xml" | "json" },
): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const offered = skills.list().filter((skill) => skill.manifest.invocation.model);
  const text = options.format === "json" ? renderJson(offered) : renderCatalogXml(offered);
  const tokens = estimateTokens(text.length);
  const { terminal } = context;
  if (context.json) {
    const shown = offered.map(({ qualifiedName }) => qualifiedName);
    printJson(terminal, { text, tokens, report: { shown, shortened: [], omitted: [] } });
    return 0;
  }
  for (const line of text === "" ? [] : text.split("\n")) terminal.print(showControl(line));
  const note =
    offered.length === 0
      ? "No skill is offered, so a model is told nothing. To see why: skillet show"
      : `${count(offered.length, "skill")}, ${formatTokens(tokens)} tokens`;
  terminal.warn(terminal.errorColours.dim(note));
  return 0;
}

function renderJson(skills: readonly Skill[]): string {
  if (skills.length === 0) return "";
  const entries = skills.map(({ qualifiedName, manifest, path }) => ({
    name: qualifiedName,
    description: manifest.description,
    location: path,
  }));
  return JSON.stringify(entries, undefined, 2);
}
