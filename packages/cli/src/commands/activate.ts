import type { Activation, Skills } from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { lookUpSkill, resolveSkill } from "../resolve-skill.ts";
import { argumentText } from "../session/argument-text.ts";
import { createAsk } from "../session/create-ask.ts";
import { hiddenHints } from "../session/hidden-hints.ts";
import { refusal } from "../session/refusal.ts";
import { printText } from "../ui/print-text.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import { warnDiagnostics } from "../ui/warn-diagnostics.ts";

/** Which skill, called how and by whom. */
export interface ActivateCommandOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly source: "model" | "user";
  readonly yes?: boolean;
}

/** Prints exactly what a model would receive when a skill is loaded. */
export async function activate(context: CommandContext, options: ActivateCommandOptions): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const activation = await load(context, skills, options);
  if (context.json) {
    printJson(context.terminal, toDocument(activation));
    return 0;
  }
  printText(context.terminal, `${activation.text}\n`);
  warnDiagnostics(context, activation.diagnostics);
  return 0;
}

async function load(
  context: CommandContext,
  skills: Skills,
  { name, args, source, yes = false }: ActivateCommandOptions,
): Promise<Activation> {
  const found = lookUpSkill(skills, name, context.workspace);
  const named = found.kind === "found" ? found.skill.qualifiedName : undefined;
  const desk = createAsk(context, { yes, named });
  const session = await skills.session({ interactive: true, ask: desk.ask });
  const given = argumentText(args);
  try {
    return await session.activate(named ?? name, {
      source,
      ...(given !== undefined && { arguments: given }),
    });
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) throw error;
    const question = desk.unanswered();
    if (question !== undefined) throw confirmationNeeded(question.reason, { name, source });
    // Not even a mention, such as /name: says what the name could have meant.
    if (refused.code !== "skill-not-found") throw refused;
    const skill = resolveSkill(skills, name, context.workspace);
    const { code, message, details } = refused;
    throw new CliError(code, message, { exitCode: 1, hints: hiddenHints(session, skill), details });
  }
}

function confirmationNeeded(
  reason: string,
  { name, source }: { readonly name: string; readonly source: string },
): CliError {
  const flags = source === "user" ? "--yes" : `--source ${source} --yes`;
  return new CliError(
    "confirmation-needed",
    `Loading the skill needs a yes, and there is no terminal to ask on: ${reason}.`,
    {
      hints: ["To say yes without being asked, run:", `  skillet activate ${shellQuote(name)} ${flags}`],
    },
  );
}

function toDocument(activation: Activation): Record<string, unknown> {
  const { name, source, digest, treeDigest, text, resources, duplicate, execution, diagnostics } = activation;
  return {
    name,
    source,
    digest,
    ...(treeDigest !== undefined && { treeDigest }),
    text,
    resources,
    duplicate,
    execution,
    diagnostics: diagnostics.map(diagnosticRow),
  };
}
