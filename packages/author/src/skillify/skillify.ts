import type { Answer, Ask, Question } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { ChatModel } from "../model/chat-model.ts";
import type { TemplateFile } from "../skill-template.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { draftSkill, MAX_PHRASE, type SkillDraft } from "./draft-skill.ts";
import { improveSkill, type SkillEdit } from "./improve-skill.ts";
import { minimiseJob, type RedactOptions, type Removed } from "./minimise-job.ts";
import { modelInput, polishDraft } from "./polish-draft.ts";
import { readJob } from "./read-job.ts";
import { renderSkill } from "./render-skill.ts";

/** What a person decided beforehand; a round of which every answer is given is not asked. */
export interface SkillifyAnswers {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Whether a skill that was active is improved; default: yes, where there is one. */
  readonly improve?: boolean | undefined;
  readonly phrases?: readonly string[] | undefined;
  /** What it must not be used for. */
  readonly exclusions?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly context?: "inline" | "fork" | undefined;
  readonly arguments?: readonly string[] | undefined;
  readonly place?: "project" | "user" | undefined;
}

export interface SkillifyOptions extends RedactOptions {
  /** Without it every round keeps its defaults, and nothing is asked. */
  readonly ask?: Ask | undefined;
  readonly answers?: SkillifyAnswers | undefined;
  /** Reads a skill that was active, if it is one that may be changed. */
  readonly readSkill?: ((name: string) => Promise<string | undefined>) | undefined;
  /** Words the draft better; it gets what was redacted, after the person saw just that and agreed. */
  readonly model?: ChatModel | undefined;
  /** Where a skill is saved unless the person says otherwise; default `project`. */
  readonly place?: "project" | "user" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A skill that a person agreed to, for the host to write; nothing was written yet. */
export type Skillified = {
  readonly name: string;
  readonly removed: Removed;
  /** Why the model's wording was not taken. */
  readonly modelFailure?: string;
} & (
  | { readonly kind: "new"; readonly place: "project" | "user"; readonly files: readonly TemplateFile[] }
  | {
      readonly kind: "improvement";
      readonly before: string;
      readonly after: string;
      readonly edits: readonly SkillEdit[];
    }
);

/**
 * Makes a skill of a finished conversation, or improves the one that was active in it: four rounds with the defaults filled
 * in, then the whole file for a last yes. Everything is redacted before it is shown or sent.
 *
 * @returns undefined where the person stopped or did not answer.
 *
 * @example
 * const saved = await skillify(await readTranscript(file), { ask, userHome: homedir() });
 * if (saved?.kind === "new") for (const { path, text } of saved.files) await write(join(folder, saved.name, path), text);
 */
export async function skillify(
  transcript: Transcript,
  options: SkillifyOptions = {},
): Promise<Skillified | undefined> {
  const { answers = {}, signal = new AbortController().signal } = options;
  const found = readJob(transcript);
  if (found === undefined)
    throw new SkilletError(
      "transcript-without-work",
      "Nothing in this conversation was done with tools and worked, so there is nothing to save. Choose another one.",
    );
  const { removed, inputs, job } = minimiseJob(found, transcript, options);
  const used = transcript.events.flatMap((event) => (event.kind === "skill" ? [event.name] : []));
  const drafted = draftSkill(job, inputs, [...new Set(used.reverse())]);
  const rounds = new Rounds(options.ask, signal);
  const worded = await askModel(rounds, withAnswers(drafted, answers), options);
  if (worded === undefined) return undefined;
  let draft = withAnswers(worded.draft, answers);
  const common = { removed, ...(worded.failure !== undefined && { modelFailure: worded.failure }) };
  const active = await activeSkill(draft, options);
  const what = await askWhat(rounds, { draft, answers, removed, active });
  if (what === undefined) return undefined;
  if (what.improves !== undefined) {
    const { name, text: before, after, edits } = what.improves;
    const isAgreed = await rounds.confirm(name, `Change ${name} like this?`, editsShown(edits));
    return isAgreed ? { ...common, kind: "improvement", name, before, after, edits } : undefined;
  }
  draft = what.draft;
  for (const round of [askWhen, askTools] as const) {
    const next = await round(rounds, draft, answers);
    if (next === undefined) return undefined;
    draft = next;
  }
  const how = await askHow(rounds, draft, options);
  if (how === undefined) return undefined;
  const files = renderSkill(how.draft);
  const main = files[0]?.text ?? "";
  if (!(await rounds.confirm(how.draft.name, "Save it like this?", main))) return undefined;
  return { ...common, kind: "new", name: how.draft.name, place: how.place, files };
}

/** Asks one question after the other; an answer that is missing ends the whole. */
class Rounds {
  readonly #ask: Ask | undefined;
  readonly #signal: AbortSignal;

