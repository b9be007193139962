import type { Answer, Ask, Question } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { present } from "@skillet/kit/json";
import type { ChatModel } from "../model/chat-model.ts";
import type { TemplateFile } from "../skill-template.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { draftSkill, MAX_PHRASE, type SkillDraft } from "./draft-skill.ts";
import { improveSkill, type SkillEdit } from "./improve-skill.ts";
import { minimiseJob, type RedactOptions } from "./minimise-job.ts";
import { modelInput, polishDraft } from "./polish-draft.ts";
import { readJob } from "./read-job.ts";
import { renderSkill } from "./render-skill.ts";
import { small } from "./request.ts";
import { isOrder } from "./subjects.ts";

/** What the user decided in advance; a round whose answers are all given is not asked. */
export interface SkillifyAnswers {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Whether to improve the active skill. Default: true, if there is one. */
  readonly improve?: boolean | undefined;
  readonly phrases?: readonly string[] | undefined;
  readonly exclusions?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly context?: "inline" | "fork" | undefined;
  readonly arguments?: readonly string[] | undefined;
  readonly place?: "project" | "user" | undefined;
}

export interface SkillifyOptions extends RedactOptions {
  /** Without it, every round uses its defaults and nothing is asked. */
  readonly ask?: Ask | undefined;
  readonly answers?: SkillifyAnswers | undefined;
  /** Reads a skill that was active, if it may be changed. */
  readonly readSkill?: ((name: string) => Promise<string | undefined>) | undefined;
  /** Rewords the draft. It gets the redacted text only, after the user saw that text and agreed. */
  readonly model?: ChatModel | undefined;
  /** Where a skill is saved unless the user chooses otherwise. Default: `project`. */
  readonly place?: "project" | "user" | undefined;
}

