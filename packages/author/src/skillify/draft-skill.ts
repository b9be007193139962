import { tellingOf } from "@skillet/core/internal";
import { cutText } from "@skillet/kit/text";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import type { SkillInput } from "./find-inputs.ts";
import { type GeneralCommand, showCommand } from "./general-command.ts";
import { type Deed, HIDDEN_TOOL, isOutward, isRead, type Job } from "./read-job.ts";
import { goalOf, oneLine, requestIn, sentencesIn, small, withoutPlease, wordCount } from "./request.ts";
import { isTaskWord, readTable, subjectsOf, tellingWords } from "./subjects.ts";

/** One step of a skill, and how to see that it worked. */
export interface SkillStep {
  readonly text: string;
  /** Absent if it would only say that the step ended without an error. */
  readonly success?: string | undefined;
  /** What a user must agree to first. */
  readonly checkpoint?: string;
}

/** A skill as the conversation suggests it; every part can be changed before it is written. */
export interface SkillDraft {
  readonly name: string;
  readonly description: string;
  readonly goal: string;
  /** Requests for it that the user typed. */
  readonly phrases: readonly string[];
  /** What it must not be used for; only the user knows. */
  readonly exclusions: readonly string[];
  readonly inputs: readonly SkillInput[];
  readonly steps: readonly SkillStep[];
  /** Corrections that the user made on the way. */
  readonly rules: readonly string[];
  /** For `allowed-tools`: as narrow as the commands that were run. */
  readonly tools: readonly string[];
  readonly context: "inline" | "fork";
  /** Skills that were active, the last one first. */
  readonly skills: readonly string[];
}

const MAX_STEPS = 20;
const MAX_RULES = 12;
const MAX_PHRASES = 6;
export const MAX_PHRASE = 400;
const MAX_RULE = 200;
const MAX_FIELDS = 12;

/**
 * Drafts a skill from a redacted job, without a model: the request, the steps that worked, what varied, what
 * the user corrected, and the narrowest tools.
 */
