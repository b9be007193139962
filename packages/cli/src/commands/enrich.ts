import type { ChatModel, LearnedChange } from "@skillet/author";
import type { LearnedSkill, Skill } from "@skillet/core";
import type { LearnedReading } from "@skillet/core/internal";
import { usageError } from "../context/cli-error.ts";
import type { CommandContext, ExitCode, Flags, OfNames } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { modelMissing, readModelSettings } from "../context/open-workspace.ts";
import { readSkillBody } from "../eval/read-trigger-sets.ts";
import { loadScanning, loadSelecting } from "../load-beside.ts";
import { printJson } from "../ui/json-document.ts";
import { createCountLine } from "../ui/progress-bar.ts";
import { count, hang, showPath } from "../ui/text.ts";
import { changeLines, refuseFaults } from "./eval-learn.ts";

type EnrichOptions = OfNames<"all"> & Flags<"again" | "dryRun" | "yes">;

const DEADLINE_MS = 120_000;
const NOTHING: LearnedSkill = { used: 0, ignored: 0, wrong: 0, threshold: 0, wanted: [], unwanted: [] };

/** Has a model write messages that call for skills, shows them, and keeps them for selection once a person agrees. */
export async function enrich(context: CommandContext, options: EnrichOptions): Promise<ExitCode> {
  const { dryRun = false, yes = false } = options;
  const { terminal } = context;
  const found = await generate(context, options);
  const { before, changes, failed, by } = found;
  const file = showPath(before.file, context.environment);
  const isNews = changes.length > 0;
  const say = (text: string): void => terminal.print(hang(text, terminal));
  if (!context.json) {
    terminal.print(changeLines(changes, terminal));
    for (const { skill, why } of failed) say(`${skill}: nothing was generated, because ${why}.`);
    say(`${count(changes.length, "skill")} with new sample messages by ${by}.`);
  }
  const details = { file: before.file, skills: changes.map(({ name }) => name) };
  const isWritten =
    isNews &&
    !dryRun &&
    (yes || (await confirmChange(context, `Write this to ${file}?`, { undone: "written", details })));
  if (isWritten) await loadSelecting().writeLearned(found.home, { text: found.text, replaces: before.text });
  if (context.json) printJson(terminal, { file: before.file, written: isWritten, by, changes, failed });
  else if (isNews)
    say(isWritten ? `Written to ${file}. Delete there what a user would not say.` : "Nothing was written.");
  return failed.length > 0 || (isNews && !isWritten && !dryRun) ? 1 : 0;
}

interface Generated {
  readonly home: string;
  readonly by: string;
  readonly before: LearnedReading;
  /** The whole file as it would be. */
  readonly text: string;
  readonly changes: readonly LearnedChange[];
  readonly failed: readonly { readonly skill: string; readonly why: string }[];
}

async function generate(
  context: CommandContext,
  { names, all = false, again = false }: EnrichOptions,
): Promise<Generated> {
  if (names.length === 0 && !all) throw usageError("enrich", "Name skills, or add --all.");
  const settings = await readModelSettings(context, "eval.model");
  if (settings === undefined) throw modelMissing("eval.model", "enrich");
  const skills = await openRegistry(context);
  const { readLearned, createChatModel, formatLearned, LEARNED_DIGEST_DIGITS } = loadSelecting();
  const before = readLearned(skills.home);
  refuseFaults(before);
  const model = createChatModel(settings);
  const enabled = skills.list().filter(({ kind, state }) => kind === "skill" && state === "enabled");
  const named = names.map((name) => resolveSkill(skills, name, context.workspace));
  const otherNames = enabled.map(({ name }) => name);
  const after = new Map(before.learned.skills);
  const changes: LearnedChange[] = [];
  const failed: { readonly skill: string; readonly why: string }[] = [];
  const wanted = (all ? enabled : named).filter(
    (skill) => again || !isFresh(after.get(skill.qualifiedName), skill),
  );
  const line = createCountLine(context, "Asking about skills");
  for (const [at, skill] of wanted.entries()) {
    line.show(at, wanted.length);
    const { qualifiedName: name } = skill;
    const made =
      skill.state === "enabled"
        ? await askAbout(skill, { model, otherNames, body: (await readSkillBody(skills, skill)) ?? "" })
        : { why: `it is ${skill.state}` };
    if ("why" in made) {
      failed.push({ skill: name, why: made.why });
      continue;
    }
    const known = after.get(name);
    const isOwn = known?.origin === undefined || known.origin === skill.origin;
    const generatedFrom = skill.digest.slice(0, "sha256:".length + LEARNED_DIGEST_DIGITS);
    const entry = {
      ...NOTHING,
      origin: skill.origin,
      ...(isOwn && known),
      generatedFrom,
      generated: made.messages,
    };
    changes.push({ name, ...(known && { before: known }), after: entry });
    after.set(name, entry);
  }
  line.clear();
  return { home: skills.home, by: model.by, before, text: formatLearned({ skills: after }), changes, failed };
}

async function askAbout(
  skill: Skill,
  {
    model,
    body,
    otherNames,
  }: { readonly model: ChatModel; readonly body: string; readonly otherNames: readonly string[] },
): Promise<{ readonly messages: readonly string[] } | { readonly why: string }> {
  const { samplePrompt, readSamples } = loadSelecting();
  const { system, user } = samplePrompt(skill, body);
  const answer = await model.ask(
    [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    { deadline: AbortSignal.timeout(DEADLINE_MS) },
  );
  if ("failure" in answer) return { why: answer.failure.message };
  const messages = readSamples(answer.content ?? "", { skill, body, otherNames });
  if (messages.length === 0) return { why: "the answer has no usable message" };
  const fault = await findFault(messages);
  return fault === undefined ? { messages } : { why: fault };
}

/** Samples of this very text need not be generated again, and an entry that a person keeps stays as it is. */
function isFresh(known: LearnedSkill | undefined, { digest }: Skill): boolean {
  if (known?.keep === true) return true;
  return (
    known?.generatedFrom !== undefined &&
    digest.startsWith(known.generatedFrom) &&
    (known.generated ?? []).length > 0
  );
}

/** Models read samples where skills are explained: they are scanned like the text of a skill. */
async function findFault(messages: readonly string[]): Promise<string | undefined> {
  const text = [
    "---",
    "name: samples",
    "description: Sample messages.",
    "---",
    "",
    ...messages.map((one) => `- ${one}`),
  ];
  const bytes = new TextEncoder().encode(text.join("\n"));
  const { verdict, findings } = await loadScanning().scanSkill([{ path: "SKILL.md", mode: "644", bytes }]);
  return verdict === "dangerous"
    ? `the scan of its messages found: ${findings[0]?.message ?? verdict}`
    : undefined;
}
