import { join, resolve } from "node:path";
import type { Skills } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { pathKind } from "./path-kind.ts";

// Where projects keep skills that Skillet does not look into by itself, or not yet.
const USUAL_FOLDERS = ["skills", ".skillet/skills", ".agents/skills", ".claude/skills"];
const MAX_ROOTS = 4;

/** A name that means no skill, or several: where it was looked up, and the path of a folder that may have been meant. */
export function unknownName(
  word: string,
  {
    error,
    skills,
    context,
  }: { readonly error: CliError; readonly skills: Skills; readonly context: CommandContext },
): Diagnostic {
  const folder = USUAL_FOLDERS.map((parent) => join(parent, word)).find(
    (path) => pathKind(resolve(context.workspace, path)) !== "nothing",
  );
  const hints =
    folder === undefined ? error.hints : [`For the folder ${folder}: skillet scan ${shellQuote(folder)}`];
  return {
    code: error.code,
    severity: "error",
    message: `${error.message} ${lookedIn(skills, context)}`,
    file: word,
    hint: hints.map((hint) => hint.trim()).join(" "),
  };
}

function lookedIn({ snapshot }: Skills, { environment }: CommandContext): string {
  const roots = snapshot.roots
    .filter(({ state }) => state !== "missing")
    .map(({ path }) => showPath(path, environment));
  const shown = roots.slice(0, MAX_ROOTS).join(", ");
  const rest = roots.length > MAX_ROOTS ? ` and ${roots.length - MAX_ROOTS} more` : "";
  const where = roots.length === 0 ? "" : `, in ${shown}${rest}`;
  return `A word without a slash is looked up among the ${count(snapshot.skills.length, "skill")} that Skillet finds${where}.`;
}
