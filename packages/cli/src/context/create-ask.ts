import type { Ask, PolicyMode, Question, QuestionKind, Session, Skill } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { showSentence, wrap } from "../ui/text.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";

/** Answers for a person: by a flag, on the terminal, or, where nobody is there, not at all. */
export interface AskDesk {
  readonly ask: Ask;
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
  verdict: "Use exactly these files anyway?",
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

export interface Dialog {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

// For a terminal that does not report its width.
const DEFAULT_COLUMNS = 80;
const ROOM_FOR_ANSWER = 4;

/** Asks for one line; undefined where the input ends or the signal says stop, and Ctrl-C ends the command. */
export function askOnTerminal(
  { input, output }: Dialog,
  question: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  // Not imported: it is wanted here alone, and code from a code cache cannot import anything later.
  const { createInterface } = process.getBuiltinModule("node:readline");
  // Terminals break lines anywhere, also inside words.
  const lines = wrap(question, { width: (output.columns ?? DEFAULT_COLUMNS) - ROOM_FOR_ANSWER });
  for (const line of lines.slice(0, -1)) output.write(`${line}\n`);
  const prompt = createInterface({ input, output });
  const stop = (): void => prompt.close();
  signal?.addEventListener("abort", stop);
  return new Promise<string | undefined>((resolve, reject) => {
    prompt.once("close", () => {
      signal?.removeEventListener("abort", stop);
      resolve(undefined);
    });
    prompt.once("SIGINT", () => {
      output.write("\n");
      reject(interrupted());
      prompt.close();
    });
    prompt.question(`${lines.at(-1) ?? ""} `, (answer) => {
      resolve(answer.trim());
      prompt.close();
    });
  });
}

/** A yes-or-no question on a terminal, or nothing where nobody is there to answer; only a clear yes is one. */
export function createConfirm(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): ((question: string) => Promise<boolean>) | undefined {
  if (input.isTTY !== true || output.isTTY !== true) return undefined;
  return async (question) => {
    // A closed input is a no.
    const answer = await askOnTerminal({ input, output }, `${question} [y/N]`);
    return /^y(?:es)?$/i.test(answer ?? "");
  };
}

/** Asks before something is changed; where nobody is there to answer, the command ends. */
export function confirmChange(
  { confirm, json }: CommandContext,
  question: string,
  refusal: { readonly undone?: string; readonly details: Readonly<Record<string, unknown>> },
): Promise<boolean> {
  if (confirm !== undefined && !json) return confirm(question);
  const { undone = "changed", details } = refusal;
  throw new CliError(
    "confirmation-needed",
    `Nothing was ${undone}: this needs confirmation, and there is no terminal to ask on.`,
    { hints: ["Look with --dry-run, then repeat the command with --yes."], details },
  );
}

/** Ends a command that has to ask where nobody is there to answer, with the command that needs no answer. */
export function yesNeeded(what: string, command: string, reason = ""): CliError {
  const why = reason === "" ? "" : `: ${reason}`;
  return new CliError(
    "confirmation-needed",
    `${what} needs a yes, and there is no terminal to ask on${why}.`,
    { hints: ["To say yes without being asked, run:", `  ${command}`] },
  );
}

/** Ends a command at whose question somebody pressed Ctrl-C: that is no answer, also not the one that a bare enter gives. */
export function interrupted(): CliError {
  return new CliError("interrupted", "Stopped by Ctrl-C; what was asked about was not done.", {
    exitCode: 130,
  });
}

/** Whether an error says no more than that somebody pressed Ctrl-C at a question. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof CliError && error.code === "interrupted";
}
