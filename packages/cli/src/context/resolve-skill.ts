import { basename, dirname, resolve } from "node:path";
import type { Skill, SkillResolution, Skills, Snapshot } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { shellArgument } from "@skillet/kit/text";
import { CliError } from "../cli-error.ts";
import { diagnosticRow } from "../ui/json-document.ts";

/** Finds the one skill that a name means, or ends the command with what the name could have meant. */
export function resolveSkill(skills: Skills, name: string, workspace: string): Skill {
  const found = lookUpSkill(skills, name, workspace);
  switch (found.kind) {
    case "found":
      return found.skill;
    case "ambiguous":
      throw new CliError("skill-ambiguous", `'${name}' means more than one skill.`, {
        exitCode: 1,
        hints: [
          "Use one of these instead:",
          ...found.candidates.map(({ qualifiedName, path }) => `  ${qualifiedName}  (${path})`),
        ],
        details: {
          name,
          candidates: found.candidates.map(({ qualifiedName, path }) => ({ qualifiedName, path })),
        },
      });
    case "unknown": {
      const { suggestions } = found;
      const diagnostics = findFailures(skills.snapshot, name, workspace);
      if (diagnostics.length > 0) throw notLoaded(name, diagnostics);
      throw new CliError("skill-unknown", `There is no skill '${name}'.`, {
        exitCode: 1,
        hints:
          suggestions.length > 0
            ? [`Did you mean ${suggestions.join(" or ")}?`]
            : ["See what there is: skillet show"],
        details: { name, suggestions },
      });
    }
  }
}

/** What a name means; a path may be typed as the shell completes it: relative, and with a slash at its end. */
export function lookUpSkill(skills: Skills, name: string, workspace: string): SkillResolution {
  const found = skills.find(name);
  if (found.kind !== "unknown" || !name.includes("/")) return found;
  const resolved = skills.find(resolve(workspace, name));
  return resolved.kind === "unknown" ? found : resolved;
}

function notLoaded(name: string, diagnostics: readonly Diagnostic[]): CliError {
  return new CliError("skill-not-loaded", `'${name}' was found, but not loaded.`, {
    exitCode: 1,
    hints: [`See why: skillet explain ${shellArgument(name)}`],
    details: { name, diagnostics: diagnostics.map(diagnosticRow) },
  });
}

/** What discovery says about a file or folder of that name or path; for names that no loaded skill has. */
export function findFailures(snapshot: Snapshot, name: string, workspace: string): readonly Diagnostic[] {
  const path = name.includes("/") ? resolve(workspace, name) : undefined;
  return snapshot.diagnostics.filter(({ file }) => {
    const folder = dirname(file);
    if (path !== undefined) return file === path || folder === path;
    // A command is named by its file, and a folder that may not be entered is the file itself.
    return basename(folder) === name || basename(file) === name || basename(file) === `${name}.md`;
  });
}
