import type { Diagnostic } from "../../../diagnostic.ts";
import { SkilletError } from "../../../skillet-error.ts";
import { quoteName } from "../../activate/show-name.ts";
import type { DeclaredTool, DeclaredToolset } from "./declared-toolset.ts";
import type { ToolsetFiles } from "./read-toolsets.ts";

/** Leaves out tools that share a name, in one file or in several, and those whose script is not there. */
export async function checkTools(
  toolsets: readonly DeclaredToolset[],
  files: ToolsetFiles,
): Promise<readonly DeclaredToolset[]> {
  const counts = new Map<string, number>();
  for (const { name } of toolsets.flatMap(({ tools }) => tools))
    counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  const checked: DeclaredToolset[] = [];
  for (const toolset of toolsets) {
    const tools: DeclaredTool[] = [];
    const diagnostics: Diagnostic[] = [...toolset.diagnostics];
    for (const tool of toolset.tools) {
      const place = {
        file: files.pathOf(toolset.file),
        ...(tool.range !== undefined && { range: tool.range }),
      };
      if ((counts.get(keyOf(tool.name)) ?? 0) > 1) diagnostics.push({ ...nameTaken(tool), ...place });
      else if (!(await hasScript(tool.script, files))) diagnostics.push({ ...scriptMissing(tool), ...place });
      else tools.push(tool);
    }
    checked.push({ ...toolset, tools, diagnostics });
  }
  return checked;
}

// Hosts compare the names of tools without regard to case.
function keyOf(name: string): string {
  return name.toLowerCase();
}

async function hasScript(path: string, { resources, read }: ToolsetFiles): Promise<boolean> {
  if (resources !== undefined)
    return resources.some((resource) => resource.path === path && resource.script !== undefined);
  try {
    await read(path, { maxBytes: 1 });
    return true;
  } catch (error) {
    if (SkilletError.isInstance(error)) return false;
    throw error;
  }
}

function nameTaken({ name }: DeclaredTool): Omit<Diagnostic, "file"> {
  return {
    code: "tool-name-taken",
    severity: "error",
    message: `More than one tool of the skill is called ${name}, so all of them are left out.`,
    hint: "Give each a name of its own; upper and lower case are the same.",
  };
}

function scriptMissing({ name, script }: DeclaredTool): Omit<Diagnostic, "file"> {
  return {
    code: "tool-script-missing",
    severity: "error",
    message: `The tool ${name} is left out: the skill has no script ${quoteName(script)}.`,
    hint: "Correct the path, or add the script.",
  };
}
