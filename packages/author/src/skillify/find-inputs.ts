import type { Deed, Job } from "./read-job.ts";
import { isEveryday } from "./vocabulary.ts";

/** A value that differs each time: a commit, a branch, a file. */
export interface SkillInput {
  /** As an argument is named, for example `commit`. */
  readonly name: string;
  readonly values: readonly string[];
}

const MAX_INPUTS = 5;
/** How many of the shapes, from the first, never belong to the task itself. */
const FLEETING = 3;
const SHAPES: readonly (readonly [string, RegExp])[] = [
  ["commit", /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}$/],
  ["date", /^\d{4}-\d{2}-\d{2}$/],
  ["version", /^v?\d+\.\d{1,2}(?:\.\d+)?(?:-[\w.]+)?$/],
  ["number", /^#?\d{1,7}$/],
  ["url", /^[a-z][a-z+]{1,15}:\/\//],
  ["query", /^\s*(?:select|insert|update|delete|create|alter|drop|truncate|with)\s/i],
  ["branch", /^(?:release|feature|fix|hotfix|bugfix)[-/]/],
  ["package", /^@?[\w./-]+@(?:[\^~]?v?\d|latest$|next$)[\w.-]*$/],
  ["file", /^[\w./~-]+\.[A-Za-z]\w{0,5}$/],
];
const BRANCH_KEYS = /^git (?:checkout|switch|merge|rebase|branch|push)$|^gh pr (?:checkout|create)$/;
const DATABASE_KEYS = /^(?:createdb|dropdb|psql|pg_dump|pg_restore|mysql|mysqldump)$/;
/** Options that take no value: the word after one is an operand of the command. */
const SWITCH =
  /^--(?:(?:no|if|skip)-[a-z-]+|yes|dev|save-dev|upgrade|global|quiet|verbose|force|dry-run|draft|recursive)$/;
const NUMBER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^gh pr|^glab mr/, "pull-request"],
  [/issue/, "issue"],
];

interface Operand {
  readonly word: string;
  readonly key: string;
  readonly flag: string;
  readonly place: string;
}

/** Finds values that varied between repetitions, and those that both the request and a command contain. */
export function findInputs({
  goal,
  repeats,
  deeds,
  earlier,
}: Pick<Job, "goal" | "repeats" | "deeds" | "earlier">): readonly SkillInput[] {
  const operands = [...earlier, ...deeds].flatMap(operandsOf);
  const asked = ` ${[goal, ...repeats].join(" ").toLowerCase()} `;
  const found = new Map<string, Set<string>>();
  const add = (name: string, value: string): void => {
    if (!found.has(name) && found.size >= MAX_INPUTS) return;
    found.set(name, (found.get(name) ?? new Set()).add(value));
  };
  // These differ each time by their form, even if only the request has them.
  for (const word of asked.split(/[\s"'`(),]+/)) {
    const name = SHAPES.slice(0, FLEETING).find(([, pattern]) => pattern.test(word))?.[0];
    if (name !== undefined) add(name, word);
  }
  for (const operand of operands) {
    const name = nameOf(operand);
    const others = operands.filter(({ place, word }) => place === operand.place && word !== operand.word);
    const isAsked = isWordOf(asked, operand.word);
    const isVolatile = name === "commit" || (others.length > 0 && name !== undefined && name !== "file");
    if (isAsked || isVolatile) add(name ?? "target", operand.word);
  }
  return [...found].map(([name, values]) => ({ name, values: [...values] }));
}

function operandsOf(deed: Deed): readonly Operand[] {
  if (deed.kind === "edit")
    return deed.files.map((word) => ({ word, key: "edit", flag: "", place: `edit ${word}` }));
  if (deed.kind !== "command") return [];
  const { words, key, keyWords } = deed.command;
  const rest = words.slice(keyWords);
  return rest.flatMap((word, index) => {
    const flag = flagBefore(rest, index);
    const isPlain =
      !word.startsWith("-") && word.length >= 2 && word.length <= 100 && !/[\s$*[\]]/.test(word);
    const name = word.replace(/^(?:origin|upstream)\//, "");
    return isPlain ? [{ word: name, key, flag, place: `${key} ${rest.length} ${index}` }] : [];
  });
}

/** The option that a word may be the value of. */
export const flagBefore = (words: readonly string[], at: number): string =>
  words.slice(at > 0 ? at - 1 : 0, at).find((word) => word.startsWith("-") && !SWITCH.test(word)) ?? "";

/** What kind of value an operand is, if its form, its option or its command shows it. */
export function nameOf({ word, key, flag }: Omit<Operand, "place">): string | undefined {
  const [, named = ""] = /^--([a-z][a-z-]{2,20})$/.exec(flag) ?? [];
  const option = named !== "" && named.split("-").every(isEveryday) ? named : undefined;
  const shape = SHAPES.find(([, pattern]) => pattern.test(word))?.[0];
  if (shape === "number")
    return NUMBER_NAMES.find(([pattern]) => pattern.test(key))?.[1] ?? option ?? "number";
  if (shape !== undefined && shape !== "file") return shape;
  if (option === "base" || (option === undefined && BRANCH_KEYS.test(key) && !word.includes(".")))
    return "branch";
  if (DATABASE_KEYS.test(key) && /^(?:-d|--dbname)?$/.test(flag)) return "database";
  if (option !== undefined && !/^(?:message|title|body|output|format)$/.test(option)) return option;
  const [, resource] = key.startsWith("kubectl") ? (/^([a-z]{4,})\/[\w.-]+$/.exec(word) ?? []) : [];
  return shape ?? resource;
}

/** Whether a text contains a word on its own; ordinary words do not count, because they would match everywhere. */
function isWordOf(text: string, word: string): boolean {
  return [word, word.split("/").at(-1) ?? word].some((one) => {
    const isName = /[\d./@_-]/.test(one) || one.length >= 6;
    return (
      isName &&
      new RegExp(`[^\\w.-]${one.toLowerCase().replaceAll(/\W/g, String.raw`\$&`)}(?![\\w-])`).test(text)
    );
  });
}

/** Replaces inputs by placeholders, even within a longer word. */
export function withoutInputs(
  text: string,
  inputs: readonly SkillInput[],
  show: (name: string, value: string) => string,
): string {
  const pairs = inputs.flatMap(({ name, values }) => values.map((value) => [name, value] as const));
  pairs.sort(([, left], [, right]) => right.length - left.length);
  // In one pass, so that placeholders are not replaced again.
  const byValue = new Map(pairs.map(([name, value]) => [value.toLowerCase(), name]));
  if (pairs.length === 0) return text;
  const values = pairs.map(([, value]) => value.replaceAll(/[^\w]/g, String.raw`\$&`)).join("|");
  return text.replace(new RegExp(`(?<![A-Za-z0-9])(?:${values})(?![A-Za-z0-9])`, "gi"), (value) =>
    show(byValue.get(value.toLowerCase()) ?? value, value),
  );
}
