import type { SelectContext, SelectedSkill, Selector, Skill, Skills } from "@skillet/core";
import { findObstacle } from "@skillet/core/internal";
import { cutPath } from "@skillet/kit/glob";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { splitWords } from "@skillet/kit/words";
import { type AgentsOf, openAgentsOf } from "../context/agents-of.ts";
import { refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { correctWords } from "../context/correct-words.ts";
import { openRegistry, openSelector, openVetter, toVet } from "../context/open-registry.ts";
import { loadSelecting } from "../load-beside.ts";
import { emptyState, warnDiagnostics } from "../ui/skill-notices.ts";
import { readBy, rulesOf } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, hang, spacedBlocks, titleLines } from "../ui/text.ts";

interface SearchOptions {
  readonly words: readonly string[];
  readonly limit?: number;
  readonly files?: readonly string[];
}

export async function search(context: CommandContext, options: SearchOptions): Promise<ExitCode> {
  const text = options.words.join(" ").trim();
  refuseUsage("search", [
    [text === "", "There is nothing to search for.", 'For example: skillet search "fill in a PDF form"'],
  ]);
  const { files, limit = 5 } = options;
  const skills = await openRegistry(context, { servers: true });
  const { selector, usable, find } = await openSearch(context, skills);
  const shown = (found: Results) => (context.json ? found : worthShowing(found));
  const look = (words: string) => find({ text: words, limit, context: { ...(files && { files }) } }, shown);
  const { found, withheld } = await look(text);
  const results = shown(found);
  const leftOut = findLeftOut(skills.snapshot.skills, { usable, withheld, files });
  const { diagnostics } = selector;
  const { better, isKnown } = await findBetter(context, skills, { text, leftOut });
  const unknownWords = selector.unknownWords(text).filter((word) => !isKnown(word));
  const isFound = async (other: string): Promise<boolean> => fits((await look(other)).found);
  const correction = { skills: [...usable], unknownWords, isFound };
  const meant = fits(results) ? "" : await correctWords(text, correction);
  // A single word may say too little as a message, but may be meant as a name.
  const isName = [...usable].some(({ name }) => splitWords(name).includes(text.toLowerCase()));
  const hints = [
    ...(meant === "" ? [] : [`Did you mean: skillet search ${shellArgument(meant)}`]),
    ...(isName ? [`For skills with this word in their names: skillet find ${shellArgument(text)}`] : []),
  ];
  const document = {
    results: results.map(({ skill: { name, qualifiedName, manifest }, ...result }) => {
      return { name, qualifiedName, description: manifest.description, ...result };
    }),
    leftOut: Object.fromEntries([...leftOut].map(([cause, left]) => [cause, left.length])),
    unknownWords,
    better,
    diagnostics,
  };
  answer(context, document, () => screen(context, skills, { ...document, results, leftOut, hints }));
  if (!context.json) warnDiagnostics(context, diagnostics);
  return 0;
}

type SearchRequest = { readonly text: string; readonly limit: number; readonly context?: SelectContext };
export type Results = readonly SearchResult[];

interface Search {
  readonly selector: Selector;
  readonly usable: ReadonlySet<Skill>;
  /** Finds skills for a message; those that `shown` picks are scanned, and withheld ones are left out. */
  find(
    request: SearchRequest,
    shown: (found: Results) => Results,
  ): Promise<{ readonly found: Results; readonly withheld: ReadonlySet<Skill> }>;
}

/** Finds which skills a message calls, in the same way for `search` and `preview`. */
export async function openSearch(context: CommandContext, skills: Skills): Promise<Search> {
  const usable = await findUsable(skills);
  const selector = (await openSelector(context, skills)).among((skill) => usable.has(skill));
  const scanned = new Set<Skill>();
  const withheld = new Set<Skill>();
  return {
    selector,
    usable,
    // Only skills about to be shown are scanned, because scanning a library of thousands takes minutes. If a
    // scan withholds one, the next best takes its place.
    find: async (request, shown) => {
      for (;;) {
        const asked = withheld.size > 0 ? selector.among((skill) => !withheld.has(skill)) : selector;
        const found = searchResults(asked, request);
        const unknown = shown(found)
          .map(({ skill }) => skill)
          .filter((skill) => skill.scope !== "bundled" && !scanned.has(skill));
        if (unknown.length === 0) return { found, withheld };
        const vetter = await openVetter(context, skills);
        const vettings = await vetter.vet(unknown.map((skill) => toVet(skills, skill)));
        for (const [index, skill] of unknown.entries()) {
          scanned.add(skill);
          if (vettings[index]?.outcome !== "allow") withheld.add(skill);
        }
      }
    },
  };
}

