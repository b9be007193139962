import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import type { Located } from "@skillet/kit/located";
import { locateYaml } from "../../../config/locate-yaml.ts";
import type { DeclaredTool } from "./declared-toolset.ts";
import { readTool, warnUnknownKeys } from "./read-tool.ts";
import { MAX_TOOLS } from "./tool-limits.ts";
import { ToolsetFaults } from "./toolset-faults.ts";

/** Reads the text of a toolset file, YAML or JSON: every tool that is whole, and what is wrong with the others. */
export function parseToolset(
  text: string,
  options: { readonly file: string },
): { readonly tools: readonly DeclaredTool[]; readonly diagnostics: readonly Diagnostic[] } {
  const faults = new ToolsetFaults(options.file);
  const tools = readTools(text.replace(/^\uFEFF/, ""), faults).flatMap(
    (node) => readTool(node, faults) ?? [],
  );
  return { tools, diagnostics: faults.finish() };
}

function readTools(text: string, faults: ToolsetFaults): readonly Located[] {
  const { root, faults: yamlFaults } = locateYaml(text);
  for (const { range, message, hint } of yamlFaults)
    addInvalid(faults, range, `${capitalised(message)}, so its tools are left out.`, `${capitalised(hint)}.`);
  if (yamlFaults.length > 0) return [];
  const tools = root.kind === "map" ? root.entries.find(({ key }) => key === "tools")?.value : undefined;
  if (root.kind !== "map" || tools?.kind !== "list") {
    const { range } = tools ?? root;
    addInvalid(faults, range, "The file has no list of tools.", "Write tools: and a list below it.");
    return [];
  }
  warnUnknownKeys(root, ["tools"], faults);
  const rest = tools.items[MAX_TOOLS];
  if (rest === undefined) return tools.items;
  faults.add(rest.range, {
    code: "toolset-limit",
    severity: "error",
    message: `The file declares more than ${MAX_TOOLS} tools; this one and those behind it are left out.`,
    hint: "Declare fewer: models are told about every one of them.",
  });
  return tools.items.slice(0, MAX_TOOLS);
}

function addInvalid(faults: ToolsetFaults, range: Range | undefined, message: string, hint: string): void {
  faults.add(range, { code: "toolset-invalid", severity: "error", message, hint });
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
