import type { Act, FactBook, FactPlace } from "../fact/fact.ts";
import type { Finding, RuleHit, SkillProfile } from "../finding/finding.ts";
import { hostOf, registeredDomain } from "../host/classify-host.ts";
import { FRAME_WORDS } from "../prose/frames.ts";
import { readPairs, readTokens } from "../prose/marks.ts";
import { readStatements, type Statement, toldNames } from "../prose/statements.ts";
import { isDocument } from "../rule/is-teaching.ts";
import { isAway, judgeDestination } from "../rule/judge-destination.ts";
import { SKILL_WEIGHTS } from "./skill-weights.ts";
import { addWordSlots } from "./word-signs.ts";

/** The weight of each sign and of each slot of words, and the sums at which a skill gets a verdict. */
export interface SkillWeights {
  readonly base: number;
  readonly caution: number;
  readonly dangerous: number;
  readonly named: ReadonlyMap<string, number>;
  readonly slots: Float32Array;
}

interface Sign {
  readonly value: number;
  readonly place?: FactPlace;
  readonly words?: string | undefined;
}

/** Everything that is weighed: signs by the names of their weights, and word slots, which count equally. */
export interface Signs {
  readonly named: ReadonlyMap<string, Sign>;
  readonly slots: ReadonlySet<number>;
  readonly slotValue: number;
}

/**
 * Weighs all findings, what the skill does and how it is worded: some attacks show only in several places
 * together. The weights are fitted (`npm run fit:scan`); they can add a finding, never lower one.
 */
export function weighSkill(
  facts: FactBook,
  profile: SkillProfile,
  findings: readonly Finding[],
): readonly RuleHit[] {
  if (findings.some(({ severity }) => severity === "critical")) return [];
  const signs = readSigns(facts, profile, findings);
  const score = scoreSigns(signs, WEIGHTS);
  // Only a score that raises the verdict is reported.
  const isKnown = findings.some(({ severity }) => severity === "warn");
  const bar = WEIGHTS.dangerous + marginOf(signs);
  if (score < (isKnown ? bar : WEIGHTS.caution)) return [];
  const decisive = Array.from(signs.named, ([name, sign]) => ({
    ...sign,
    weight: weightOf(name, sign.value),
  }))
    .filter(({ weight, words }) => weight > 0 && words !== undefined)
    .sort((left, right) => right.weight - left.weight);
  const heaviest = heaviestStatement(facts);
  const place = heaviest?.clause ?? decisive.find((sign) => sign.place !== undefined)?.place;
  if (place === undefined) return [];
  const words = Array.from(new Set(decisive.map((sign) => sign.words))).slice(0, MAX_NAMED);
  if (words.length === 0) words.push(`its wording, such as "${heaviestWords(heaviest?.tokens ?? [])}"`);
  return [
    {
      severity: score >= bar ? "critical" : "warn",
      place: { ...place, stance: "live", isFixture: false },
      message: `The skill as a whole resembles an attack; start with this passage: ${words.join("; ")}`,
    },
  ];
}

const MAX_NAMED = 3;

/**
 * How much more it takes to call a skill dangerous if no rule warned of it and it does nothing that an attack
 * needs. On authors left out of the fit, this spares 7 of 44 honest twins from *dangerous*, and lowers 17 of
 * 576 attacks to *caution*.
 */
export function marginOf({ named }: Pick<Signs, "named">): number {
  return named.has("warn") || Array.from(named.keys()).some((name) => HARMFUL.test(name)) ? 0 : 0.16;
}

const HARMFUL =
  /^(?:flow (?:secret|capture|conversation) |act (?:persist|agent-config|remote-shell|privilege|disable-protection|destroy|abuse|dynamic-code|install-skill|install-hook|literal-secret)|hidden |anomaly |(?:send|fetch|contact) (?:foreign|throwaway|placeholder|unknown)$)/;

/** About forty words. */
const MIN_SLOTS = 80;

