import type { FactBook, FactPlace } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { DEMANDS, type FrameName } from "../prose/frames.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import {
  addressOf,
  around,
  isSameSection,
  mailOf,
  readStatements,
  type Statement,
} from "../prose/statements.ts";
import { addTo, remembered, words } from "../word-list.ts";
import { isStranger, isThrowaway, judgeDestination } from "./judge-destination.ts";
import { PROSE_ROWS, type ProseRow, type Sign } from "./prose-table.ts";
import { rule } from "./rule-texts.ts";

/** A rule together with the table rows that name it; some rules have nothing else. */
export function withProse(id: string, byFacts: Rule = rule(id)): Rule {
  if (!PROSE_ROWS.some((row) => row.rule === id)) return byFacts;
  return rule(id, (facts, profile) => [...byFacts.find(facts, profile), ...proseHits(facts, profile, id)]);
}

export function proseHits(facts: FactBook, profile: SkillProfile, rule: string): readonly RuleHit[] {
  const byProfile = remembered(KNOWN, facts, () => new WeakMap());
  return remembered(byProfile, profile, () => findAll(facts, profile)).get(rule) ?? [];
}

const KNOWN = new WeakMap<FactBook, WeakMap<SkillProfile, ReadonlyMap<string, readonly RuleHit[]>>>();

function findAll(facts: FactBook, profile: SkillProfile): ReadonlyMap<string, readonly RuleHit[]> {
  const hits = new Map<string, RuleHit[]>();
  const statements = readStatements(facts);
  const deeds = deedsByPlace(facts, profile);
  statements.forEach((statement, index) => {
    if (statement.frames.size === 0 || !isSaid(statement.clause)) return;
    const rows = rowsFor(statement);
    if (rows.length === 0) return;
    const nearby = signsAround(statements, index, deeds, profile);
    const [, ...following] = around(statements, index, { before: 0, after: 4 });
    const done = new Set<string>();
    for (const row of rows) {
      if (done.has(row.rule) || !row.nearby.every((signs) => signs.some((sign) => nearby.has(sign))))
        continue;
      const find = (read: Statement): readonly RuleHit[] =>
        row.clause.every((frame) => read.frames.has(frame)) ? [judge(read, row, profile)] : [];
      // A password or a command is put in quotation marks because it is to be taken literally.
      const isTaken = row.rule.startsWith("SE");
      const found = isTaken ? find(statement) : lowerQuoted(statement, following, profile, find);
      // A purpose excuses the row that it belongs to, not a later one.
      if (found.some(({ demoted }) => demoted !== PURPOSE)) done.add(row.rule);
      for (const hit of found) addTo(hits, row.rule, hit);
    }
  });
  return hits;
}

/** Headings give no orders, and data is not the skill's own words unless a text was hidden in it. */
function isSaid({ medium, chain }: FactPlace): boolean {
  return medium !== "heading" && (medium !== "data" || chain.length > 0);
}

// The rows whose frames all meet in a clause. A question to the user, or an instruction to ask, demands
// nothing, but does not excuse what is never acceptable.
function rowsFor({ frames, clause }: Statement): readonly ProseRow[] {
  const rows = new Set<ProseRow>();
  for (const frame of frames)
    for (const row of BY_FRAME.get(frame) ?? NO_ROWS)
      if (row.clause.every((one) => frames.has(one))) rows.add(row);
  if (rows.size === 0) return NO_ROWS;
  const isAsking = frames.has("asksFirst") || QUESTION.test(clause.text);
  return PROSE_ROWS.filter(
    (row) => rows.has(row) && (!isAsking || row.clause.some((frame) => NEVER_RIGHT.has(frame))),
  );
}

const NO_ROWS: readonly ProseRow[] = [];
const BY_FRAME = new Map<string, ProseRow[]>();
for (const row of PROSE_ROWS) addTo(BY_FRAME, row.clause[0] ?? "", row);

const NEVER_RIGHT: ReadonlySet<string> = new Set<FrameName>([
  ...["systemBlock", "override", "outranks", "bypassTag", "overrideTag"],
  ...["persona", "unlimited", "hush"],
] as const);

// `Should some actions be approved for good?` asks the reader; a `?` inside an address is not a question.
const QUESTION =
  /^[^\p{L}]{0,8}(?:should|would|could|shall|may|does|is|are|which|what|whether)\b[^!?]{0,300}\?\s*$/u;

const PURPOSE = "it is what the skill is for";

