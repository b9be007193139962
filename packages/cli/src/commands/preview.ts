import { LocalSource, type Skill } from "@skillet/core";
import { createCatalog, tokenCost } from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode, type Lists } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";
import { findSkillToEvaluate, readTriggerSets, type SkillToEvaluate } from "../eval/read-trigger-sets.ts";
import { loadSelecting } from "../load-beside.ts";
import {
  count,
  firstLines,
  formatBytes,
  formatTokens,
  hang,
  moreInJson,
  showControl,
  showSentence,
  spacedBlocks,
  stripControl,
  titleLines,
  wrap,
} from "../ui/text.ts";
import { bySelector } from "./eval-triggers.ts";
import { openSearch, type Results } from "./search.ts";

type PreviewOptions = Lists<"message"> & { readonly skill: string };

const MAX_BODY_LINES = 30;
const MAX_FILES = 20;
const MAX_MESSAGES = 10;
const MAX_RANK = 50;

/** Shows a skill tier by tier as a model sees it, and how it ranks among the others for messages. */
export async function preview(context: CommandContext, options: PreviewOptions): Promise<ExitCode> {
  const found = await findSkillToEvaluate(context, options.skill, { alone: false, among: undefined });
  const { skill } = found;
  const catalogue = createCatalog([skill], { guidance: "none", budget: "unlimited" }).text;
  const cost = tokenCost(skill);
  const instructions = ((await found.readBody(skill)) ?? "").trim();
  const files = (await new LocalSource(skill.directory).listFiles(".")).files
    .filter(({ kind, path }) => kind === "file" && !/^(?:skill\.md$|evals\/)/i.test(path))
    .map(({ path, size }) => ({ path, bytes: size, tokens: Math.ceil(size / 4) }));
  const tiers = {
    catalogue: { text: catalogue, tokens: cost.catalog },
    instructions: { text: instructions, tokens: cost.body },
    files,
  };
  const messages = await rank(context, found, options.message ?? []);
  const withheld = (await vetShown(context, found.registry, [skill])).get(skill)?.withheld;
  const { name, qualifiedName, path } = skill;
  const among = found.others.length;
  const document = { name, qualifiedName, path, ...present({ withheld }), ...tiers, among, messages };
  return answer(context, document, () =>
    screen(context, skill, { ...tiers, messages, withheld, others: among, word: options.skill }),
  );
}

interface Ranked {
  readonly message: string;
  /** Absent for a typed message: only its author knows. */
  readonly shouldTrigger?: boolean;
  /** The rank among all skills; absent if it is not among the first 50. */
  readonly rank?: number;
  readonly score: number;
  readonly decision: string;
  /** Skills that are chosen and rank before it. */
  readonly instead: readonly string[];
}

/** Evaluates the messages of the skill's set as `eval triggers` does, and typed messages as `search` does. */
async function rank(
  context: CommandContext,
  found: SkillToEvaluate,
  typed: readonly string[],
): Promise<readonly Ranked[]> {
  const { skill, registry, others, home } = found;
  const { findTriggerSets, readLearned } = loadSelecting();
  if (typed.length === 0) {
    const { files } = await findTriggerSets(new LocalSource(skill.directory));
    if (files.length === 0) return [];
    const { queries } = await readTriggerSets(context, skill, []);
    const { results } = await bySelector(context, found, { queries, learned: readLearned(home) });
    return results.map(({ query: message, shouldTrigger, rank: place, score, decision, chosenInstead }) => {
      const instead = chosenInstead.slice(0, place && place - 1).map(({ name }) => name);
      return present<Ranked>({ message, shouldTrigger, rank: place, score, decision, instead });
    });
  }
  const isOffered = others.includes(skill) && skill.state === "enabled";
  const skills = isOffered ? registry : await openRegistry(context, { beside: skill.directory });
  const { find } = await openSearch(context, skills);
  const ranked: Ranked[] = [];
  for (const message of typed) {
    const isIt = (one: { readonly skill: Skill }): boolean => one.skill.path === skill.path;
    const called = (results: Results): Results =>
      results.filter((one) => one.decision !== "nothing" && !isIt(one));
    const { found: all } = await find({ text: message, limit: MAX_RANK }, called);
    const place = all.findIndex(isIt);
    const own = all[place];
    ranked.push({
      message,
      ...(own !== undefined && { rank: place + 1 }),
      score: own?.score ?? 0,
      decision: own?.decision ?? "nothing",
      instead: called(place < 0 ? all : all.slice(0, place)).map(({ skill: other }) => other.qualifiedName),
    });
  }
  return ranked;
}