/** A skill that the user agreed to, for the host to write; nothing has been written yet. */
export type Skillified = {
  readonly name: string;
  /** How many words were removed. */
  readonly removed: number;
  /** Why the model's wording was not used. */
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
 * Makes a skill from a finished conversation, or improves the skill that was active in it: four rounds with the
 * defaults filled in, then the whole file for a final approval. Everything is redacted before it is shown or sent.
 *
 * @returns undefined if the user cancelled or did not answer.
 *
 * @example
 * const saved = await skillify(await readTranscript(file), { ask, userHome: homedir() });
 * if (saved?.kind === "new") for (const { path, text } of saved.files) await write(join(folder, saved.name, path), text);
 */
export async function skillify(
  transcript: Transcript,
  options: SkillifyOptions = {},
): Promise<Skillified | undefined> {
  const found = readJob(transcript);
  if (found === undefined)
    throw new SkilletError(
      "transcript-without-work",
      "Nothing in this conversation was done with tools and worked, so there is nothing to save. Choose another one.",
    );
  const { answers = {}, place = answers.place ?? "project" } = options;
  const { removed, inputs, job } = minimiseJob(found, transcript, options);
  const used = transcript.events.flatMap((event) => (event.kind === "skill" ? [event.name] : []));
  const drafted = withAnswers(draftSkill(job, inputs, [...new Set(used.reverse())]), answers);
  const ask = createRounds(options);
  const worded = await askModel(ask, drafted, options);
  if (worded === undefined) return undefined;
  const draft = withAnswers(worded.draft, answers);
  const common = { removed, ...(worded.failure !== undefined && { modelFailure: worded.failure }) };
  let state: State = { draft, answers, removed, place, active: await activeSkill(draft, options) };
  for (const round of [askWhat, askWhen, askTools, askHow]) {
    const { question, isAnswered, take } = round(state);
    const answer = await ask({ ...question, skill: state.draft.name }, isAnswered);
    if (answer === undefined) return undefined;
    state = { ...state, ...take(answer) };
    if (state.improves === undefined) continue;
    const { name, edits } = state.improves;
    const isAgreed = await confirm(ask, name, `Change ${name} like this?`, editsShown(edits));
    return isAgreed ? { ...common, kind: "improvement", ...state.improves } : undefined;
  }
  const { name } = state.draft;
  const files = renderSkill(state.draft);
  const where = answers.place === undefined ? `, ${PLACES[state.place]}` : "";
  const isAgreed = await confirm(ask, name, `Save it like this${where}?`, files[0]?.text ?? "");
  return isAgreed ? { ...common, kind: "new", name, place: state.place, files } : undefined;
}

type AskRound = (question: Omit<Question, "kind">, isAnswered?: boolean) => Promise<Answer | undefined>;

/** Asks questions one by one; a missing answer ends the whole dialogue. */
function createRounds({ ask }: SkillifyOptions): AskRound {
  return async (question, isAnswered = false) => {
    const [choice = ""] = question.choices;
    if (ask === undefined || isAnswered) return { choice, taken: question.taken };
    const answer = await ask({ ...question, kind: "skillify" }, { signal: new AbortController().signal });
    if (answer === undefined || answer === null) return undefined;
    return question.taken !== undefined || question.choices.includes(answer.choice) ? answer : undefined;
  };
}

async function confirm(ask: AskRound, skill: string, reason: string, shown: string): Promise<boolean> {
  return (await ask({ skill, reason, shown, choices: ["save", "cancel"] }))?.choice === "save";
}

/** Shows what a model would get and sends it only if the user agrees; otherwise the draft stays as it is. */
async function askModel(
  ask: AskRound,
  draft: SkillDraft,
  { model }: SkillifyOptions,
): Promise<{ readonly draft: SkillDraft; readonly failure?: string } | undefined> {
  if (model === undefined) return { draft };
  const shown = JSON.stringify(modelInput(draft), null, 2);
  const reason = `Send this to ${model.by}?`;
  const answer = await ask({ skill: draft.name, reason, shown, choices: ["send", "cancel"] });
  if (answer === undefined) return undefined;
  return answer.choice === "send" ? polishDraft(draft, model) : { draft };
}

function withAnswers(draft: SkillDraft, answers: SkillifyAnswers): SkillDraft {
  const { arguments: names, improve: _, place: __, ...said } = answers;
  const inputs = names?.map(
    (name) => draft.inputs.find((input) => input.name === name) ?? { name, values: [] },
  );
  return { ...draft, ...present(said), ...(inputs && { inputs }) };
}

type ActiveSkill = Pick<Extract<Skillified, { kind: "improvement" }>, "name" | "before" | "after" | "edits">;

async function activeSkill(draft: SkillDraft, options: SkillifyOptions): Promise<ActiveSkill | undefined> {
  if (options.answers?.improve === false) return undefined;
  for (const name of draft.skills) {
    const before = await options.readSkill?.(name);
    if (before === undefined) continue;
    const { text: after, edits } = improveSkill(before, draft);
    if (edits.length > 0) return { name, before, after, edits };
  }
  return undefined;
}

const editsShown = (edits: readonly SkillEdit[]): string =>
  edits.map(({ what, text }) => `${what}:\n${text.replaceAll(/^/gm, "+ ")}`).join("\n\n");

interface State {
  readonly draft: SkillDraft;
  readonly answers: SkillifyAnswers;
  readonly removed: number;
  readonly place: "project" | "user";
  readonly active: ActiveSkill | undefined;
  /** The active skill, once the user chose to improve it. */
  readonly improves?: ActiveSkill;
}

type Round = (state: State) => {
  readonly question: Omit<Question, "kind" | "skill">;
  readonly isAnswered: boolean;
  readonly take: (answer: Answer) => Partial<State>;
};

const askWhat: Round = ({ draft, answers, removed, active }) => {
  const { name, description, steps, rules } = draft;
  const shown = [
    `${name}: ${description}`,
    ...steps.map(({ text }, index) => `${index + 1}. ${text}`),
    ...rules.map((rule) => `- ${rule}`),
    ...(removed > 0 ? [`Words removed: ${removed}.`] : []),
  ].join("\n");
  const make = `save as ${name}`;
  const choices = active === undefined ? [make] : [`improve ${active.name}`, make];
  return {
    question: { reason: "What is it?", choices, shown, text: "another name, or a description" },
    isAnswered: (answers.name !== undefined && answers.description !== undefined) || answers.improve === true,
    take: ({ choice, text: typed = "" }) => {
      const text = typed.replaceAll(/\s+/g, " ").trim();
      if (text === "") return active !== undefined && choice !== make ? { improves: active } : {};
      return { draft: isName(text) ? { ...draft, name: text } : { ...draft, description: withWhen(text) } };
    },
  };
};

const isName = (text: string): boolean => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length <= 64;

/** A description also says when to use the skill, because a model chooses by it alone. */
function withWhen(text: string): string {
  const said = text.replace(/[.\s]*$/, "");
  if (/\buse (?:when|for|to|if)\b/i.test(text)) return text;
  return `${said}. Use when asked ${isOrder(said) ? "to" : "for"} ${small(said)}.`;
}

const askWhen: Round = ({ draft, answers }) => ({
  question: {
    choices: draft.phrases,
    taken: draft.phrases,
    reason: "Which of these should call it?",
    text: "what it must not be used for, and after + what else should call it, with ; between",
  },
  isAnswered: answers.phrases !== undefined && answers.exclusions !== undefined,
  take: ({ text = "", taken = draft.phrases }) => {
    const isShort = (one: string): boolean => one !== "" && one.length <= MAX_PHRASE;
    const said = text.split(";").map((one) => one.trim().replace(/^(?:not|never)(?: to be used)? for /i, ""));
    const more = said.filter((one) => one.startsWith("+")).map((one) => one.slice(1));
    const phrases = [...taken, ...more].map((one) => one.trim()).filter(isShort);
    const not = said.filter((one) => !one.startsWith("+")).filter(isShort);
    return {
      draft: { ...draft, phrases: [...new Set(phrases)], exclusions: [...draft.exclusions, ...not] },
    };
  },
});

const askTools: Round = ({ draft, answers }) => {
  const { tools } = draft;
  return {
    question: { choices: tools, taken: tools, reason: "Which tools may it use? These were used." },
    isAnswered: answers.tools !== undefined || tools.length === 0,
    // Only tools that were used: authors write wider rules themselves.
    take: ({ taken = tools }) => ({ draft: { ...draft, tools: taken.filter((one) => tools.includes(one)) } }),
  };
};

const PLACES = { project: "in this project", user: "for you, everywhere" } as const;

const askHow: Round = ({ draft, answers, place: first }) => {
  const places = answers.place === undefined ? (["project", "user"] as const) : [answers.place];
  const contexts = answers.context === undefined ? (["inline", "fork"] as const) : [answers.context];
  const options = places
    .toSorted((left, right) => Number(right === first) - Number(left === first))
    .flatMap((place) => contexts.map((context) => ({ place, context })));
  const label = ({ place, context }: (typeof options)[number]): string =>
    `${PLACES[place]}, ${context === "fork" ? "in a fork of its own" : "inline"}`;
  const names = draft.inputs.map(({ name }) => name).join(" ");
  return {
    question: {
      choices: options.map(label),
      reason: "Where is it saved, and how does it run?",
      ...(names !== "" && { shown: `Arguments: ${names}` }),
      ...(answers.arguments === undefined && { text: "its arguments, with spaces between" }),
    },
    isAnswered: options.length === 1,
    take: ({ choice, text = "" }) => {
      const { place = first, context = draft.context } = options.find((one) => label(one) === choice) ?? {};
      const given = text.split(/\s+/).filter((name) => /^[a-z][\w-]{0,30}$/i.test(name));
      const named = given.length === 0 ? draft : withAnswers(draft, { arguments: given });
      return { draft: { ...named, context }, place };
    },
  };
};
