import type { Act } from "../fact/act.ts";
import type { FactPlace } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import type { Finding, RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { FRAME_WORDS, type FrameName } from "../prose/frames.ts";
import { isPair, readPairs } from "../prose/marks.ts";
import { readStatements } from "../prose/statements.ts";
import { judgeDestination } from "../rule/judge-destination.ts";
import { SKILL_WEIGHTS } from "./skill-weights.ts";

export interface SkillWeights {
  readonly base: number;
  readonly caution: number;
  /** Where a rule has warned. */
  readonly dangerous: number;
  /** Where no rule has. */
  readonly alone: number;
  readonly weights: Readonly<Record<string, number>>;
}

/** What a skill shows by one name: how strongly, where, and what to call it. */
export interface Sign {
  readonly value: number;
  readonly place?: FactPlace;
  readonly words: string;
}

/**
 * Weighs what all rules found, what the skill does and how it speaks, together: attacks that no rule can condemn by one
 * place show themselves in several. The weights are fitted (`npm run fit:scan`); they add a finding, and never lower one.
 */
export function weighSkill(
  facts: FactBook,
  profile: SkillProfile,
  findings: readonly Finding[],
): readonly RuleHit[] {
  if (findings.some(({ severity }) => severity === "critical")) return [];
  const signs = readSigns(facts, profile, findings);
  const score = scoreSigns(new Map(Array.from(signs, ([name, { value }]) => [name, value])), WEIGHTS);
  // Only what raises the verdict is news, and it takes more where no rule has warned.
  const known = findings.some(({ severity }) => severity === "warn");
  const isCondemned = score >= (known ? WEIGHTS.dangerous : WEIGHTS.alone);
  if (!isCondemned && (known || score < WEIGHTS.caution)) return [];
  const decisive = Array.from(signs, ([name, sign]) => ({
    ...sign,
    weight: sign.value * weightOf(name, WEIGHTS),
  }))
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight);
  const place = decisive.find((sign) => sign.place !== undefined)?.place;
  if (place === undefined) return [];
  const words = Array.from(new Set(decisive.map((sign) => sign.words))).slice(0, MAX_NAMED);
  return [
    {
      severity: isCondemned ? "critical" : "warn",
      place: { ...place, stance: "live", isFixture: false },
      message: `Taken together it reads like an attack: ${words.join("; ")}`,
    },
  ];
}

const MAX_NAMED = 3;

const WEIGHTS: SkillWeights = {
  ...SKILL_WEIGHTS,
  weights: Object.fromEntries(
    SKILL_WEIGHTS.weights.split(", ").map((entry) => {
      const end = entry.lastIndexOf(" ");
      return [entry.slice(0, end), Number(entry.slice(end + 1))];
    }),
  ),
};

/** The sum of what is weighed; without a clause that speaks for an attack nothing is, since facts alone are for the rules. */
export function scoreSigns(
  signs: ReadonlyMap<string, number>,
  weights: Pick<SkillWeights, "base" | "weights">,
): number {
  const names = Array.from(signs.keys());
  if (
    !names.some((name) => (isPair(name) || Object.hasOwn(FRAME_WORDS, name)) && weightOf(name, weights) > 0)
  )
    return Number.NEGATIVE_INFINITY;
  return names.reduce((sum, name) => sum + (signs.get(name) ?? 0) * weightOf(name, weights), weights.base);
}

function weightOf(name: string, { weights }: Pick<SkillWeights, "weights">): number {
  return Object.hasOwn(weights, name) ? (weights[name] ?? 0) : 0;
}

/** Everything that is weighed, by the names of the weights. */
export function readSigns(
  facts: FactBook,
  profile: SkillProfile,
  findings: readonly Finding[],
): ReadonlyMap<string, Sign> {
  const signs = new Map<string, Sign>();
  addClauses(facts, signs);
  const add: Add = (name, words, place) => {
    if (!signs.has(name)) signs.set(name, { value: FACT_VALUE, words, ...(place && { place }) });
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
  return signs;
}

type Add = (name: string, words: string, place?: FactPlace) => void;

function addActs(facts: FactBook, profile: SkillProfile, add: Add): void {
  for (const { act, ...place } of facts.of("act")) {
    const kind = "what" in act ? act.what : "where" in act ? act.where : "how" in act ? act.how : "";
    const words = ACT_WORDS[act.type];
    add(
      `act ${act.type} ${kind}`.trim(),
      kind === "" ? words : `${words} (${kind.replaceAll("-", " ")})`,
      place,
    );
    if (act.type !== "fetch" && act.type !== "send" && act.type !== "contact") continue;
    const destination = judgeDestination(act.url, profile);
    add(`${act.type} ${destination}`, `${words} (${destination} address)`, place);
  }
}

/** In words for people: what is done. */
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

/** What clauses say: the frames that they fill, and which class of words follows which. */
function addClauses(facts: FactBook, signs: Map<string, Sign>): void {
  const counts = new Map<string, { clauses: number; place: FactPlace }>();
  let read = 0;
  for (const { clause, frames, marks } of readStatements(facts)) {
    // What stands only in the header has no number.
    if (clause.index === -1) continue;
    if (clause.stance === "quoted" || clause.stance === "example") continue;
    // Sample messages and tables are said by others.
    if (clause.medium === "data" || clause.medium === "config" || clause.isFixture) continue;
    read++;
    for (const name of [...frames, ...readPairs(marks)]) {
      const known = counts.get(name);
      if (known === undefined) counts.set(name, { clauses: 1, place: clause });
      else known.clauses++;
    }
  }
  // In a long text nearly everything is said once.
  const share = Math.min(1, (USUAL_CLAUSES / Math.max(1, read)) ** 0.3);
  for (const [name, { clauses, place }] of counts) {
    // Of a few words nobody can tell how a text is worded.
    if (read < LEAST_CLAUSES && isPair(name)) continue;
    const value =
      (isPair(name) ? PAIR_VALUE : FRAME_VALUE) * Math.min(1.5, 1 + Math.log(clauses) / 4) * share;
    signs.set(name, { value, place, words: FRAME_WORDS[name as FrameName] ?? WORDING });
  }
}

const WORDING = "the way it is worded";

const USUAL_CLAUSES = 30;
const LEAST_CLAUSES = 6;
const FRAME_VALUE = 0.7;
const PAIR_VALUE = 0.35;
const FACT_VALUE = 0.3;

function placeOfFinding({
  file,
  line,
  evidence,
  chain,
}: Pick<Finding, "file" | "line" | "evidence" | "chain">): FactPlace {
  return {
    file,
    line,
    snippet: evidence,
    chain,
    medium: "prose",
    stance: "live",
    section: [],
    isFixture: false,
  };
}
