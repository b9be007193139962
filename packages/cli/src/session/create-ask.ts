import type { Ask, Question, QuestionKind } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import { showSentence } from "../ui/show-path.ts";

/** Answers for a person: by a flag, on the terminal, or, where nobody is there, not at all. */
export interface AskDesk {
  readonly ask: Ask;
  /** The question that nobody was there to answer. */
  unanswered(): Question | undefined;
}

/** What the flags of a command answer. */
export interface AskOptions {
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
