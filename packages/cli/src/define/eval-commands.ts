import { type CommandDefinition, oneOf, parsedBy, share, wholeNumber } from "./command-definition.ts";

const wholeNumberTo = (most: number) => wholeNumber(1, most, `Use a whole number from 1 to ${most}.`);

export const SEARCH: CommandDefinition = {
  name: "search",
  summary: "find the skills that suit a message",
  description:
    "Find the skills that suit a message, as a session would: how likely each is wanted, why, and what would be done. To search by name, also in other sources: skillet find.",
  arguments: "words: <text...>  what a user would say",
  options: `
    --limit <n>        how many at most, up to 50 (default: 5)
    --files <path...>  files that the message is about, relative to the workspace`,
  read: { limit: wholeNumberTo(50) },
  examples: [
    'search "turn this contract.pdf into text"',
    "search --limit 10 deploy to production",
    'search "fix the types" --files src/main.ts',
  ],
  load: async () => (await import("../commands/search.ts")).search,
};

export const SCAN: CommandDefinition = {
  name: "scan",
  summary: "look for attacks in skills, without running them",
  description:
    "Scan skills for attacks: what each does, the findings and where they are, and a verdict: safe, caution or dangerous. Nothing in them is run.",
  arguments:
    "words: [path-or-name...]  skill folders, SKILL.md files, folders of skills, files, or installed skills (default: the working directory)",
  options: `
    --all                    scan every skill that was found, offered or not
    --format <format>        how to report (default: as --output ends, or text)
    --output <file>          write the report to a file
    --fail-on <verdict>      exit with 1 at this verdict or worse (default: dangerous)
    --verbose                also show findings that do not affect the verdict
    --rules <pack>           add the rules of a YAML file (repeatable)
    --suppressions <file>    dismissed findings (default: scan-suppressions.yaml in Skillet's folder)
    --baseline <file>        count only findings that are not in this file
    --write-baseline <file>  write all findings to this file, for --baseline
    --judge                  also have the model that your config names (scan.judge) read it
    --explain <rule>         say what a rule finds and what makes it fine
    --list-rules             list every rule`,
  read: {
    format: oneOf(["text", "json", "sarif", "html"]),
    failOn: oneOf(["dangerous", "caution", "never"]),
  },
  examples: [
    "scan skills/pdf",
    "scan --all --fail-on caution",
    "scan skills --output scan.sarif",
    "scan --explain EX1",
  ],
  load: async () => (await import("../commands/scan.ts")).scan,
};

const TRIGGERS: CommandDefinition = {
  name: "triggers",
  summary: "run a skill's set of messages that should and should not call it",
  description:
    "Run messages that should and should not call a skill through the selector and, where the config names one, a language model.",
  arguments: "skill: <skill>  a skill's name, or the path of its folder",
  options: `
    --set <file>             messages to use (repeatable; default: evals/eval_queries.json or similar in the skill's folder)
    --among <dir>            choose among the skills of this folder (default: those that are installed)
    --alone                  test the skill by itself
    --at <decision>          the weakest decision that counts as a call (default: suggest)
    --untaught               ignore what was learned from use (selection.yaml), which sessions use
    --by <whom>              who decides (default: both, where eval.model is set)
    --runs <n>               runs of the model for each message (default: 3)
    --threshold <share>      share of runs that must call the skill (default: 0.5)
    --workers <n>            runs at once (default: 4)
    --timeout <seconds>      for one run (default: 120)
    --min-precision <share>  exit with 1 below this precision
    --min-recall <share>     exit with 1 below this recall
    --min-f1 <share>         exit with 1 below this F1
    --output <file>          write the results to a file, as skill-creator does
    --verbose                also show why the messages that pass do`,
  read: {
    at: oneOf(["activate", "suggest"]),
    by: oneOf(["selector", "model", "both"]),
    runs: wholeNumberTo(50),
    threshold: share,
    workers: wholeNumberTo(32),
    timeout: wholeNumberTo(3_600),
    minPrecision: share,
    minRecall: share,
    minF1: share,
  },
  examples: [
    "eval triggers pdf-forms",
    "eval triggers ./skills/pdf-forms --alone --min-f1 0.9",
    "eval triggers pdf-forms --set queries.jsonl --by selector --output results.json",
  ],
  load: async () => (await import("../commands/eval-triggers.ts")).evalTriggers,
};

const COLLISIONS: CommandDefinition = {
  name: "collisions",
  summary: "find skills that take each other's messages",
  description:
    "Try every skill's own phrases as messages, and list pairs where another skill comes first, or close.",
  arguments: "names: [name...]  only collisions of these skills",
  options: `
    --min-share <share>  of a skill's phrases, the share that must be contested (default: 0.25)
    --fail               exit with 1 if there are any`,
  read: { minShare: share },
  examples: ["eval collisions", "eval collisions pdf-forms --min-share 0.1 --fail"],
  load: async () => (await import("../commands/eval-collisions.ts")).evalCollisions,
};

const LEARN: CommandDefinition = {
  name: "learn",
  summary: "learn from recorded sessions when to offer skills",
  description:
    "Read how skills did in recorded sessions, show what that would change about when they are offered, and write it once you confirm.",
  options: `
    --runs <dir>    a run, or a folder of runs (repeatable; default: runs/ in Skillet's folder and, where it is trusted, .skillet/runs of the project)
    --since <when>  only what was recorded since a day (2026-11-01) or in days (30d)
    --dry-run       show the change, write nothing
    -y, --yes       do not ask`,
  read: { since: parsedBy(parseSince, "Use a day such as 2026-11-01, or a number of days such as 30d.") },
  examples: ["eval learn --dry-run", "eval learn --runs .skillet/runs --since 30d"],
  load: async () => (await import("../commands/eval-learn.ts")).evalLearn,
};

export const ENRICH: CommandDefinition = {
  name: "enrich",
  summary: "have a model write sample messages for a skill",
  description:
    "Ask the model of eval.model for twelve messages that would call for each skill, show them, and keep them for selection once you confirm. They count while the skill's text stays the same.",
  arguments: "names: [name...]  the skills",
  options: `
    --all       all enabled skills that have none for their present text
    --again     also those that have some
    --dry-run   show the messages, write nothing
    -y, --yes   do not ask`,
  examples: ["enrich pdf-forms", "enrich --all --dry-run"],
  load: async () => (await import("../commands/enrich.ts")).enrich,
};

export const EVAL: CommandDefinition = {
  name: "eval",
  summary: "measure whether messages call the right skill",
  description: "Measure whether messages call the right skill, and find skills that take each other's.",
  usage: "<triggers|collisions|learn> [options]",
  examples: ["eval triggers pdf-forms", "eval collisions --min-share 0.5"],
  actions: [TRIGGERS, COLLISIONS, LEARN],
};

const DAY_MS = 86_400_000;

/** Parses a day (`2026-11-01`, its start in UTC) or days before now (`30d`) to milliseconds since 1970. */
export function parseSince(text: string, now: number = Date.now()): number | undefined {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return now - Number(days) * DAY_MS;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = Date.parse(`${text}T00:00:00Z`);
  // `Date.parse` turns 30 February into a day in March.
  return Number.isFinite(day) && new Date(day).toISOString().startsWith(text) ? day : undefined;
}
