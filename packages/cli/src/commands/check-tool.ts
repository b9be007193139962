import {
  checkToolCall,
  type Decision,
  narrowingOf,
  type PolicyMode,
  type Session,
  type Skill,
} from "@skillet/core";
import { parseJson } from "@skillet/kit/json";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { warnStricterMode } from "../context/create-ask.ts";
import { openRegistry } from "../context/open-registry.ts";
import { resolveSkill } from "../context/resolve-skill.ts";
import { wrap } from "../ui/fit-text.ts";
import { printJson } from "../ui/json-document.ts";
import { showSentence } from "../ui/show-path.ts";
import type { Layout } from "../ui/terminal.ts";
import { warnDiagnostics } from "../ui/warning-list.ts";

/** Which call of which tool, while which skill is active. */
export interface CheckToolOptions {
  readonly name: string;
  readonly tool: string;
  readonly input?: string;
  readonly mode?: PolicyMode;
}

/** Says what the policy answers to a tool call while a skill is active, in a session that permits the tool. */
export async function checkTool(context: CommandContext, options: CheckToolOptions): Promise<ExitCode> {
  requireBareTool(options);
  const { mode } = options;
  const skills = await openRegistry(context);
  const skill = resolveSkill(skills, options.name, context.workspace);
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
  const decision = checkToolCall(
    { tool: options.tool, input: readInput(options.input) },
    {
      narrowing: [[narrowing]],
      layers: skills.config.layers,
      mode: session.mode,
      interactive: true,
      directories: { project },
    },
  );
  if (context.json) {
    const { outcome, reason, rule } = decision;
    printJson(context.terminal, { outcome, reason, ...(rule !== undefined && { rule }) });
    return exitCodeOf(decision);
  }
  const { terminal, environment } = context;
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  for (const line of decisionLines(decision, layout)) terminal.print(line);
  warnDiagnostics(context, diagnostics);
  warnStricterMode(context, { asked: mode, session });
  warnHidden(context, { session, skill, source });
  return exitCodeOf(decision);
}

function requireBareTool({ name, tool }: CheckToolOptions): void {
  if (!tool.includes("(")) return;
  throw new CliError("usage", `'${tool}' is a rule; pass the tool and its input apart.`, {
    hints: [`For example: skillet check-tool ${name} Bash 'git status'`],
  });
}

// Tools with named inputs get them as an object; everything else is the command, path or address itself.
function readInput(input: string | undefined): unknown {
  if (input === undefined || !/^\s*\{\s*["}]/.test(input)) return input;
  return parseJson(input) ?? input;
}

function exitCodeOf({ outcome }: Decision): ExitCode {
  return outcome === "deny" ? 1 : 0;
}

function decisionLines(
  { outcome, reason, rule }: Decision,
  { colours, width, environment }: Layout,
): string[] {
  const mark = { allow: colours.green("✓"), ask: colours.yellow("?"), deny: colours.red("✗") }[outcome];
  const fit = (text: string): string[] => wrap(showSentence(text, environment), { width: width - 2 });
  return [
    `${mark} ${colours.bold(outcome)}`,
    ...fit(reason).map((line) => `  ${line}`),
    ...(rule === undefined ? [] : fit(`rule: ${rule}`).map((line) => `  ${colours.dim(line)}`)),
  ];
}

// The answer holds for when it is active, which it cannot be now.
function warnHidden(
  { terminal, environment }: CommandContext,
  {
    session,
    skill,
    source,
  }: { readonly session: Session; readonly skill: Skill; readonly source: "model" | "user" },
): void {
  const reason = session.hiddenFrom(skill, source);
  if (reason === undefined) return;
  const text = `${skill.qualifiedName} would not be loaded now: ${reason}.`;
  for (const line of wrap(showSentence(text, environment), { width: terminal.errorLineWidth }))
    terminal.warn(terminal.errorColours.dim(line));
}