interface Shown {
  readonly catalogue: { readonly text: string; readonly tokens: number };
  readonly instructions: { readonly text: string; readonly tokens: number };
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly tokens: number }[];
  readonly messages: readonly Ranked[];
  /** Why Skillet offers none of it. */
  readonly withheld: string | undefined;
  readonly others: number;
  /** The skill as it was typed: if it was a path, the name alone would not find it. */
  readonly word: string;
}

function screen(
  { terminal }: CommandContext,
  skill: Skill,
  { catalogue, instructions, files, messages, withheld, others, word }: Shown,
): readonly string[] {
  const { bold, dim, cyan, red } = terminal.colours;
  const more = moreInJson(terminal);
  const title = (text: string, tokens: number): string =>
    `${bold(text)} ${dim(`(${formatTokens(tokens)} tokens)`)}`;
  const total = files.reduce((sum, { tokens }) => sum + tokens, 0);
  const fileLines = ({ path, bytes, tokens }: (typeof files)[number]): readonly string[] => {
    const size = `${formatBytes(bytes)}, ${formatTokens(tokens)} tokens`;
    return titleLines([stripControl(path), size], terminal, { indent: 2, lead: "  ", paint: dim });
  };
  const hint = `skillet preview ${shellArgument(word)} --message "…"`;
  const kept = `${skill.qualifiedName} is withheld, so Skillet offers none of what follows: ${withheld}`;
  return spacedBlocks([
    withheld === undefined
      ? []
      : hang(showSentence(kept, terminal.environment), terminal, { indent: 2, lead: `${red("✗")} ` }),
    [title("1. Always: in the catalogue", catalogue.tokens), ...textLines(catalogue.text, terminal)],
    [
      title("2. Once it is loaded: its instructions", instructions.tokens),
      ...textLines(instructions.text, terminal, MAX_BODY_LINES),
    ],
    files.length === 0
      ? []
      : [
          title("3. When the instructions say so: its files", total),
          ...firstLines(files, MAX_FILES, fileLines, more),
        ],
    messages.length === 0
      ? ["It has no trigger set. To see how it ranks:", `  ${cyan(hint)}`]
      : [
          `${bold("Messages")} ${dim(`(among ${count(others, "installed skill")})`)}`,
          ...firstLines(messages, MAX_MESSAGES, (one) => messageLines(one, terminal), more),
        ],
  ]);
}

/** Shows a skill's text verbatim: anything in it like a command must not stand out as Skillet's advice. */
export function textLines(
  text: string,
  { width, colours }: CommandContext["terminal"],
  most: number = Number.POSITIVE_INFINITY,
): readonly string[] {
  const fit = (line: string): readonly string[] => {
    const parts = wrap(showControl(line), { width: width - 2 });
    return parts.length === 0 ? [""] : parts.map((part) => `  ${part}`);
  };
  const rest = (lines: number): string => colours.dim(`  and ${lines} more lines`);
  return firstLines(text.trim().split("\n"), most, fit, rest);
}

const DECIDED: Readonly<Record<Ranked["decision"], string>> = {
  activate: "would be loaded",
  suggest: "would be suggested",
  nothing: "would not come up",
};

function messageLines(
  { message, shouldTrigger, rank: place, decision, instead }: Ranked,
  terminal: CommandContext["terminal"],
): readonly string[] {
  const { green, yellow, dim } = terminal.colours;
  const isCalled = decision !== "nothing";
  const isRight = isCalled === (shouldTrigger ?? true);
  // Only the author of a typed message knows whether it should trigger the skill.
  const wrong = shouldTrigger === undefined ? dim("○") : yellow("!");
  const standing = place === undefined ? "not among the first 50" : `place ${place}`;
  const called = instead.length === 0 ? "" : `; before it: ${instead.join(", ")}`;
  const wanted = (shouldTrigger ?? true) ? "" : ", and should not come up";
  return [
    ...hang(stripControl(message), terminal, {
      indent: 2,
      lead: `${isRight ? green("✓") : wrong} `,
      maxLines: 2,
    }),
    ...hang(`${standing}, ${DECIDED[decision]}${wanted}${called}`, terminal, {
      indent: 4,
      lead: "    ",
      paint: dim,
    }),
  ];
}
