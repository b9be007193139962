import type { ChatModel, LearnedChange } from "@skillet/author";
import type { LearnedSkill, Skill } from "@skillet/core";
import { usageError } from "../context/cli-error.ts";
import type { CommandContext, ExitCode, Flags, OfNames } from "../context/command-context.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { modelMissing, readModelSettings } from "../context/open-workspace.ts";
import { readSkillBody } from "../eval/read-trigger-sets.ts";
import { loadScanning, loadSelecting } from "../load-beside.ts";
import { printJson } from "../ui/json-document.ts";
import { createCountLine } from "../ui/progress-bar.ts";
import { count, hang, showPath } from "../ui/text.ts";
import { changeLines, offerToWrite, refuseFaults } from "./eval-learn.ts";

type EnrichOptions = OfNames<"all"> & Flags<"again" | "dryRun" | "yes">;

const DEADLINE_MS = 120_000;
const NOTHING: LearnedSkill = { used: 0, ignored: 0, wrong: 0, threshold: 0, wanted: [], unwanted: [] };

/** Has a model write sample messages for skills, shows them, and saves them for selection once approved. */
export async function enrich(context: CommandContext, options: EnrichOptions): Promise<ExitCode> {
  const { terminal } = context;
  const { names, all = false, again = false, dryRun = false } = options;
  if (names.length === 0 && !all) throw usageError("enrich", "Name skills, or add --all.");
  const settings = await readModelSettings(context, "eval.model");
  if (settings === undefined) throw modelMissing("eval.model", "enrich");
  const skills = await openRegistry(context);
  const { readLearned, createChatModel, formatLearned } = loadSelecting();
  const before = readLearned(skills.home);
  refuseFaults(before);
  const model = createChatModel(settings);
  const enabled = skills.list().filter(({ kind, state }) => kind === "skill" && state === "enabled");
  const otherNames = enabled.map(({ name }) => name);
  const learned = new Map(before.learned.skills);
  const wanted = (all ? enabled : names.map((name) => resolveSkill(skills, name, context.workspace))).filter(
    (skill) => again || !isFresh(learned.get(skill.qualifiedName), skill),
  );
  const changes: LearnedChange[] = [];
  const failed: { readonly skill: string; readonly why: string }[] = [];
  const line = createCountLine(context, "Asking about skills");
  for (const [at, skill] of wanted.entries()) {
    line.show(at, wanted.length);
    const { qualifiedName: name, state } = skill;
    const made =
      state === "enabled"
        ? await askAbout(skill, (await readSkillBody(skills, skill)) ?? "", { model, otherNames })
        : `it is ${state}`;
    if (typeof made === "string") {
      failed.push({ skill: name, why: made });
      continue;
    }
    const known = learned.get(name);
    const after = withSamples(known, skill, made);
    changes.push({ name, ...(known && { before: known }), after });
    learned.set(name, after);
  }
  line.clear();
  const say = (text: string): void => terminal.print(hang(text, terminal));
  if (!context.json) {
    terminal.print(changeLines(changes, terminal));
    for (const { skill, why } of failed) say(`${skill}: nothing was generated, because ${why}.`);
    say(`${count(changes.length, "skill")} with new sample messages by ${model.by}.`);
  }
  const text = formatLearned({ skills: learned });
  const written = await offerToWrite(context, { home: skills.home, before, changes, text }, options);
  const isNews = changes.length > 0;
  if (context.json) printJson(terminal, { file: before.file, written, by: model.by, changes, failed });
  else if (isNews && !written) say("Nothing was written.");
  else if (isNews)
    say(`Written to ${showPath(before.file, context.environment)}. Delete there what a user would not say.`);
  return failed.length > 0 || (isNews && !written && !dryRun) ? 1 : 0;
}

/** Adds messages to a skill's entry, and drops what was learned about a namesake of another origin. */
function withSamples(
  known: LearnedSkill | undefined,
  { origin, digest }: Skill,
  generated: readonly string[],
): LearnedSkill {
  const isOwn = known?.origin === undefined || known.origin === origin;
  const generatedFrom = digest.slice(0, "sha256:".length + loadSelecting().LEARNED_DIGEST_DIGITS);
  return { ...NOTHING, origin, ...(isOwn && known), generatedFrom, generated };
}

/** Returns the messages that a model wrote for a skill, or the reason why there are none. */
async function askAbout(
  skill: Skill,
  body: string,
  { model, otherNames }: { readonly model: ChatModel; readonly otherNames: readonly string[] },
): Promise<readonly string[] | string> {
  const { samplePrompt, readSamples } = loadSelecting();
  const { system, user } = samplePrompt(skill, body);
  const answer = await model.ask(
    [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    { deadline: AbortSignal.timeout(DEADLINE_MS) },
  );
  if ("failure" in answer) return answer.failure.message;
  const messages = readSamples(answer.content ?? "", { skill, body, otherNames });
  return messages.length === 0
    ? "the answer has no usable message"
    : ((await findFault(messages)) ?? messages);
}

/** Samples for this exact text are not generated again, and entries that the user keeps are left alone. */
function isFresh(known: LearnedSkill | undefined, { digest }: Skill): boolean {
  const isOfText = known?.generatedFrom !== undefined && digest.startsWith(known.generatedFrom);
  return known?.keep === true || (isOfText && (known.generated ?? []).length > 0);
}

/** Models read the samples in explanations of skills, so they are scanned like the text of a skill. */
async function findFault(messages: readonly string[]): Promise<string | undefined> {
  const header = "---\nname: samples\ndescription: Sample messages.\n---\n";
  const bytes = new TextEncoder().encode([header, ...messages.map((one) => `- ${one}`)].join("\n"));
  const { verdict, findings } = await loadScanning().scanSkill([{ path: "SKILL.md", mode: "644", bytes }]);
  return verdict === "dangerous"
    ? `the scan of its messages found: ${findings[0]?.message ?? verdict}`
    : undefined;
}