export function draftSkill(job: Job, inputs: readonly SkillInput[], skills: readonly string[]): SkillDraft {
  const goal = goalOf(job.goal, keysOf(job).slice(-3).join(", ") || "tools");
  const title = titleOf(job);
  const phrases = [job.goal, ...job.repeats].map((text) => {
    const whole = withoutPlease(oneLine(text));
    return whole.length <= MAX_PHRASE ? whole : cutText(requestIn(text).request, MAX_PHRASE);
  });
  return {
    name: nameOf(title ?? goal, job, inputs),
    description: describe(goal, title, job),
    goal,
    phrases: [...new Set(phrases)].slice(0, MAX_PHRASES),
    exclusions: [],
    inputs,
    steps: stepsOf(job),
    rules: job.corrections.flatMap(rulesIn).map(ruleOf).filter(Boolean).slice(0, MAX_RULES),
    tools: toolsOf(job),
    context: "inline",
    skills,
  };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const PROBLEM = /^(?:the|an?|our|my|this|these|there|it|some|something)\b/i;
const FIRST_PERSON = /^(?:I|I'll|I'm|We|My|You|Let me|Your)\b/i;
const NOT_IN_NAMES =
  /^(?:claude|anthropic|skill|skills|what|find|them|its|that|new|existing|last|first|latest)$/;

function nameOf(goal: string, job: Job, inputs: readonly SkillInput[]): string {
  // The part in brackets belongs to the order, and an input, which varies each time, says little.
  const [, order = goal, context = ""] = /^(.*?)(?: \((.*)\))?$/s.exec(goal) ?? [];
  const whole = order.replace(/\b(?:it|them|this|these|those)\b/i, (one) => context || one);
  const [clause = whole] = whole.split(/[,;:]| and | then | so that /);
  const varied = new Set(inputs.flatMap(({ name }) => name.split("-")));
  const wordsOf = (text: string): readonly string[] =>
    splitWords(text).filter(
      (word) =>
        /^[a-z][a-z0-9]+$/.test(word) &&
        (isTaskWord(word) ? !STOP_WORDS.has(word) : tellingOf(stemWord(word)) > 0) &&
        !NOT_IN_NAMES.test(word) &&
        !varied.has(word),
    );
  const words = wordsOf(clause).length < 3 ? wordsOf(whole) : wordsOf(clause);
  const chosen = [...new Set(words)].slice(0, 4);
  while (chosen.join("-").length > 40) chosen.pop();
  if (chosen.length > 1) return chosen.join("-");
  // The request is in another script, or has no words of its own.
  const key = keysOf(job).at(-1) ?? "saved task";
  return [...new Set([...chosen, ...splitWords(key)])].slice(0, 3).join("-").slice(0, 40);
}

/** The commands that did the work, without those that only showed or checked something. */
const keysOf = ({ deeds }: Job): readonly string[] =>
  deeds.flatMap((deed) => (deed.kind === "command" && !isBeside(deed) ? [deed.command.key] : []));

/** The title of the conversation, unless redaction left too little of it. */
function titleOf({ title = "" }: Job): string | undefined {
  const left = oneLine(title.replaceAll("[…]", " "));
  return tellingWords(left).filter((stem) => tellingOf(stem) > 0).length > 1 ? left : undefined;
}

function describe(goal: string, title: string | undefined, job: Job): string {
  const asked = new Set(tellingWords(`${job.title ?? ""} ${job.goal}`));
  const isAsked = (deed: Deed): boolean =>
    tellingWords(subjectsOf([deed]).join(" ")).some((word) => asked.has(word));
  const subjects = subjectsOf(job.deeds.filter((deed) => !isBeside(deed) || isAsked(deed)));
  const about = subjects.length === 0 ? "" : ` It is for tasks like these: ${subjects.join(", ")}.`;
  // Some requests say what is wrong rather than what to do.
  const when = PROBLEM.test(goal) ? small(goal) : `asked to ${small(goal)}`;
  const said = FIRST_PERSON.test(goal) ? `For requests like this: ${small(goal)}` : sentence(goal);
  const what = title === undefined ? said : sentence(title);
  return cutText(`${what}. Use when ${when}.${about}`, 1000);
}

const listed = (words: readonly string[]): string => new Intl.ListFormat("en-GB").format(words);

const rulesIn = (text: string): readonly string[] =>
  [sentencesIn(text), [text]].find(({ length }) => length > 0) ?? [];

function ruleOf(text: string): string {
  // "No, use a draft" loses its first word, but "no pie charts" must keep it.
  const plain = oneLine(text).replace(
    /^(?:(?:no|nope|stop|wait|but)[,.:!]+\s*|(?:wait|please|hm+|ok(?:ay)?|great|actually)\b[,.:!\s]*)+/i,
    "",
  );
  const cut = cutText(plain, MAX_RULE).replace(/[.!。\s]+$/, "");
  return wordCount(cut) < 2 && !/\p{Lo}{6}/u.test(cut) ? "" : `${sentence(cut)}.`;
}

/** Tools that run any command or code: allowing one by name would allow everything. */
const RUNS_ANYTHING =
  /(?:^|[_.:-])(?:bash|shell|sh|zsh|exec|execute|eval|terminal|computer|python|repl|powershell|query|sql)$|(?:shell|exec|execute|eval|terminal|run)_?(?:command|code|script|shell|sql|query|python|js|javascript)s?$|code_?interpreter/i;

const isBroad = (tool: string): boolean => RUNS_ANYTHING.test(tool) || tool === HIDDEN_TOOL;

function toolsOf({ deeds, looks }: Job): readonly string[] {
  const rules = deeds.flatMap((deed) => {
    if (deed.kind === "edit") return ["Edit"];
    if (deed.kind === "command") return deed.command.rule === undefined ? [] : [deed.command.rule];
    return /^[A-Za-z][\w.-]*$/.test(deed.tool) && !isBroad(deed.tool) ? [deed.tool] : [];
  });
  const edits = rules.includes("Edit") ? ["Read", "Write"] : [];
  // Read-only tools alone would not cover any step of the skill.
  return rules.length === 0 ? [] : [...new Set([...looks, ...edits, ...rules])].filter(Boolean);
}

type DoneStep = SkillStep & { readonly deed: Deed };

/** Lists commands of the same kind once, at the position of the last one that something depends on. */
function stepsOf(job: Job): readonly SkillStep[] {
  const steps: DoneStep[] = [];
  for (const [index, deed] of job.deeds.entries()) {
    const step = deed.kind === "edit" ? editStep(job, index) : deedStep(deed);
    const at = steps.findIndex(({ text }) => text === step.text);
    if (at === -1) steps.push({ ...step, deed });
    // A repeated check proves what came before its last run.
    else if (isCheck(deed)) steps.push(...steps.splice(at, 1));
    else if (settles(deed)) redo(steps, at);
  }
  for (const [at, { deed }] of steps.entries()) {
    if (!isCheck(deed) || isOfOutside(deed)) continue;
    // A check that proves that something may go out comes before it goes out.
    const from = steps.slice(0, at).findLastIndex((one) => !isOutward(one.deed)) + 1;
    steps.splice(from, 0, ...steps.splice(at, 1));
  }
  for (const { first, later } of job.corrections.flatMap(rulesIn).flatMap(orderIn)) {
    const to = steps.findIndex((step) => isNamedIn(later, step));
    const at = steps.findIndex((step) => isNamedIn(first, step) && !isNamedIn(later, step));
    if (to !== -1 && at > to) steps.splice(to, 0, ...steps.splice(at, 1));
  }
  return steps.slice(0, MAX_STEPS).map(({ deed: _, ...step }) => step);
}

/** Moves what was settled too early, and what was settled right after it, past the later changes and checks. */
function redo(steps: DoneStep[], at: number): void {
  const length = steps.slice(at).findIndex(({ deed }) => !settles(deed));
  if (length !== -1) steps.push(...steps.splice(at, length));
}

const isCheck = (deed: Deed): deed is Extract<Deed, { kind: "command" }> =>
  deed.kind === "command" && deed.command.isCheck;
/** Checks that look at what went out. */
const isOfOutside = (deed: Deed): boolean =>
  deed.kind === "command" &&
  /\b(?:status|health|smoke|verify|lighthouse|pa11y|plan)\b/.test(deed.command.key);
/** Only shows or proves something, so it is not what the job was for, unless the request says so. */
const isBeside = (deed: Deed): boolean => (deed.kind === "command" && isRead(deed.command)) || isCheck(deed);
const settles = (deed: Deed): boolean =>
  isOutward(deed) ||
  (deed.kind === "command" &&
    /^git (?:commit|tag)$|^(?:npm|yarn|pnpm|poetry|cargo) version$/.test(deed.command.key));

type Order = Readonly<Record<"first" | "later", string>>;

/** The order that a sentence asks for: "before pushing run the tests", "only push after the tests pass". */
function orderIn(text: string): readonly Order[] {
  const [, head = "", word = "", rest = ""] =
    /^(.*?)\b(before|after|until|unless|once)\b(.*)$/i.exec(text) ?? [];
  const [, side = rest, more = ""] =
    (!/\w/.test(head) && /^(\s*(?:\S+ing\b|you\s+\S+)|.*?[,;:])(.*)$/.exec(rest)) || [];
  const main = `${head}${more}`;
  if (word === "") return [];
  return [/before/i.test(word) ? { first: main, later: side } : { first: side, later: main }];
}

/** Whether a text names what a step runs, apart from the program: `lint` for `npm run lint`. */
function isNamedIn(text: string, { deed }: DoneStep): boolean {
  const [program = "", ...names] = deed.kind === "command" ? deed.command.key.split(" ") : [];
  const said = new Set(tellingWords(text));
  return tellingWords(
    (names.length === 0 ? [program] : names.filter((name) => name !== "run")).join(" "),
  ).some((name) => said.has(name));
}

/** A file as the next run needs it; a skill has folders with some of these names itself. */
function shownFile(file: string): string {
  return file.replace(/^(?:\.\/)?(?=(?:scripts|references|assets)\/)/, "<project>/");
}

const shown = ({ words }: GeneralCommand): string => showCommand(words.map(shownFile));

const CHECKPOINT = "show the exact command and wait for approval, because it can affect more than this task";

function deedStep(deed: Exclude<Deed, { kind: "edit" }>): SkillStep {
  if (deed.kind === "other") {
    const names = deed.fields.filter((name) => /^[A-Za-z]\w{0,40}$/.test(name)).slice(0, MAX_FIELDS);
    const fields = names.length === 0 ? "" : ` with ${listed(names.map((name) => `\`${name}\``))}`;
    return {
      text: `Call the tool ${deed.tool}${fields}.`,
      success: "it returns a result and no error",
      ...(isBroad(deed.tool) && { checkpoint: CHECKPOINT }),
    };
  }
  const { command } = deed;
  return {
    text: `Run \`${shown(command)}\`.`,
    success: successOf(command),
    ...(command.rule === undefined && { checkpoint: CHECKPOINT }),
  };
}

