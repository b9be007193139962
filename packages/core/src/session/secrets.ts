import { present } from "@skillet/kit/json";
import { removeHidden, showName } from "@skillet/kit/text";
import { type AskFailed, askPerson, type Question, type SecretRequest } from "../ask.ts";
import type { MissingRequirement, Skill } from "../registry/skill.ts";
import { givenTexts } from "./model-input.ts";
import type { DependencyAnswer } from "./session.ts";
import { presentSkill } from "./skill-access.ts";
import { forgetUsable, type SessionState } from "./state.ts";

export type GivenSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Values given for skills; they leave this object only for scripts of the skill they are for. */
export class SkillSecrets {
  /** By qualified name and variable; empty if a variable was asked for but not given. */
  readonly #answers = new Map<string, Map<string, string>>();
  /** Every value ever given, by variable, including values for skills that are gone. */
  readonly #given = new Map<string, readonly string[]>();
  readonly #parent: SkillSecrets | undefined;

  constructor(given: GivenSecrets = {}, parent?: SkillSecrets) {
    this.#parent = parent;
    for (const [qualifiedName, values] of Object.entries(given))
      for (const variable of Object.keys(values)) {
        const value = givenValue(variable, values);
        if (value !== "") this.answer({ qualifiedName }, variable, value);
      }
  }

  /** Empty if it was asked for but not given; undefined if it was not asked for. */
  valueOf({ qualifiedName }: Skill, variable: string): string | undefined {
    return this.#answers.get(qualifiedName)?.get(variable);
  }

  /** An empty value does not replace an earlier one. */
  answer(skill: Pick<Skill, "qualifiedName"> | undefined, variable: string, value: string): void {
    if (value !== "") this.#given.set(variable, [...(this.#given.get(variable) ?? []), value]);
    if (skill === undefined) return;
    const { qualifiedName } = skill;
    const answers = this.#answers.get(qualifiedName) ?? new Map<string, string>();
    if (value !== "" || !answers.has(variable)) answers.set(variable, value);
    this.#answers.set(qualifiedName, answers);
  }

  /** Whether the skill lacks nothing but variables, and has been given all of them. */
  satisfy(skill: Skill): boolean {
    return couldBeSatisfied(skill) && missingVariables(skill).every((name) => this.valueOf(skill, name));
  }

  /** The values given for a skill, of variables that it declares itself. */
  valuesFor(skill: Skill): Readonly<Record<string, string>> {
    const values: Record<string, string> = Object.create(null);
    for (const { name } of skill.manifest.gating.env) {
      const value = this.valueOf(skill, name);
      if (value) values[name] = value;
    }
    return values;
  }

  /** Also redacts what was given to parent sessions: scripts of this one may print that too. */
  redact(text: string): string {
    return this.redactor()(text);
  }

