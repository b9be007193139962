import { statSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { FoundSession, Skillified, SkillifyAnswers } from "@skillet/author";
import { type Ask, parseSkill, type Question, resolveHome, type Skill, type Skills } from "@skillet/core";
import { locateYaml, recordAgentMade } from "@skillet/core/internal";
import { canonicalPath, readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { plainValue } from "@skillet/kit/located";
import { array, flag, object, oneOf, optional, readDocument, text } from "@skillet/kit/schema";
import { shellArgument } from "@skillet/kit/text";
import { CliError, refusalError, usageError } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type Dialog,
  type ExitCode,
  type Flags,
  type Texts,
} from "../context/command-context.ts";
import { askOnTerminal, yesNeeded } from "../context/create-ask.ts";
import { openRegistry, readInstalled } from "../context/open-registry.ts";
import { modelMissing, openWorkspace, readModelSettings } from "../context/open-workspace.ts";
import { newNameProblem } from "../hub/plan-import.ts";
import { loadAuthoring, loadScanning, loadSelecting } from "../load-beside.ts";
import { formatBytes, hang, showControl, showPath, stripControl } from "../ui/text.ts";
import { linkLines, placeNewSkill, placeSkill } from "./new.ts";

interface SkillifyCommand
  extends Flags<"yes" | "improve" | "model">,
    Texts<"transcript" | "answers" | "out"> {}

const MAX_ANSWERS_BYTES = 64 * 1024;
const MAX_SKILL_BYTES = 1024 * 1024;

export async function skillifySession(context: CommandContext, options: SkillifyCommand): Promise<ExitCode> {
  const dialog = options.yes === true ? undefined : context.dialog;
  const answers: SkillifyAnswers = {
    ...(options.out !== undefined && { place: "project" }),
    ...readAnswers(context, options.answers),
    ...(options.improve === false && { improve: false }),
  };
  const { readTranscript, skillify } = loadAuthoring();
  const path = await choosePath(context, options.transcript, dialog);
  if (path === undefined) return declined(context);
  const transcript = await readTranscript(path, { environment: context.environment });
  if (dialog === undefined && options.yes !== true)
    throw yesNeeded("Saving a skill", `skillet skillify ${shellArgument(path)} --yes`);
  for (const { message } of transcript.diagnostics) context.terminal.warn(showControl(message));
  const skills = await openRegistry(context);
  const { userHome, project } = openWorkspace(context);
  const made = await skillify(transcript, {
    answers,
    userHome,
    names: namesOf(context, userHome),
    place: project ? "project" : "user",
    ask: dialog && askRound(context, dialog),
    readSkill: async (name) => (await ownSkill(context, skills, name))?.text,
    model: options.model === true ? await openModel(context) : undefined,
  });
  if (made === undefined) return declined(context);
  if (made.modelFailure !== undefined)
    context.terminal.warn(`The model did not help: ${stripControl(made.modelFailure)}.`);
  const saved = await save(context, made, { skills, out: options.out });
  const checks = await check(saved);
  return answer(context, { kind: made.kind, ...saved.shown, removed: made.removed, ...checks }, () =>
    screen(context, made, saved, checks),
  );
}

const ANSWERS = object<SkillifyAnswers>(
  {
    name: optional(text),
    description: optional(text),
    improve: optional(flag),
    phrases: optional(array(text)),
    exclusions: optional(array(text)),
    tools: optional(array(text)),
    context: optional(oneOf(["inline", "fork"])),
    arguments: optional(array(text)),
    place: optional(oneOf(["project", "user"])),
  },
  { unknown: "refuse" },
);

function readAnswers({ workspace }: CommandContext, file: string | undefined): SkillifyAnswers {
  if (file === undefined) return {};
  const bytes = readBoundedFile(resolve(workspace, file), { maxBytes: MAX_ANSWERS_BYTES });
  if (bytes === undefined) throw usageError("skillify", `There is no file ${file}.`);
  const { root, faults } = locateYaml(Buffer.from(bytes).toString());
  const read = readDocument(ANSWERS, plainValue(root), { name: file, format: "yaml" });
  const [fault] = [...faults, ...read.faults];
  const problem =
    fault?.message ?? (read.value?.name === undefined ? undefined : newNameProblem(read.value.name));
  if (problem !== undefined) throw usageError("skillify", `${file}: ${problem}`);
  return read.value ?? {};
}

function declined({ terminal }: CommandContext): ExitCode {
  terminal.print("Nothing was saved.");
  return 1;
}

/** Returns the named file, or the user's choice among the newest ones here; undefined at end of input. */
async function choosePath(
  context: CommandContext,
  given: string | undefined,
  dialog: Dialog | undefined,
): Promise<string | undefined> {
  const { workspace, environment, terminal } = context;
  if (given !== undefined) {
    const path = resolve(workspace, given);
    // A run of Skillet's own agent is a folder.
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
      ? join(path, "conversation.jsonl")
      : path;
  }
  const { home, userHome, folders } = openWorkspace(context);
  const places = [...new Set([workspace, ...folders])];
  const { findSessions, redactText } = loadAuthoring();
  const found = await findSessions({ folders: places, userHome, home, environment });
  // A title is the beginning of what the user typed, so it may contain secrets.
  const sessions = found.map((session) => ({ ...session, title: redactText(session.title, { userHome }) }));
  const rows = sessions.map((session, index) => sessionRow(session, index + 1));
  if (sessions.length === 0 || dialog === undefined)
    throw new CliError("transcript-needed", "Say which conversation to make a skill of.", {
      hints:
        sessions.length === 0
          ? ["None about this project was found. Name a file: skillet skillify FILE"]
          : sessions.map(({ path }) => `skillet skillify ${shellArgument(path)} --yes`),
      details: { sessions },
    });
  terminal.warn(rows.flatMap((row) => hang(row, terminal.errors, { indent: 3 })));
  for (;;) {
    const typed = await askOnTerminal(dialog, "Which conversation? [1]");
    if (typed === undefined) return undefined;
    const chosen = sessions[(typed === "" ? 1 : Number(typed)) - 1];
    if (chosen !== undefined) return chosen.path;
    terminal.warn(`Type a number from 1 to ${sessions.length}.`);
  }
}

function sessionRow({ title, modified, bytes, format }: FoundSession, number: number): string {
  const day = modified.toISOString().slice(0, 16).replace("T", " ");
  return `${number}) ${stripControl(title)}  (${format}, ${day}, ${formatBytes(bytes)})`;
}

/** Names of the user and the machine, which must not end up in a skill. */
function namesOf({ environment }: CommandContext, userHome: string): readonly string[] {
  const config = readBoundedFile(join(userHome, ".gitconfig"), { maxBytes: MAX_ANSWERS_BYTES });
  const text = Buffer.from(config ?? "").toString();
  const own = Array.from(text.matchAll(/^\s*(?:name|email)\s*=\s*(.+)$/gm), ([, one = ""]) => one.trim());
  const { GIT_AUTHOR_NAME = "", GIT_COMMITTER_NAME = "" } = environment;
  return [...own, GIT_AUTHOR_NAME, GIT_COMMITTER_NAME, userInfo().username, hostname()];
}

/** Returns a skill that the user may edit; editing an installed or bundled one would bypass its lock. */
async function ownSkill(
  context: CommandContext,
  skills: Skills,
  name: string,
): Promise<{ readonly skill: Skill; readonly text: string } | undefined> {
  const found = skills.find(name);
  if (found.kind !== "found") return undefined;
  const { skill } = found;
  const installed = await readInstalled(context, skills);
  if (!["local", "agent-created"].includes(skill.origin) || installed(skill.path) !== undefined)
    return undefined;
  const bytes = readBoundedFile(skill.path, { maxBytes: MAX_SKILL_BYTES });
  return bytes === undefined ? undefined : { skill, text: Buffer.from(bytes).toString() };
}

async function openModel(context: CommandContext) {
  const settings = await readModelSettings(context, "eval.model");
  if (settings === undefined) throw modelMissing("eval.model", "--model");
  return loadAuthoring().createChatModel(settings);
}

interface Saved {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly shown: { readonly name: string; readonly path: string };
  readonly links?: Parameters<typeof linkLines>[1];
}

async function save(
  context: CommandContext,
  made: Skillified,
  { skills, out }: { readonly skills: Skills; readonly out: string | undefined },
): Promise<Saved> {
  const { name } = made;
  if (made.kind === "improvement") {
    const own = await ownSkill(context, skills, name);
    if (own?.text !== made.before)
      throw refusalError("skill-drifted", `${name} changed in the meantime, so it was left as it is.`, {}, [
        "Try again.",
      ]);
    const path = out === undefined ? own.skill.path : resolve(context.workspace, out, "SKILL.md");
    await writeAtomic(path, made.after, { links: "refuse" });
    return { files: [{ path: "SKILL.md", text: made.after }], shown: { name, path } };
  }
  const problem = newNameProblem(name);
  if (problem !== undefined) throw usageError("skillify", problem);
  if (out !== undefined) {
    const folder = resolve(context.workspace, out, name);
    placeSkill(folder, made.files);
    return { files: made.files, shown: { name, path: join(folder, "SKILL.md") } };
  }
  const { home } = resolveHome(context.environment);
  const { folder, links } = await placeNewSkill(context, { ...made, isUser: made.place === "user" });
  await recordAgentMade(home, canonicalPath(folder));
  return { files: made.files, shown: { name, path: join(folder, "SKILL.md") }, links };
}

interface Checks {
  readonly validate: readonly string[];
  readonly lint: readonly string[];
  readonly verdict: string;
}

async function check({ files, shown: { name } }: Saved): Promise<Checks> {
  const main = files[0]?.text ?? "";
  const { diagnostics } = parseSkill(main, { directoryName: name, mode: "strict" });
  const { findings } = loadSelecting().lintSkill({ text: main, file: "SKILL.md" });
  const { verdict } = await loadScanning().scanSkill(
    files.map((file) => ({ path: file.path, bytes: Buffer.from(file.text), mode: "644" as const })),
  );
  return {
    validate: diagnostics.filter(({ severity }) => severity !== "info").map(({ message }) => message),
    lint: findings.map(({ message }) => message),
    verdict,
  };
}

function screen(
  { terminal, environment }: CommandContext,
  made: Skillified,
  { shown, links = [] }: Saved,
  { validate, lint, verdict }: Checks,
): readonly string[] {
  const { green, yellow, cyan } = terminal.colours;
  const folder = shellArgument(join(shown.path, ".."));
  const line = (isGood: boolean, said: string): readonly string[] =>
    hang(said, terminal, { indent: 2, lead: `${isGood ? green("✓") : yellow("!")} ` });
  const verb = made.kind === "new" ? "Saved" : "Improved";
  return [
    ...line(true, `${verb} ${shown.name} in ${showPath(shown.path, environment)}`),
    ...linkLines({ terminal, environment }, links),
    ...line(validate.length === 0, validate.length === 0 ? "valid" : validate.join(" ")),
    ...line(lint.length === 0, lint.length === 0 ? "nothing to improve" : lint.join(" ")),
    ...line(verdict === "safe", `scan: ${verdict}`),
    "",
    "Next:",
    `  ${cyan(`skillet eval triggers ${folder}`)}`,
  ];
}

/** Asks the rounds of skillify on the terminal, one line each; Enter accepts what is filled in. */
function askRound({ terminal }: CommandContext, dialog: Dialog): Ask {
  return async (question, { signal }) => {
    const { shown = "", choices, taken, reason } = question;
    const [yes = ""] = choices;
    // Anything irreversible needs a typed yes.
    const isLast = choices.at(-1) === "cancel";
    const layout = terminal.errors;
    const lines = [
      "",
      ...shown
        .split("\n")
        .flatMap((line) => (line === "" ? [""] : hang(showControl(line), layout, { indent: 2 }))),
      ...(isLast ? [] : choices).flatMap((choice, index) => {
        const mark = taken === undefined ? "" : taken.includes(choice) ? "[x] " : "[ ] ";
        return hang(`${index + 1}) ${mark}${stripControl(choice)}`, layout, { indent: 7 });
      }),
    ];
    terminal.warn(shown === "" ? lines.slice(1) : lines);
    for (;;) {
      const typed = await askOnTerminal(dialog, `${reason} ${isLast ? "[y/N]" : hintOf(question)}`, signal);
      if (typed === undefined) return undefined;
      if (isLast) return { choice: /^y(?:es)?$/i.test(typed) ? yes : "cancel" };
      const answer = readTyped(typed, question);
      if (answer !== undefined) return answer;
      terminal.warn(`Type a number from 1 to ${choices.length}.`);
    }
  };
}

function hintOf({ taken, text, choices }: Question): string {
  const numbers = taken === undefined ? (choices.length > 1 ? "a number" : "") : "numbers to leave out";
  const others = [numbers, text ?? ""].filter((one) => one !== "").join(" and/or ");
  return `[Enter to agree${others === "" ? "" : `; ${others}`}]`;
}

/** Numbers are choices. Text, alone or after them, is the free text that the question allows. */
function readTyped(typed: string, { choices, taken, text }: Question): Awaited<ReturnType<Ask>> {
  const [first = ""] = choices;
  const [, list = "", rest = ""] = /^((?:\d+(?:[\s,]+|$))*)(.*)$/s.exec(typed) ?? [];
  // If there is nothing to choose, the text may begin with a number.
  const isText = rest !== "" && taken === undefined && choices.length === 1;
  const numbers = isText ? [] : (list.match(/\d+/g) ?? []).map(Number);
  const chosen = numbers.flatMap((number) => choices[number - 1] ?? []);
  const isMore = taken === undefined && numbers.length > 1;
  if (chosen.length < numbers.length || isMore || (rest !== "" && text === undefined)) return undefined;
  return {
    choice: (taken === undefined ? chosen[0] : undefined) ?? first,
    ...(taken !== undefined && { taken: taken.filter((choice) => !chosen.includes(choice)) }),
    ...(rest !== "" && { text: isText ? typed : rest }),
  };
}
