import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveHome } from "@skillet/core";
import { createTextModel, type TextModel } from "@skillet/kit/chat";
import { digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { parseJson, present } from "@skillet/kit/json";
import { runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";
import { array, object, oneOf, optional, readDocument, text, wholeNumber } from "@skillet/kit/schema";
import {
  createJudge,
  type Judge,
  judgeReport,
  type Opinion,
  type ScanReport,
  type SkillFile,
} from "@skillet/scan";
import { count } from "../ui/text.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { ownConfig, readModelSettings } from "./open-workspace.ts";

/** A model or program that reads skills, and how its verdict counts. */
export interface Reader {
  readonly judge: Judge;
  /** Has a skill read; reports the cost before and after, unless the opinion is cached. */
  read(
    skill: { readonly files: readonly SkillFile[]; readonly report: ScanReport },
    signal?: AbortSignal,
  ): ReturnType<typeof judgeReport>;
}

/** Opens the reader that the user's own config names; undefined if it names none. */
export async function openReader(
  context: CommandContext,
  { keeps = true }: { /** Whether opinions are kept for the next time. */ readonly keeps?: boolean } = {},
): Promise<Reader | undefined> {
  // A project must not decide where skills are sent or which program is started.
  const { command = [], lowersCaution = false } = (await ownConfig(context)).scan.judge;
  const isCommand = command.length > 0;
  const model = isCommand ? commandModel(context, command) : await chatModel(context);
  if (model === undefined) return undefined;
  const asking = createJudge(model, { timeoutMs: isCommand ? COMMAND_TIMEOUT_MS : MODEL_TIMEOUT_MS });
  const judge = remembered(telling(asking, context), context, keeps);
  return {
    judge,
    read: ({ files, report }, signal) =>
      judgeReport({ report, files, judge, lowersCaution, ...(signal && { signal }) }),
  };
}

/** Reports the cost of reading a skill, before and after. */
function telling(judge: Judge, { json, terminal }: CommandContext): Judge {
  const tell = (line: string): void => {
    if (!json) terminal.warn(line);
  };
  return {
    ...judge,
    judge: async (request) => {
      const { files } = request;
      const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
      if (judge.isOut?.() !== true)
        tell(
          `${judge.by} reads ${count(files.length, "file")}: about ${tokens(INSTRUCTION_TOKENS + bytes / 4)}.`,
        );
      const answer = await judge.judge(request);
      const spent = answer.opinion?.tokens;
      if (spent) tell(`  ${tokens(spent.promptTokens)} read, ${tokens(spent.completionTokens)} written.`);
      return answer;
    },
  };
}

// For all questions about one skill; an agent takes longer to start than a server takes to answer.
const MODEL_TIMEOUT_MS = 300_000;
const COMMAND_TIMEOUT_MS = 900_000;

/** The size of the instructions that are sent along with the files. */
const INSTRUCTION_TOKENS = 1_500;

function tokens(number: number): string {
  return count(Math.ceil(number), "token");
}

async function chatModel(context: CommandContext): Promise<TextModel | undefined> {
  const settings = await readModelSettings(context, "scan.judge");
  if (settings === undefined) return undefined;
  const opened = createTextModel(settings);
  if ("model" in opened) return opened.model;
  const message = `${opened.shown} cannot be asked about skills: ${opened.problem}.`;
  const hints = ["Set scan.judge.endpoint to an address like https://api.openai.com/v1."];
  throw new CliError("judge-endpoint-invalid", message, { hints });
}

const MAX_COMMAND_OUTPUT_BYTES = 256 * 1024;

/** Runs the user's own program, such as an agent without tools, in an empty folder with their environment. */
function commandModel({ environment }: CommandContext, command: readonly string[]): TextModel {
  const [name = "", ...args] = command;
  const program = name.startsWith("/") ? name : findProgram(name, environment);
  if (program === undefined)
    throw new CliError("judge-command-missing", `${name}, which scan.judge.command names, is not in PATH.`, {
      hints: ["Install it, or write its whole path into scan.judge.command."],
    });
  return {
    by: command.join(" "),
    ask: async ({ system, prompt, signal }) => {
      // In the project's folder, an agent would read the project's or even the skill's own instructions.
      const cwd = mkdtempSync(join(environment.TMPDIR ?? tmpdir(), "skillet-judge-"));
      try {
        const { ending, exitCode, stdout } = await runProcess({
          argv: [program, ...args],
          cwd,
          environment: present(environment),
          signal,
          stdin: Buffer.from(`${system}\n\n${prompt}`),
          deadlineMs: COMMAND_TIMEOUT_MS,
          maxOutputBytes: MAX_COMMAND_OUTPUT_BYTES,
        });
        if (ending === "exit" && exitCode === 0 && stdout.omittedBytes === 0)
          return { text: Buffer.from(stdout.head).toString("utf8") };
        const why = ending === "exit" ? `ended with ${exitCode ?? "a signal"}` : `was stopped (${ending})`;
        return { failure: { message: `the command ${why}` } };
      } finally {
        rmSync(cwd, { recursive: true, force: true });
      }
    },
  };
}

const MAX_OPINION_BYTES = 64 * 1024;

const opinionSchema = object<Opinion>({
  verdict: oneOf(["safe", "caution", "dangerous"]),
  by: text,
  reasons: array(text),
  tokens: optional(object({ promptTokens: wholeNumber(0), completionTokens: wholeNumber(0) })),
});

/** Asks only once about the same bytes: opinions are cached by digest, model and instructions. */
function remembered(judge: Judge, { environment }: CommandContext, keeps: boolean): Judge {
  const folder = join(resolveHome(environment).home, "cache", "opinions");
  return {
    ...judge,
    judge: async (request) => {
      const key = digestBytes(Buffer.from(`${treeDigestOf(request.files)}\n${judge.by}`));
      const file = join(folder, `${key.slice("sha256:".length)}.json`);
      const known = readDocument(
        opinionSchema,
        parseJson(readBoundedFile(file, { maxBytes: MAX_OPINION_BYTES })),
      ).value;
      if (known !== undefined) return { opinion: known, diagnostics: [] };
      const answer = await judge.judge(request);
      if (!keeps || answer.opinion === undefined || answer.diagnostics.length > 0) return answer;
      try {
        await ensureHome(folder);
        await writeAtomic(file, JSON.stringify(answer.opinion), { mode: 0o600 });
      } catch (error) {
        // If the cache cannot be written, the skill is simply read again next time.
        if (!SkilletError.isInstance(error)) throw error;
      }
      return answer;
    },
  };
}