  redactor(): (text: string) => string {
    const own = redactSecrets(Object.fromEntries(this.#given));
    const inherited = this.#parent?.redactor();
    return inherited === undefined ? own : (text) => own(inherited(text));
  }

  names(): Iterable<string> {
    return this.#answers.keys();
  }

  rename(move: (answers: Map<string, unknown>) => void): void {
    move(this.#answers);
  }
}

function givenValue(name: string, given: Readonly<Record<string, string>> | undefined): string {
  const value: unknown = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  return typeof value === "string" ? value : "";
}

export function couldBeSatisfied({ state, missing }: Skill): boolean {
  return state === "unavailable" && missing.every(({ kind }) => kind === "environment");
}

function missingVariables({ missing }: Skill): string[] {
  return missing.filter(({ kind }) => kind === "environment").flatMap(({ names }) => names);
}

/** A value is for the skills that its question names: for another skill, the variable is asked for again. */
export async function askForDependencies(
  session: SessionState,
  given: readonly string[] | undefined,
  signal?: AbortSignal,
): Promise<DependencyAnswer> {
  const names = givenTexts(given, "The names of skills");
  const { secrets, interactive, options } = session;
  let failed: Pick<DependencyAnswer, "failure"> = {};
  const { parent, isChosen } = session;
  const skills = session.snapshot.skills.filter(
    (skill) =>
      parent?.skills.has(skill) !== false &&
      isChosen?.(skill.qualifiedName) !== false &&
      isAskedAbout(skill, names),
  );
  const variables = skills.flatMap((skill) => unansweredOf(secrets, skill, names !== undefined));
  if (variables.length > 0 && interactive && options.ask !== undefined) {
    const requests = mergeRequests(variables);
    const isLacking = (skill: Skill): boolean =>
      otherMissing(skill).length > 0 || variables.some((one) => one.skill === skill);
    const lacking = skills.filter(isLacking).map(({ qualifiedName }) => qualifiedName);
    const question: Question = {
      kind: "dependencies",
      skill: lacking.join(", "),
      reason: describeRequests(requests),
      choices: ["provide", "skip"],
      secrets: requests,
    };
    const failing: AskFailed = async (asked, failure) => {
      failed = { failure };
      await session.askFailed(asked, failure);
    };
    const answer = await askPerson(options.ask, question, failing, signal);
    // Names may have changed hands while the user typed.
    for (const { skill, name } of answer === undefined ? [] : variables) {
      const value = answer?.choice === "provide" ? givenValue(name, answer.secrets) : "";
      secrets.answer(presentSkill(session, skill), name, value);
    }
    forgetUsable(session);
  }
  const present = skills.flatMap((skill) => presentSkill(session, skill) ?? []);
  return {
    provided: [...new Set(present.flatMap((skill) => Object.keys(secrets.valuesFor(skill))))],
    missing: stillMissing(secrets, present),
    ...failed,
  };
}

function isAskedAbout({ state, name, qualifiedName }: Skill, names: readonly string[] | undefined): boolean {
  if (state === "enabled" || state === "unavailable")
    return names === undefined || names.includes(qualifiedName) || names.includes(name);
  // A full name is unambiguous.
  return state === "shadowed" && names?.includes(qualifiedName) === true;
}

function otherMissing({ missing }: Skill): readonly MissingRequirement[] {
  return missing.filter(({ kind }) => kind !== "environment");
}

function stillMissing(secrets: SkillSecrets, skills: readonly Skill[]): readonly MissingRequirement[] {
  const others = skills.flatMap(otherMissing);
  const names = skills.flatMap((skill) =>
    missingVariables(skill).filter((name) => !secrets.valueOf(skill, name)),
  );
  if (names.length === 0) return others;
  const unique = [...new Set(names)];
  const message = `missing environment variables: ${unique.join(", ")}`;
  return [...others, { kind: "environment", names: unique, message }];
}

interface Variable {
  readonly skill: Skill;
  readonly name: string;
}

// Optional variables are asked for along with needed ones, and for skills given by name, which are used next.
function unansweredOf(secrets: SkillSecrets, skill: Skill, isNamed: boolean): readonly Variable[] {
  const isOpen = (name: string): boolean => secrets.valueOf(skill, name) === undefined;
  const needed = missingVariables(skill).filter(isOpen);
  const optional = skill.manifest.gating.env.filter((one) => one.optional === true && isOpen(one.name));
  const asked = isNamed || needed.length > 0 ? optional.map(({ name }) => name) : [];
  return [...needed, ...asked].map((name) => ({ skill, name }));
}

/** Each variable once, as the first skill describes it; optional if it is optional for all. */
function mergeRequests(variables: readonly Variable[]): readonly SecretRequest[] {
  const requests = new Map<string, SecretRequest>();
  for (const { skill, name } of variables) {
    const { prompt, help, optional } = skill.manifest.gating.env.find((one) => one.name === name) ?? {};
    const first = present<SecretRequest>({ name, skills: [], prompt, help, optional: true });
    const { optional: isOptional, ...known } = requests.get(name) ?? first;
    const merged = { ...known, skills: [...known.skills, skill.qualifiedName] };
    requests.set(name, isOptional === true && optional === true ? { ...merged, optional } : merged);
  }
  return [...requests.values()];
}

function describeRequests(requests: readonly SecretRequest[]): string {
  const namesOf = (isOptional: boolean): string =>
    requests
      .filter(({ optional }) => (optional === true) === isOptional)
      .map(({ name }) => name)
      .join(", ");
  const [needed, optional] = [namesOf(false), namesOf(true)];
  return [needed && `Needed: ${needed}.`, optional && `Optional: ${optional}.`].filter(Boolean).join(" ");
}

// Shorter values would match everywhere; runners leave them alone too, and say so.
const MIN_SECRET_BYTES = 4;
// A line of a key is as secret as the whole key; a short line may be anything.
const MIN_LINE_BYTES = 12;

/** For text without escapes. Redacts secrets as a whole or by line, and every character of overlaps. */
export function redactSecrets(
  secrets: Readonly<Record<string, string | readonly string[]>>,
): (text: string) => string {
  const wanted = Object.entries(secrets).flatMap(([name, values]) => {
    const mark = `[redacted ${showName(name)}]`;
    return [values].flat().flatMap((value) => formsOf(value).map((form): Wanted => ({ form, mark })));
  });
  return wanted.length === 0 ? (text) => text : (text) => replaceSpans(text, findSpans(text, wanted));
}

interface Wanted {
  readonly form: string;
  readonly mark: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
}

function formsOf(value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return [
    // Cleaned text contains a secret in its cleaned form.
    ...new Set([
      ...[value, value.trim(), removeHidden(value)].filter((form) => isLong(form, MIN_SECRET_BYTES)),
      ...lines.filter((line) => isLong(line, MIN_LINE_BYTES)),
    ]),
  ];
}

function isLong(text: string, minBytes: number): boolean {
  return Buffer.byteLength(text) >= minBytes;
}

function findSpans(text: string, wanted: readonly Wanted[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { form, mark } of wanted) {
    for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1))
      spans.push({ start, end: start + form.length, mark });
  }
  return spans.sort((left, right) => left.start - right.start || right.end - left.end);
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, mark } of spans) {
    // An overlapping span is covered by the previous span's mark.
    if (start >= position) parts.push(text.slice(position, start), mark);
    position = Math.max(position, end);
  }
  return [...parts, text.slice(position)].join("");
}