/** Users search for themselves or for a model; skills that neither can use are left out. */
async function findUsable(skills: Skills): Promise<ReadonlySet<Skill>> {
  const rules = rulesOf(skills);
  const all = skills.snapshot.skills;
  const scripted = new Set<Skill>();
  // Finding out which of thousands have scripts is slow, so it is done only if it matters.
  if (rules.mode === "plan")
    for (const skill of all) if (await skills.reader.hasScripts(skill)) scripted.add(skill);
  const facts = { rules: { ...rules, hasScripts: (skill: Skill) => scripted.has(skill) } };
  const isUsable = (skill: Skill): boolean =>
    findObstacle(skill, facts) === undefined ||
    findObstacle(skill, { ...facts, source: "user" }) === undefined;
  return new Set(all.filter(isUsable));
}

interface Outcome {
  readonly results: Results;
  readonly leftOut: LeftOut;
  readonly unknownWords: readonly string[];
  readonly better: readonly Better[];
  /** What else to try if nothing fits. */
  readonly hints: readonly string[];
}

function screen(context: CommandContext, skills: Skills, outcome: Outcome): readonly string[] {
  const { terminal: layout } = context;
  const { results, leftOut, better } = outcome;
  const total = skills.snapshot.skills.length;
  if (total === 0) return emptyState(skills, layout);
  // Withheld skills were searched, and which ones turn up depends on the words, so they are not left out.
  const named = [...leftOut].map(([cause, left]) => [cause, left.map((skill) => skill.qualifiedName)]);
  const { withheld = [], ...others }: Record<string, readonly string[]> = Object.fromEntries(named);
  const searched = total - Object.values(others).flat().length;
  return [
    ...(fits(results) ? [...searchTable(results, layout, openAgentsOf(context, skills, ["all"])), ""] : []),
    ...summary(outcome, searched).flatMap((line) => hang(line, layout)),
    ...hang(withheldWords(withheld), layout),
    ...better.flatMap((one) => hang(betterWords(one), layout)),
    ...hang(fits(results) ? "" : leftOutWords(others), layout, { paint: layout.colours.dim }),
  ];
}

function fits(results: Results): boolean {
  return results.some(({ decision }) => decision !== "nothing");
}

/** Below this score even the nearest skill is not named; `--json` lists them all. */
const MIN_SCORE = 0.25;

function worthShowing(found: Results): Results {
  const fitting = found.filter(({ decision }) => decision !== "nothing");
  return fitting.length > 0 ? fitting : found.filter(({ score }) => score >= MIN_SCORE);
}

/** How many words that no skill mentions are named. */
const MAX_UNKNOWN = 5;

function summary({ results, unknownWords, hints }: Outcome, searched: number): readonly string[] {
  if (searched === 0) return [`No skill can be used here, so nothing was searched. To see why: skillet show`];
  if (!fits(results)) {
    const unknown = unknownWords.map((word) => `"${word}"`);
    const names = results.map(({ skill, score }) => `${skill.qualifiedName} (${percentOf(score)})`);
    return [
      `No skill fits; ${count(searched, "skill")} searched.${names.length === 0 ? "" : ` Nearest: ${names.join(", ")}.`}`,
      ...(unknown.length === 0 ? [] : [`None of them mentions ${listFirst(unknown, MAX_UNKNOWN)}.`]),
      ...hints,
      `Try other words, or see all skills: skillet show`,
    ];
  }
  return [
    `${results.length} of ${count(searched, "skill")} fit${results.length === 1 ? "s" : ""}. To see what one does and may do: skillet explain NAME`,
    "Agents with Skillet's hooks are told which of their skills fit; `skillet agent` loads what says activate.",
  ];
}

/** Why skills were not searched, in the order of the report. */
const CAUSES = "disabled unavailable untrusted shadowed withheld denied elsewhere".split(" ");

type LeftOut = ReadonlyMap<string, readonly Skill[]>;

function findLeftOut(
  skills: readonly Skill[],
  known: {
    readonly usable: ReadonlySet<Skill>;
    readonly withheld: ReadonlySet<Skill>;
    readonly files: readonly string[] | undefined;
  },
): LeftOut {
  const cut = known.files?.map(cutPath);
  const causes = skills.map((skill) => {
    if (known.withheld.has(skill)) return "withheld";
    if (!known.usable.has(skill)) return skill.state === "enabled" ? "denied" : skill.state;
    return findObstacle(skill, { files: cut })?.cause === "paths" ? "elsewhere" : undefined;
  });
  const left = CAUSES.map((cause) => [cause, skills.filter((_, index) => causes[index] === cause)] as const);
  return new Map(left.filter(([, found]) => found.length > 0));
}

type Better = { readonly name: string; readonly cause: string; readonly score: number };

const MAX_BETTER = 3;

/**
 * Returns unusable skills that fit better than all usable ones. Both are ranked together by their headers,
 * because scores cannot be compared across sets. A skill that a scan would withhold is never recommended.
 */