function editStep(job: Job, index: number): SkillStep {
  const deed = job.deeds[index];
  const files = deed?.kind === "edit" ? deed.files : [];
  const names = files.map((file) => `\`${shownFile(file)}\``);
  const check = job.deeds.slice(index).find(isCheck)?.command;
  const checked =
    check === undefined
      ? "the file holds the change and nothing else was touched"
      : `\`${shown(check)}\` passes with the change`;
  const isNamed = files.every(
    (file) => !file.includes("/") || job.goal.includes(file.split("/").at(-1) ?? file),
  );
  const which = isNamed ? listed(names) : `the files that it takes (last time ${listed(names)})`;
  return { text: `Change ${which}.`, success: checked };
}

const SUCCESSES = readTable(String.raw`
^git (?:cherry-pick|merge|rebase|revert)\b: no conflict is left and git status is clean
^git commit\b: git log -1 shows the commit
^git push\b: the remote has the same commit as the local branch
^git (?:checkout|switch)\b: git branch --show-current names the right branch
^git fetch\b: it ends without an error, and the remote branches are current
^gh pr create|^glab mr create: it prints the address of the pull request
\brollout status|\bstatus\b: it reports that everything is ready
^(?:npm|yarn|pnpm|bun|pip3?|cargo|uv|poetry|composer|gem|brew) (?:install|add|i|ci)\b: it ends with exit code 0, and the lock file has the new version
\btests?\b|vitest|jest|pytest|mocha: it ends with exit code 0 and no test fails
`);

const successOf = ({ key, isCheck }: GeneralCommand): string | undefined =>
  SUCCESSES.find(([pattern]) => pattern.test(key))?.[1] ??
  (isCheck ? "it ends with exit code 0 and reports no problem" : undefined);
