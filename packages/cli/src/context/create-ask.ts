import type { Ask, PolicyMode, Question, QuestionKind, Session, Skill } from "@skillet/core";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { hang, showSentence, stripControl, wrap } from "../ui/text.ts";
import { CliError, refusalError } from "./cli-error.ts";
import type { CommandContext, Dialog } from "./command-context.ts";

interface AskOptions {
  readonly yes: boolean;
  /** The qualified name of the only skill that the user is asked about after a scan; others wait. */
  readonly named?: string | undefined;
  /** Values for variables that skills lack; no other variables are ever passed. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Whether the user has just approved the script that a rule asks about. */
  readonly isScriptAgreed?: () => boolean;
}

/** Answers a session's questions for one command, from flags or on the terminal; `--json` never asks. */
export function createAsk(
  context: CommandContext,
  options: AskOptions,
): { readonly ask: Ask; unanswered(): Question | undefined } {
  let unanswered: Question | undefined;
  const verdicts = new Map<string | undefined, string>();
  const { confirm } = context;
  return {
    ask: async (question) => {
      if (question.kind === "dependencies") return { choice: "provide", secrets: options.secrets ?? {} };
      // Neither `--yes` nor a command about another skill approves what a scan warns about.
      if (question.kind === "verdict" && (question.skill !== options.named || confirm === undefined))
        return undefined;
      if (options.yes && question.kind !== "verdict") return { choice: "allow" };
      if (question.kind === "script" && options.isScriptAgreed?.() === true) return { choice: "allow" };
      if (confirm === undefined) {
        unanswered = question;
        return undefined;
      }
      if (question.kind === "verdict") {
        // A skill with links that lead outside it is judged again when it is loaded.
        const choice = verdicts.get(question.digest) ?? (await askOnce(context, question, confirm));
        verdicts.set(question.digest, choice);
        return { choice };
      }
      const reason = showSentence(question.reason, context.environment);
      const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
      const isAllowed = await confirm(`${sentence} ${ASKS[question.kind] ?? "Load it?"}`);
      return { choice: isAllowed ? "allow" : "deny" };
    },
    unanswered: () => unanswered,
  };
}

const ASKS: Partial<Record<QuestionKind, string>> = { script: "Run it?" };

/** Asks about a scan's warning. The answer is for this command only; lasting approval has its own command. */
async function askOnce(
  { terminal }: CommandContext,
  { skill, shown = "" }: Question,
  confirm: (question: string) => Promise<boolean>,
): Promise<string> {
  const { errors } = terminal;
  const name = stripControl(skill);
  terminal.warn([
    ...hang(`The scan calls ${name} dangerous:`, errors),
    ...shown.split("\n").flatMap((line) => hang(stripControl(line), errors, { indent: 4, lead: "  " })),
    `To approve it for good: skillet trust --approve ${shellArgument(name)}`,
  ]);
  return (await confirm(`Use exactly these files of ${name} this time?`)) ? "allow" : "deny";
}

// Other errors of a session are wrong usage or problems of the machine.
const REFUSALS: ReadonlySet<string> = new Set(
  "skill-ambiguous skill-denied skill-drifted skill-for-users skill-not-found skill-not-offered".split(" "),
);

/** Turns a session's refusal into an error with exit code 1; undefined for anything else. */
export function refusal(error: unknown): CliError | undefined {
  if (!SkilletError.isInstance(error) || !REFUSALS.has(error.code)) return undefined;
  const { code, message, data } = error;
  const hints = typeof data.rule === "string" ? [`The rule: ${data.rule}`] : [];
  return refusalError(code, message, data, hints);
}

export function hiddenHints(session: Session, skill: Skill): readonly string[] {
  const reason = session.mayUse(skill).hidden ?? "it is not offered";
  return [
    `That is what a model is told, because ${reason}.`,
    `See: skillet explain ${shellArgument(skill.qualifiedName)}`,
  ];
}

export function warnStricterMode(
  { terminal }: CommandContext,
  { asked, session }: { readonly asked: PolicyMode | undefined; readonly session: Session },
): void {
  if (asked === undefined || asked === session.mode) return;
  terminal.warn(`The config sets ${session.mode} mode, which is stricter than ${asked}, so it applies.`);
}

// For terminals that do not report their width.
const DEFAULT_COLUMNS = 80;
const ROOM_FOR_ANSWER = 4;

/** Asks for one line; undefined at the end of input or if the signal aborts. Ctrl-C ends the command. */
export function askOnTerminal(
  { input, output }: Dialog,
  question: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  // Not imported: only this code needs it, and code from a code cache cannot import anything later.
  const { createInterface } = process.getBuiltinModule("node:readline");
  discardTypedAhead(input);
  // Terminals break lines anywhere, even inside words.
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

/** Discards what was typed before the question was shown, because it cannot be an answer to it. */
export function discardTypedAhead(input: NodeJS.ReadStream): void {
  if (input.isTTY !== true || process.platform === "win32") return;
  const { closeSync, constants, openSync, readSync } = process.getBuiltinModule("node:fs");
  let terminal: number | undefined;
  // Otherwise an unfinished line would remain.
  input.setRawMode(true);
  try {
    terminal = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const bytes = Buffer.alloc(4096);
    for (let read = -1; read !== 0; ) {
      read = readSync(terminal, bytes);
      if (bytes.subarray(0, read).includes(CTRL_C)) throw interrupted();
    }
  } catch (error) {
    // EAGAIN: nothing is left. Without a controlling terminal, nothing can be discarded.
    if (!["EAGAIN", "ENXIO", "ENOENT", "EACCES"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    input.setRawMode(false);
    if (terminal !== undefined) closeSync(terminal);
  }
}

const CTRL_C = 3;

export function confirmChange(
  { confirm }: CommandContext,
  question: string,
  { undone = "changed", details }: { undone?: string; details: Readonly<Record<string, unknown>> },
): Promise<boolean> {
  if (confirm !== undefined) return confirm(question);
  const message = `Nothing was ${undone}: this needs confirmation, and there is no terminal to ask on.`;
  const hints = ["Look with --dry-run, then repeat the command with --yes."];
  throw new CliError("confirmation-needed", message, { hints, details });
}

/** The error for a question without a terminal; names the command that needs no answer. */
export function yesNeeded(what: string, command: string, reason = ""): CliError {
  const why = reason === "" ? "" : `: ${reason}`;
  const message = `${what} needs confirmation, and there is no terminal to ask on${why}.`;
  const hints = ["To confirm without being asked, run:", `  ${command}`];
  return new CliError("confirmation-needed", message, { hints });
}

/** Ctrl-C at a question is not an answer, not even the default one. */
export function interrupted(how = "by Ctrl-C"): CliError {
  const message = `Stopped ${how}; what was asked about was not done.`;
  return new CliError("interrupted", message, { exitCode: 130 });
}

export function isInterrupted(error: unknown): boolean {
  return error instanceof CliError && error.code === "interrupted";
}