async function findBetter(
  context: CommandContext,
  skills: Skills,
  { text, leftOut }: { text: string; leftOut: LeftOut },
): Promise<{ readonly better: readonly Better[]; readonly isKnown: (word: string) => boolean }> {
  const { snapshot } = skills;
  const causes = new Map(
    [...leftOut].flatMap(([cause, left]) => left.map((skill) => [skill, cause] as const)),
  );
  const fixable = [...causes].filter(([, cause]) => cause in REMEDIES).map(([skill]) => skill);
  if (fixable.length === 0) return { better: [], isKnown: () => false };
  const originals = new Map(
    fixable.map((skill): [Skill, Skill] => [Object.create(skill, { state: { value: "enabled" } }), skill]),
  );
  const usable = snapshot.skills.filter((skill) => !causes.has(skill));
  const selector = await loadSelecting().createSelector({
    ...snapshot,
    skills: [...usable, ...originals.keys()],
  });
  const { activate, suggest } = selector.decide(text);
  const ranked = [...activate, ...suggest];
  const first = ranked.findIndex(({ skill }) => !originals.has(skill));
  const ahead = ranked.slice(0, first < 0 ? MAX_BETTER : Math.min(first, MAX_BETTER));
  const vetter = await openVetter(context, skills);
  const asked = ahead.map(({ skill }) => toVet(skills, originals.get(skill) ?? skill));
  const vettings = await vetter.vet(asked);
  const better = ahead.flatMap(({ skill, score }, index) => {
    const cause = causes.get(originals.get(skill) ?? skill) ?? "";
    return vettings[index]?.outcome === "allow" ? [{ name: skill.qualifiedName, cause, score }] : [];
  });
  const unknown = new Set(selector.unknownWords(text));
  return { better, isKnown: (word) => better.length > 0 && !unknown.has(word) };
}

/** What the user can do, by cause. */
const REMEDIES: Readonly<Record<string, string>> = {
  disabled: "To enable it: skillet enable",
  untrusted: "To look at its folder and trust it: skillet trust",
  unavailable: "To see what is missing: skillet explain",
  denied: "To see which rule: skillet explain",
};

function betterWords({ name, cause, score }: Better): string {
  const remedy = `${REMEDIES[cause]}${cause === "untrusted" ? "" : ` ${shellArgument(name)}`}`;
  return `${name} fits (${percentOf(score)}), but is ${cause}. ${remedy}`;
}

function withheldWords(names: readonly string[]): string {
  const [first] = names;
  if (first === undefined) return "";
  return `Not shown, because a scan found them dangerous or doubtful: ${listFirst(names, 3)}. To see why: skillet explain ${shellArgument(first)}`;
}

function leftOutWords(leftOut: Readonly<Record<string, readonly string[]>>): string {
  const [first] = Object.values(leftOut).flat();
  if (first === undefined) return "";
  const parts = Object.entries(leftOut).map(
    ([cause, names]) => `${names.length} ${cause} (${listFirst(names, 3)})`,
  );
  return `Left out: ${parts.join(", ")}. To see why: skillet explain ${shellArgument(first)}`;
}

interface SearchResult {
  readonly skill: Skill;
  /** The probability that the skill is wanted, from 0 to 1. */
  readonly score: number;
  readonly decision: "activate" | "suggest" | "nothing";
  readonly reasons: readonly string[];
}

function searchResults(selector: Selector, { text, limit, context = {} }: SearchRequest): Results {
  // Shows the decision's scores, as agents get them; ranking alone treats copies and rivals differently.
  const { activate, suggest } = selector.decide(text, { context });
  const fitting = [...activate, ...suggest];
  const others = selector
    .select(text, { limit, context })
    .filter(({ skill }) => !fitting.some((one) => one.skill === skill));
  // Among skills shown as equally likely, the user's own come first.
  const rank = ({ skill, score }: SelectedSkill): number =>
    (skill.scope === "bundled" ? 1 : 0) - 2 * Math.round(score * 100);
  const ranked = [fitting, others].flatMap((group) =>
    group.toSorted((one, other) => rank(one) - rank(other)),
  );
  return ranked.slice(0, limit).map((found) => ({
    skill: found.skill,
    score: Math.round(found.score * 1000) / 1000,
    decision: activate.includes(found) ? "activate" : suggest.includes(found) ? "suggest" : "nothing",
    reasons: found.reasons,
  }));
}

function searchTable(results: Results, layout: Layout, { agents = [], readersOf }: AgentsOf): string[] {
  const noReader = agents.length === 0 ? "" : "read by no agent";
  const { green, yellow, dim } = layout.colours;
  const blocks = results.map(({ skill, score, decision, reasons }) => {
    const [mark, paint] = decision === "activate" ? ["✓", green] : ["?", yellow];
    const tail = `${percentOf(score)}  ${decision}  ${readBy(readersOf(skill)) || noReader}`.trimEnd();
    return [
      ...titleLines([skill.qualifiedName, tail], layout, { indent: 2, lead: `${paint(mark)} `, paint }),
      // Far more than fits; a description may be as long as a file.
      ...hang(skill.manifest.description.slice(0, 1000), layout, { indent: 2, maxLines: 2 }),
      ...hang(reasons.join("; ").slice(0, 1000), layout, { indent: 2, maxLines: 3, paint: dim }),
    ];
  });
  return spacedBlocks(blocks);
}

function percentOf(score: number): string {
  return `${Math.round(score * 100)} %`;
}
