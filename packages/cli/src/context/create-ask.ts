import type { Ask, PolicyMode, Question, QuestionKind, Session, Skill } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { CliError } from "../cli-error.ts";
import { showSentence } from "../ui/show-path.ts";
import type { CommandContext } from "./command-context.ts";

/** Answers for a person: by a flag, on the terminal, or, where nobody is there, not at all. */
export interface AskDesk {
  readonly ask: Ask;
  /** The question that nobody was there to answer. */
  unanswered(): Question | undefined;
}

interface AskOptions {
  readonly yes: boolean;
  /** The qualified name of the one skill that a person can be asked about after a scan; others wait. */
  readonly named?: string | undefined;
  /** Values for variables that skills lack; nothing else is ever given. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Makes the way to a person for one command; `--json` never asks. */
export function createAsk(context: CommandContext, options: AskOptions): AskDesk {
  let unanswered: Question | undefined;
  const confirm = context.json ? undefined : context.confirm;
  return {
    ask: async (question) => {
      if (question.kind === "dependencies") return { choice: "provide", secrets: options.secrets ?? {} };
      // A scan's warning is no matter for a flag that answers everything, nor for a command about another skill.
      if (question.kind === "verdict" && (question.skill !== options.named || confirm === undefined))
        return undefined;
      if (options.yes && question.kind !== "verdict") return { choice: "allow" };
      if (confirm === undefined) {
        unanswered = question;
        return undefined;
      }
      const reason = showSentence(question.reason, context.environment);
      const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
      return {
        choice: (await confirm(`${sentence} ${ASKS[question.kind] ?? "Load it?"}`)) ? "allow" : "deny",
      };
    },
    unanswered: () => unanswered,
  };
}

const ASKS: Partial<Record<QuestionKind, string>> = {
  script: "Run it?",
  verdict: "Use exactly these files all the same?",
};

/** What a session answers with a no; everything else that it throws is a fault of the call or the machine. */
const REFUSALS: ReadonlySet<string> = new Set([
  "skill-ambiguous",
  "skill-denied",
  "skill-drifted",
  "skill-for-users",
  "skill-not-found",
  "skill-not-offered",
]);

/** A session's no as the end of a command, with exit code 1; undefined for anything else. */
export function refusal(error: unknown): CliError | undefined {
  if (!SkilletError.isInstance(error) || !REFUSALS.has(error.code)) return undefined;
  const { code, message, data } = error;
  const hints = typeof data.rule === "string" ? [`The rule: ${data.rule}`] : [];
  return new CliError(code, message, { exitCode: 1, hints, details: data });
}

/** Why a model is told that there is no such skill when there is one. */
export function hiddenHints(session: Session, skill: Skill): readonly string[] {
  const reason = session.hiddenFrom(skill, "model") ?? "it is not offered";
  return [
    `That is what a model is told, because ${reason}.`,
    `See: skillet explain ${shellArgument(skill.qualifiedName)}`,
  ];
}

/** Says so when the config is stricter than the mode that was asked for, which then does not hold. */
export function warnStricterMode(
  { terminal }: CommandContext,
  { asked, session }: { readonly asked: PolicyMode | undefined; readonly session: Session },
): void {
  if (asked === undefined || asked === session.mode) return;
  terminal.warn(`The config sets ${session.mode} mode, which is stricter than ${asked}; it holds.`);
}