const WEIGHTS: SkillWeights = {
  ...SKILL_WEIGHTS,
  named: new Map(
    SKILL_WEIGHTS.named.split(", ").map((entry) => {
      const end = entry.lastIndexOf(" ");
      return [entry.slice(0, end), Number(entry.slice(end + 1))];
    }),
  ),
  slots: Float32Array.from(
    new Int8Array(Buffer.from(SKILL_WEIGHTS.slots, "base64")),
    (one) => one * SKILL_WEIGHTS.slotUnit,
  ),
};

function weightOf(name: string, value: number): number {
  return value * (WEIGHTS.named.get(name) ?? 0);
}

/** The weighted sum; facts without words around them are left to the rules. */
export function scoreSigns(
  signs: Signs,
  { base, named, slots }: Omit<SkillWeights, "caution" | "dangerous">,
): number {
  if (signs.slots.size < MIN_SLOTS) return Number.NEGATIVE_INFINITY;
  let sum = base;
  for (const [name, { value }] of signs.named) sum += value * (named.get(name) ?? 0);
  for (const slot of signs.slots) sum += signs.slotValue * (slots[slot] ?? 0);
  return sum;
}

function heaviestStatement(facts: FactBook): Statement | undefined {
  let heaviest: Statement | undefined;
  let most = 0;
  for (const statement of readOwnWords(facts)) {
    const { frames, marks, tokens } = statement;
    let weight = weightOfWords(tokens);
    for (const name of frames) weight += weightOf(name, FRAME_VALUE);
    for (const name of readPairs(marks)) weight += weightOf(name, PAIR_VALUE);
    if (weight <= most) continue;
    most = weight;
    heaviest = statement;
  }
  return heaviest;
}

function weightOfWords(tokens: readonly string[]): number {
  const slots = new Set<number>();
  addWordSlots(tokens, slots);
  let weight = 0;
  for (const slot of slots) weight += SLOT_VALUE * (WEIGHTS.slots[slot] ?? 0);
  return weight;
}

function heaviestWords(tokens: readonly string[]): string {
  const [heaviest = []] = tokens
    .map((_, at) => tokens.slice(at, at + WORDS_SHOWN))
    .sort((left, right) => weightOfWords(right) - weightOfWords(left));
  return heaviest.join(" ");
}

const WORDS_SHOWN = 4;

export function readSigns(facts: FactBook, profile: SkillProfile, findings: readonly Finding[]): Signs {
  const named = new Map<string, Sign>();
  const words = addClauses(facts, named);
  const add: Add = (name, text, place) => {
    if (!named.has(name)) named.set(name, { value: FACT_VALUE, words: text, ...(place && { place }) });
  };
  for (const { rule, severity, message, ...finding } of findings) {
    const place = placeOfFinding(finding);
    add(`${rule} ${severity}`, `${rule}, ${message}`, place);
    add(severity, `${rule}, ${message}`, place);
  }
  addActs(facts, profile, add);
  addFlows(facts, profile, add);
  for (const { how, ...place } of facts.of("hidden")) add(`hidden ${how}`, `text hidden by ${how}`, place);
  for (const { what, ...place } of facts.of("anomaly")) add(`anomaly ${what}`, what, place);
  for (const { url } of facts.of("link")) add(`link ${judgeDestination(url, profile)}`, "a link");
  if (profile.isSecurityTool) add("security", "the skill is about security");
  return { named, ...words };
}

type Add = (name: string, words: string, place?: FactPlace) => void;

function addActs(facts: FactBook, profile: SkillProfile, add: Add): void {
  for (const { act, ...place } of facts.of("act")) {
    const words = ACT_WORDS[act.type];
    const kind = kindOf(act);
    const shown = kind === "" ? words : `${words} (${kind.replaceAll("-", " ")})`;
    add(`act ${act.type} ${kind}`.trim(), shown, place);
    const destination = CALLS.has(act.type) && "url" in act ? judgeDestination(act.url, profile) : undefined;
    if (destination !== undefined)
      add(`${act.type} ${destination}`, `${words} (${destination} address)`, place);
    const name = isDocument(place) ? undefined : nameOf(act);
    if (name === undefined || (destination !== undefined && !isAway(destination))) continue;
    const isTold = toldNames(facts).has(name);
    add(`${act.type} ${isTold ? "told" : "untold"}`, `${words} (${isTold ? "" : "not "}told)`, place);
  }
}

