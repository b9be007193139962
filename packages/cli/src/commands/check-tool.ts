import { checkToolCall, narrowingOf, type PolicyMode } from "@skillet/core";
import { parseJson } from "@skillet/kit/json";
import { CliError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { warnStricterMode } from "../context/create-ask.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import { hang, showSentence } from "../ui/text.ts";

interface CheckToolOptions {
  readonly name: string;
  readonly tool: string;
  readonly input?: string;
  readonly mode?: PolicyMode;
}

export async function checkTool(context: CommandContext, options: CheckToolOptions): Promise<ExitCode> {
  const { name, tool, mode } = options;
  if (tool.includes("("))
    throw new CliError("usage", `'${tool}' is a rule; pass the tool and its input apart.`, {
      hints: [`For example: skillet check-tool ${name} Bash 'git status'`],
    });
  const skills = await openRegistry(context);
  const skill = resolveSkill(skills, name, context.workspace);
  // Named, as locked mode asks for; a rule can still keep it from being loaded.
  const session = await skills.session({
    interactive: true,
    allow: [skill.qualifiedName],
    ...(mode !== undefined && { mode }),
  });
  const project = skills.project?.root ?? context.workspace;
  const source = skill.manifest.invocation.user ? "user" : "model";
  // Not activated: what a skill narrows can be asked also where it lacks a command or waits for trust.
  const { narrowing, diagnostics } = narrowingOf(skill, { source, project });
  const { outcome, reason, rule } = checkToolCall(
    { tool, input: readInput(options.input) },
    {
      narrowing: [[narrowing]],
      layers: skills.config.layers,
      mode: session.mode,
      interactive: true,
      directories: { project },
    },
  );
  const { terminal, environment } = context;
  const { colours } = terminal;
  const mark = { allow: colours.green("✓"), ask: colours.yellow("?"), deny: colours.red("✗") }[outcome];
  const fit = (text: string, paint?: (line: string) => string): string[] =>
    hang(showSentence(text, environment), terminal, { indent: 2, ...(paint && { paint }) });
  const exitCode = answer(
    context,
    { outcome, reason, ...(rule !== undefined && { rule }) },
    () => [
      `${mark} ${colours.bold(outcome)}`,
      ...fit(reason),
      ...(rule === undefined ? [] : fit(`rule: ${rule}`, colours.dim)),
    ],
    outcome === "deny" ? 1 : 0,
  );
  if (context.json) return exitCode;
  warnDiagnostics(context, diagnostics);
  warnStricterMode(context, { asked: mode, session });
  const hidden = session.hiddenFrom(skill, source);
  // The answer holds for when it is active, which it cannot be now.
  if (hidden !== undefined) {
    const text = showSentence(`${skill.qualifiedName} would not be loaded now: ${hidden}.`, environment);
    terminal.warn(hang(text, terminal.errors, { paint: terminal.errors.colours.dim }));
  }
  return exitCode;
}

// Tools with named inputs get them as an object; everything else is the command, path or address itself.
function readInput(input: string | undefined): unknown {
  if (input === undefined || !/^\s*\{\s*["}]/.test(input)) return input;
  return parseJson(input) ?? input;
}
