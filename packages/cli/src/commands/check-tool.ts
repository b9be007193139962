import { checkToolCall, narrowingOf, type PolicyMode } from "@skillet/core";
import { parseJson } from "@skillet/kit/json";
import { refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type OfName } from "../context/command-context.ts";
import { warnStricterMode } from "../context/create-ask.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import { hang, showSentence } from "../ui/text.ts";

interface CheckToolOptions extends OfName {
  readonly tool: string;
  readonly input?: string;
  readonly mode?: PolicyMode;
}

export async function checkTool(context: CommandContext, options: CheckToolOptions): Promise<ExitCode> {
  const { name, tool, input, mode } = options;
  refuseUsage("check-tool", [
    [
      tool.includes("("),
      `'${tool}' is a rule; pass the tool and its input separately.`,
      `For example: skillet check-tool ${name} Bash 'git status'`,
    ],
  ]);
  const skills = await openRegistry(context, { servers: true });
  const skill = resolveSkill(skills, name, context.workspace);
  const session = await skills.session({ interactive: true, ...(mode !== undefined && { mode }) });
  const project = skills.project?.root ?? context.workspace;
  const source = skill.manifest.invocation.user ? "user" : "model";
  // The skill is not activated, so that this also works if it lacks a command or waits for trust.
  const { narrowing, diagnostics } = narrowingOf(skill, { source, project });
  // Tools with named inputs get an object; other tools get the command, path or address itself.
  const isObject = input !== undefined && /^\s*\{\s*["}]/.test(input);
  const decided = checkToolCall(
    { tool, input: isObject ? (parseJson(input) ?? input) : input },
    {
      narrowing: [[narrowing]],
      layers: skills.config.layers,
      mode: session.mode,
      interactive: true,
      directories: { project },
    },
  );
  // An "allow" without a rule: neither the skill nor the config decided, which permits nothing.
  const { reason, rule } = decided;
  const outcome = decided.outcome === "allow" && rule === undefined ? "undecided" : decided.outcome;
  const { terminal, environment, json } = context;
  const { colours, errors } = terminal;
  const title = {
    allow: `${colours.green("✓")} ${colours.bold("allow")}`,
    ask: `${colours.yellow("?")} ${colours.bold("ask")}`,
    deny: `${colours.red("✗")} ${colours.bold("deny")}`,
    undecided: `${colours.dim("○")} ${colours.bold("the agent decides")}`,
  }[outcome];
  const ruled = rule === undefined ? "" : `rule: ${showSentence(rule, environment)}`;
  const exitCode = answer(
    context,
    { outcome, reason, rule },
    () => [
      title,
      ...hang(showSentence(reason, environment), terminal, { indent: 2 }),
      ...hang(ruled, terminal, { indent: 2, paint: colours.dim }),
    ],
    outcome === "deny" ? 1 : 0,
  );
  if (json) return exitCode;
  warnDiagnostics(context, diagnostics);
  warnStricterMode(context, { asked: mode, session });
  const { hidden } = session.mayUse(skill, { source });
  // The answer assumes that the skill is active, but this one cannot be activated now.
  if (hidden !== undefined) {
    const text = `${skill.qualifiedName} would not be loaded now: ${hidden}.`;
    terminal.warn(hang(showSentence(text, environment), errors, { paint: errors.colours.dim }));
  }
  return exitCode;
}