  constructor(ask: Ask | undefined, signal: AbortSignal) {
    this.#ask = ask;
    this.#signal = signal;
  }

  async round(question: Omit<Question, "kind">, isAnswered: boolean): Promise<Answer | undefined> {
    const [choice = ""] = question.choices;
    this.#signal.throwIfAborted();
    if (this.#ask === undefined || isAnswered) return { choice, taken: question.taken };
    const answer = await this.#ask({ ...question, kind: "skillify" }, { signal: this.#signal });
    this.#signal.throwIfAborted();
    if (answer === undefined || answer === null) return undefined;
    return question.taken !== undefined || question.choices.includes(answer.choice) ? answer : undefined;
  }

  async confirm(skill: string, reason: string, shown: string): Promise<boolean> {
    const answer = await this.round({ skill, reason, shown, choices: ["save", "cancel"] }, false);
    return answer?.choice === "save";
  }
}

/** Shows what a model would get, and sends it only after a yes; a no keeps the draft as it is. */
async function askModel(
  rounds: Rounds,
  draft: SkillDraft,
  { model, signal }: SkillifyOptions,
): Promise<{ readonly draft: SkillDraft; readonly failure?: string } | undefined> {
  if (model === undefined) return { draft };
  const shown = JSON.stringify(modelInput(draft), null, 2);
  const answer = await rounds.round(
    { skill: draft.name, reason: `Send this to ${model.by}?`, shown, choices: ["send", "cancel"] },
    false,
  );
  if (answer === undefined) return undefined;
  return answer.choice === "send" ? polishDraft(draft, model, signal) : { draft };
}

function withAnswers(draft: SkillDraft, answers: SkillifyAnswers): SkillDraft {
  const { name = draft.name, description = draft.description, context = draft.context } = answers;
  const inputs = answers.arguments?.map(
    (one) => draft.inputs.find((input) => input.name === one) ?? { name: one, values: [] },
  );
  return {
    ...{ ...draft, name, description, context, inputs: inputs ?? draft.inputs },
    phrases: answers.phrases ?? draft.phrases,
    exclusions: answers.exclusions ?? draft.exclusions,
    tools: answers.tools ?? draft.tools,
  };
}

interface ActiveSkill {
  readonly name: string;
  readonly text: string;
  readonly after: string;
  readonly edits: readonly SkillEdit[];
}

async function activeSkill(
  draft: SkillDraft,
  { readSkill, answers }: SkillifyOptions,
): Promise<ActiveSkill | undefined> {
  if (readSkill === undefined || answers?.improve === false) return undefined;
  for (const name of draft.skills) {
    const text = await readSkill(name);
    if (text === undefined) continue;
    const { text: after, edits } = improveSkill(text, draft);
    if (edits.length > 0) return { name, text, after, edits };
  }
  return undefined;
}

const editsShown = (edits: readonly SkillEdit[]): string =>
  edits.map(({ what, text }) => `${what}:\n${text.replaceAll(/^/gm, "+ ")}`).join("\n\n");

async function askWhat(
  rounds: Rounds,
  {
    draft,
    answers,
    removed,
    active,
  }: { draft: SkillDraft; answers: SkillifyAnswers; removed: Removed; active: ActiveSkill | undefined },
): Promise<{ readonly draft: SkillDraft; readonly improves?: ActiveSkill } | undefined> {
  const { name, description, steps, rules } = draft;
  const gone = Object.entries(removed).filter(([, count]) => count > 0);
  const shown = [
    `${name}: ${description}`,
    ...steps.map(({ text }, index) => `${index + 1}. ${text}`),
    ...rules.map((rule) => `- ${rule}`),
    ...(gone.length > 0 ? [`Taken out: ${gone.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`] : []),
  ].join("\n");
  const make = `save as ${name}`;
  const choices = active === undefined ? [make] : [`improve ${active.name}`, make];
  const isAnswered =
    (answers.name !== undefined && answers.description !== undefined) || answers.improve === true;
  const answer = await rounds.round(
    { ...{ skill: name, choices, shown, text: "another name, or a description" }, reason: "What is it?" },
    isAnswered,
  );
  if (answer === undefined) return undefined;
  const text = answer.text?.replaceAll(/\s+/g, " ").trim() ?? "";
  if (text === "" && active !== undefined && answer.choice !== make) return { draft, improves: active };
  if (text === "") return { draft };
  return { draft: isName(text) ? { ...draft, name: text } : { ...draft, description: withWhen(text) } };
}

const isName = (text: string): boolean => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length <= 64;

/** A description says when, too: it is all that a model chooses by. */
const withWhen = (text: string): string =>
  /\buse (?:when|for|to|if)\b/i.test(text)
    ? text
    : `${text.replace(/[.\s]*$/, "")}. Use when asked for this.`;

async function askWhen(
  rounds: Rounds,
  draft: SkillDraft,
  answers: SkillifyAnswers,
): Promise<SkillDraft | undefined> {
  const { phrases, name, exclusions } = draft;
  const answer = await rounds.round(
    {
      ...{ skill: name, choices: phrases, taken: phrases, reason: "Which of these should call it?" },
      text: "what it must not be used for, and after + what else should call it, with ; between",
    },
    answers.phrases !== undefined && answers.exclusions !== undefined,
  );
  if (answer === undefined) return undefined;
  const isShort = (one: string): boolean => one !== "" && one.length <= MAX_PHRASE;
  const said = (answer.text ?? "").split(";").map((one) => one.trim());
  const more = said.filter((one) => one.startsWith("+")).map((one) => one.slice(1).trim());
  const taken = [...(answer.taken ?? phrases), ...more].map((one) => one.trim()).filter(isShort);
  const not = said.filter((one) => !one.startsWith("+")).filter(isShort);
  return { ...draft, phrases: [...new Set(taken)], exclusions: [...exclusions, ...not] };
}

async function askTools(
  rounds: Rounds,
  draft: SkillDraft,
  answers: SkillifyAnswers,
): Promise<SkillDraft | undefined> {
  const { tools, name } = draft;
  if (tools.length === 0) return draft;
  const answer = await rounds.round(
    { skill: name, choices: tools, taken: tools, reason: "Which tools may it use? These were used." },
    answers.tools !== undefined,
  );
  if (answer === undefined) return undefined;
  // Only what was used: a wider rule is the author's to write.
  return { ...draft, tools: answer.taken?.filter((one) => tools.includes(one)) ?? tools };
}

async function askHow(
  rounds: Rounds,
  draft: SkillDraft,
  { answers = {}, place: first = answers.place ?? "project" }: SkillifyOptions,
): Promise<{ readonly draft: SkillDraft; readonly place: "project" | "user" } | undefined> {
  const chosen = answers.place ?? first;
  const places =
    answers.place === undefined ? ([chosen, chosen === "project" ? "user" : "project"] as const) : [chosen];
  const contexts = answers.context === undefined ? (["inline", "fork"] as const) : [answers.context];
  const options = places.flatMap((place) => contexts.map((context) => ({ place, context })));
  const label = ({ place, context }: { place: string; context: string }): string =>
    `${place === "project" ? "in this project" : "for you, everywhere"}, ${context === "fork" ? "in a fork of its own" : "inline"}`;
  const names = draft.inputs.map(({ name }) => name).join(" ");
  const answer = await rounds.round(
    {
      ...{
        skill: draft.name,
        choices: options.map(label),
        reason: "Where is it saved, and how does it run?",
      },
      ...(names !== "" && { shown: `Arguments: ${names}` }),
      ...(answers.arguments === undefined && { text: "its arguments, with spaces between" }),
    },
    options.length === 1,
  );
  const option = options.find((one) => label(one) === answer?.choice);
  const given = (answer?.text ?? "").split(/\s+/).filter((name) => /^[a-z][\w-]{0,30}$/i.test(name));
  const named = given.length === 0 ? draft : withAnswers(draft, { arguments: given });
  return option && { draft: { ...named, context: option.context }, place: option.place };
}
