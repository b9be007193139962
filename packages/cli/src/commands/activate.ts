import type { Activation, Skills, ToolRoots } from "@skillet/core";
import { present } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { refusalError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type OfName } from "../context/command-context.ts";
import { createAsk, hiddenHints, refusal, yesNeeded } from "../context/create-ask.ts";
import { lookUpSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import { printText } from "../ui/terminal.ts";

interface ActivateOptions extends OfName<"yes"> {
  readonly args: readonly string[];
  readonly source: "model" | "user";
  readonly toolRoot?: ToolRoots;
}

export async function activate(context: CommandContext, options: ActivateOptions): Promise<ExitCode> {
  const skills = await openRegistry(context, { ...options, servers: true });
  const activation = await load(context, skills, options);
  const { name, source, digest, treeDigest, text, resources, duplicate, execution, diagnostics } = activation;
  const document = { name, source, digest, treeDigest, text, resources, duplicate, execution, diagnostics };
  answer(context, document, () => []);
  if (!context.json) printText(context.terminal, `${text}\n`);
  warnDiagnostics(context, diagnostics);
  return 0;
}

async function load(
  context: CommandContext,
  skills: Skills,
  { name, args, source, yes = false }: ActivateOptions,
): Promise<Activation> {
  const found = lookUpSkill(skills, name, context.workspace);
  const named = found.kind === "found" ? found.skill.qualifiedName : undefined;
  const desk = createAsk(context, { yes, named });
  const session = await skills.session({ interactive: true, ask: desk.ask });
  const given = argumentText(args);
  try {
    return await session.activate(named ?? name, present({ source, arguments: given }));
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) throw error;
    const question = desk.unanswered();
    if (question !== undefined) {
      const flags = source === "user" ? "--yes" : `--source ${source} --yes`;
      const command = `skillet activate ${shellArgument(name)} ${flags}`;
      throw yesNeeded("Loading the skill", command, question.reason);
    }
    const { code, message, details, hints } = refused;
    // A withheld project skill may have taken the name from a skill that can be used.
    const rest = skills.snapshot.skills.flatMap(({ shadowedBy = "", qualifiedName: other }) =>
      shadowedBy === named ? `Another skill has this name: skillet activate ${shellArgument(other)}` : [],
    );
    // `name` may also be a mention such as /name; resolving it reports what the name could have meant.
    if (code !== "skill-not-found") throw refusalError(code, message, details, [...rest, ...hints]);
    const skill = resolveSkill(skills, name, context.workspace);
    throw refusalError(code, message, details, hiddenHints(session, skill));
  }
}

/** Arguments as typed after a skill's name: one is passed verbatim, several are quoted: `"big file" v2`. */
export function argumentText(args: readonly string[]): string | undefined {
  const [only, second] = args;
  return second === undefined ? only : args.map(quote).join(" ");
}

function quote(word: string): string {
  if (word !== "" && !/[\s"'\\]/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, "\\$&")}"`;
}
