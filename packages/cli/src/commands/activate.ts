import type { Activation, Skills } from "@skillet/core";
import { shellArgument } from "@skillet/kit/text";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { createAsk, hiddenHints, refusal } from "../context/create-ask.ts";
import { openRegistry } from "../context/open-registry.ts";
import { lookUpSkill, resolveSkill } from "../context/resolve-skill.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import { printText } from "../ui/strip-control.ts";
import { warnDiagnostics } from "../ui/warning-list.ts";

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
      hints: ["To say yes without being asked, run:", `  skillet activate ${shellArgument(name)} ${flags}`],
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

/**
 * The text that somebody would have typed behind a skill's name, for arguments of a command line.
 *
 * One argument is that text already. Several were words to the shell, and stay words: `"big file" v2`.
 */
export function argumentText(args: readonly string[]): string | undefined {
  const [only, second] = args;
  return second === undefined ? only : args.map(quote).join(" ");
}

function quote(word: string): string {
  if (word !== "" && !/[\s"'\\]/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, "\\$&")}"`;
}