function kindOf(act: Act): string {
  return "what" in act ? act.what : "where" in act ? act.where : "how" in act ? act.how : "";
}

const CALLS: ReadonlySet<string> = new Set(["fetch", "send", "contact"]);

/** A short name for what an act is about: a domain, the last part of a path, a variable. */
function nameOf(act: Act): string | undefined {
  if ("url" in act && act.url !== undefined) return registeredDomain(hostOf(act.url) ?? "");
  const name =
    "path" in act ? act.path : act.type === "environment" || act.type === "install-package" ? act.name : "";
  const last = readTokens(name.toLowerCase()).at(-1) ?? "";
  return last.length < MIN_NAME_CHARACTERS ? undefined : last;
}

const MIN_NAME_CHARACTERS = 3;

const ACT_WORDS: Readonly<Record<Act["type"], string>> = {
  fetch: "something is downloaded",
  send: "something is sent",
  contact: "a setting names an address to call",
  run: "a program is run",
  "dynamic-code": "code is made at run time",
  read: "a file is read",
  environment: "a variable is read",
  write: "a file is written",
  delete: "files are deleted",
  listen: "a port is opened",
  "remote-shell": "a remote shell is opened",
  persist: "something is set to start by itself",
  "agent-config": "the agent's settings are changed",
  "install-package": "a package is installed",
  "install-skill": "a skill is installed",
  "install-hook": "installing a package runs a command",
  "literal-secret": "a secret is written out",
  privilege: "more rights are taken",
  "disable-protection": "a protection is switched off",
  destroy: "something is destroyed",
  abuse: "a machine is abused",
};

function addFlows(facts: FactBook, profile: SkillProfile, add: Add): void {
  for (const { sources, sink, ...place } of facts.of("flow"))
    for (const source of sources) {
      const from = source.type === "secret" ? `secret ${source.secret}` : source.type;
      const to =
        sink.type === "network" ? judgeDestination(sink.url, profile) : "how" in sink ? sink.how : "";
      add(`flow ${from} ${sink.type}`, `data goes from ${from.replaceAll("-", " ")} to ${sink.type}`, place);
      add(
        `flow ${source.type} ${sink.type} ${to}`.trim(),
        `data goes from ${source.type} to ${sink.type}`,
        place,
      );
    }
}

function addClauses(facts: FactBook, named: Map<string, Sign>): Pick<Signs, "slots" | "slotValue"> {
  const statements = readOwnWords(facts);
  // A long text says nearly everything once.
  const share = Math.min(1, (USUAL_CLAUSES / Math.max(1, statements.length)) ** 0.3);
  const slots = new Set<number>();
  for (const { clause: place, frames, marks, tokens } of statements) {
    for (const name of frames)
      if (!named.has(name))
        named.set(name, { value: FRAME_VALUE * share, place, words: FRAME_WORDS.get(name) });
    for (const name of readPairs(marks))
      if (!named.has(name)) named.set(name, { value: PAIR_VALUE * share, place });
    addWordSlots(tokens, slots);
  }
  return { slots, slotValue: SLOT_VALUE * share };
}

/** The skill's own clauses: not those that it quotes, shows or keeps as data. */
function readOwnWords(facts: FactBook): readonly Statement[] {
  return readStatements(facts).filter(
    ({ clause: { index, stance, medium, isFixture } }) =>
      // A clause that is only in the header has no number.
      index !== -1 &&
      !isFixture &&
      stance !== "quoted" &&
      stance !== "example" &&
      medium !== "data" &&
      medium !== "config",
  );
}

const USUAL_CLAUSES = 30;
const FRAME_VALUE = 0.7;
const PAIR_VALUE = 1 / 6;
const SLOT_VALUE = 0.2;
const FACT_VALUE = 0.3;

function placeOfFinding({
  file,
  line,
  evidence,
  chain,
}: Omit<Finding, "rule" | "severity" | "message">): FactPlace {
  const shown = { medium: "prose", stance: "live", section: [], isFixture: false } as const;
  return { file, line, snippet: evidence, chain, ...shown };
}