function judge({ clause }: Statement, row: ProseRow, profile: SkillProfile): RuleHit {
  const isDemand = row.clause.some((frame) => DEMANDS.has(frame));
  const place = isDemand ? placeOfDemand(clause) : clause;
  const isPurpose =
    row.purpose !== "" &&
    new RegExp(`\\b(?:${row.purpose})`, "i").test(`${profile.name} ${profile.description}`);
  return isPurpose ? hitAt(place, "info", row.message, PURPOSE) : hitAt(place, row.severity, row.message);
}

// The place of a clause whose demand is itself a negation: `do not tell the user`, `never ask first`. Such a
// clause reads as something forbidden, but it forbids the safeguard, so it counts as the document's own
// demand, unless the heading above it reverses it again.
function placeOfDemand(clause: FactPlace): FactPlace {
  if (clause.stance !== "negated" || clause.section.some((heading) => FORBIDDING.test(heading)))
    return clause;
  return { ...clause, stance: "live" };
}

const FORBIDDING =
  /\b(?:never|don'?t|do not|does not|doesn'?t|avoid|anti-?patterns?|mistakes?|forbidden|prohibited|red flags?|bad|wrong|not allowed|must not)\b|禁止|不要|错误|никогда|нельзя|запрещ/i;

type DeedsByPlace = ReadonlyMap<string, readonly Sign[]>;

function deedsByPlace(facts: FactBook, profile: SkillProfile): DeedsByPlace {
  const deeds = new Map<string, Sign[]>();
  const add = ({ file, line }: FactPlace, ...signs: readonly Sign[]): void => {
    for (const sign of signs) addTo(deeds, `${file}\0${line}`, sign, MAX_DEEDS);
  };
  for (const { sources, sink, stance, ...place } of facts.of("flow")) {
    if (stance !== "live") continue;
    if (sink.type === "network") add({ ...place, stance }, ...awaySigns(sink.url ?? sink.host, profile));
    if (sink.type === "execute" && sources.some(({ type }) => type === "decoded"))
      add({ ...place, stance }, "runs-decoded");
  }
  for (const { act, stance, ...place } of facts.of("act")) {
    if (stance !== "live") continue;
    if (act.type === "send" || act.type === "contact")
      add({ ...place, stance }, ...awaySigns(act.url, profile));
    if (act.type === "run" && act.program === "rm" && act.arguments.some((argument) => BLIND.test(argument)))
      add({ ...place, stance }, "blind-deletion");
  }
  for (const link of facts.of("link")) if (isThrowaway(link.url)) add(link, "loose-link");
  return deeds;
}

/** Per line; there are five kinds. */
const MAX_DEEDS = 50;
const BLIND = /^(?:\.\.\/[^ ]{0,40}\*|\$\(|`|\*$)/;

function awaySigns(address: string | undefined, profile: SkillProfile): readonly Sign[] {
  if (address === undefined || !isStranger(address, profile)) return [];
  return judgeDestination(address, profile) === "throwaway" ? ["away", "throwaway"] : ["away"];
}

function signsAround(
  statements: readonly Statement[],
  index: number,
  deeds: DeedsByPlace,
  profile: SkillProfile,
): ReadonlySet<Sign> {
  const own = statements[index] as Statement;
  const signs = new Set<Sign>();
  for (const other of around(statements, index, { before: CLAUSES_BESIDE, after: CLAUSES_BESIDE })) {
    if (!isSameSection(other, own) || other.clause.stance === "quoted" || other.clause.stance === "example")
      continue;
    for (const frame of other.frames) signs.add(frame);
    // A folded clause spans many lines, so its links count too.
    if (other.links.some(({ url }) => isThrowaway(url))) signs.add("loose-link");
    if (GOING_AWAY.some((frame) => other.frames.has(frame))) {
      const mail = mailOf(other);
      const address = addressOf(other) ?? mail?.slice(mail.indexOf("@") + 1);
      if (address !== undefined) for (const sign of awaySigns(address, profile)) signs.add(sign);
    }
  }
  const { file, line } = own.clause;
  for (let at = line - LINES_BESIDE; at <= line + LINES_BESIDE; at++)
    for (const sign of deeds.get(`${file}\0${at}`) ?? []) signs.add(sign);
  return signs;
}

const GOING_AWAY = words(
  "sends mailsOut movesRegistry installsFirst runsFetched fetchesToRun downloadsFrom opensPicture",
) as readonly FrameName[];
const CLAUSES_BESIDE = 3;
const LINES_BESIDE = 5;
