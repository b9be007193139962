import type { Diagnostic } from "@skillet/kit/diagnostics";
import { quoteName } from "@skillet/kit/text";
import type { DeclaredTool, DeclaredToolset } from "./declared-toolset.ts";
import type { ListedFile, ToolsetFiles } from "./read-toolsets.ts";

/** Leaves out tools that share a name, in one file or in several, and those whose script is not there or a link. */
export function checkTools(
  toolsets: readonly DeclaredToolset[],
  { files, pathOf }: ToolsetFiles,
): readonly DeclaredToolset[] {
  const kinds = new Map(files.map(({ path, kind }) => [path, kind]));
  const counts = new Map<string, number>();
  for (const { name } of toolsets.flatMap(({ tools }) => tools))
    counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  const checked: DeclaredToolset[] = [];
  for (const toolset of toolsets) {
    const tools: DeclaredTool[] = [];
    const diagnostics: Diagnostic[] = [...toolset.diagnostics];
    for (const tool of toolset.tools) {
      const place = {
        file: pathOf(toolset.file),
        ...(tool.range !== undefined && { range: tool.range }),
      };
      if ((counts.get(keyOf(tool.name)) ?? 0) > 1) diagnostics.push({ ...nameTaken(tool), ...place });
      else if (kinds.get(tool.script) === "file") tools.push(tool);
      else diagnostics.push({ ...scriptMissing(tool, kinds.get(tool.script)), ...place });
    }
    checked.push({ ...toolset, tools, diagnostics });
  }
  return checked;
}

// Hosts compare the names of tools without regard to case.
function keyOf(name: string): string {
  return name.toLowerCase();
}

function nameTaken({ name }: DeclaredTool): Omit<Diagnostic, "file"> {
  return {
    code: "tool-name-taken",
    severity: "error",
    message: `More than one tool of the skill is called ${name}, so all of them are left out.`,
    hint: "Give each a name of its own; upper and lower case are the same.",
  };
}

function scriptMissing(
  { name, script }: DeclaredTool,
  kind: ListedFile["kind"] | undefined,
): Omit<Diagnostic, "file"> {
  const shown = quoteName(script);
  const isLink = kind === "link";
  const problem = isLink ? `${shown} is a link, and links are not run` : `the skill has no script ${shown}`;
  return {
    code: "tool-script-missing",
    severity: "error",
    message: `The tool ${name} is left out: ${problem}.`,
    hint: isLink ? "Put the script itself there." : "Correct the path, or add the script.",
  };
}
