import { repairSkill } from "@skillet/core";
import { canonicalTool, parseToolRule, readShell, tryEditFrontmatter } from "@skillet/core/internal";
import type { LintedSkill, LintRule } from "./lint-rule.ts";

/** Built into every shell, or harmless output; nobody writes a rule for these. */
const PLAIN = new Set(
  "cd echo printf export set unset source . true false test [ exit return local read shift eval exec trap wait cat ls pwd mkdir sleep sudo env time bash sh zsh skillet".split(
    " ",
  ),
);
const MAX_BLOCKS = 200;

type Rule = Extract<ReturnType<typeof parseToolRule>, { rule: unknown }>["rule"];

const rulesOf = ({ manifest }: LintedSkill): readonly Rule[] =>
  manifest.tools.allowed.flatMap((written) => {
    const read = parseToolRule(written, { project: "/project", skill: "/skill", home: "/home" });
    return "rule" in read ? [read.rule] : [];
  });

const hasBareShell = (rules: readonly Rule[]): boolean =>
  rules.some(({ kind, tool }) => kind === "tool" && tool.name === "bash");

/** Rules about `allowed-tools`: no more than the skill uses, and no less. */
export const TOOL_RULES: readonly LintRule[] = [
  {
    id: "allowed-tools-broad",
    key: "allowed-tools",
    severity: "warning",
    reason: "Clients that take allowed-tools for a permission run every command without asking.",
    hint: "Name the commands that the skill needs, such as Bash(git log:*).",
    find: (skill) =>
      hasBareShell(rulesOf(skill)) &&
      "allowed-tools has Bash without a pattern, which matches every command.",
  },
  {
    id: "tools-uncovered",
    key: "allowed-tools",
    severity: "warning",
    reason: "While the skill is used, clients refuse or ask about programs that allowed-tools leaves out.",
    hint: "Add a rule for it, such as Bash(git log:*), or leave allowed-tools out.",
    find: (skill) => {
      const rules = rulesOf(skill);
      const isOpen = rules.some(({ tool }) => tool.match === "prefix") || hasBareShell(rules);
      if (rules.length === 0 || isOpen) return false;
      const covered = new Set(rules.flatMap((rule) => (rule.kind === "shell" ? [rule.words[0]?.text] : [])));
      const own = new Set(skill.files.map(({ path }) => path.split("/").at(-1)));
      const left = programsOf(skill).filter((name) => !covered.has(name) && !own.has(name));
      const named = left.slice(0, 5).join(", ");
      return left.length > 0 && `The body runs ${named}, which allowed-tools leaves out.`;
    },
  },
  {
    id: "tools-unused",
    key: "allowed-tools",
    severity: "info",
    reason: "What is allowed and never used only widens what a hijacked skill could do.",
    hint: "Remove it from allowed-tools.",
    find: (skill) => {
      const texts = [skill.body, ...skill.files.map(({ text = "" }) => text)];
      const unused = rulesOf(skill).filter((rule) => {
        if (rule.kind !== "shell") return false;
        const words = rule.words.filter(({ match, text }) => match !== "any" && !text.startsWith("-"));
        const pattern = new RegExp(
          words.map(({ text }) => text.replace(/[^\w/]/g, ".")).join("\\b[\\s\\S]{0,40}?\\b"),
        );
        return !texts.some((text) => pattern.test(text));
      });
      const named = unused.map(({ text }) => text).slice(0, 5);
      return unused.length > 0 && `allowed-tools has ${named.join(", ")}, which nothing in the skill uses.`;
    },
  },
  {
    id: "tools-repeated",
    key: "allowed-tools",
    severity: "info",
    reason: "An entry that is there twice makes the list harder to review.",
    hint: "Keep one of each; --fix does so.",
    find: (skill) =>
      once(skill).length < skill.manifest.tools.allowed.length && "allowed-tools names a tool twice.",
    fix: (skill) => {
      const value = once(skill).join(" ");
      // A header that loads only after an in-memory repair cannot be edited as it is written.
      const text = tryEditFrontmatter(repairSkill(skill.text).text, [{ path: ["allowed-tools"], value }]);
      return text === undefined ? undefined : { text };
    },
  },
];

function once({ manifest }: LintedSkill): readonly string[] {
  const seen = new Map(manifest.tools.allowed.map((entry) => [`${canonicalTool(entry)}`, entry]));
  return [...seen.values()];
}

/** The programs that shell code blocks in the body run; blocks of output or of other languages are skipped. */
function programsOf({ blocks }: LintedSkill): readonly string[] {
  const found = new Set<string>();
  const take = (acts: ReturnType<typeof readShell>): void => {
    for (const act of acts) {
      if (act.kind !== "command") continue;
      const [program] = act.words;
      if (program?.kind === "known" && /^[a-z][\w.+-]*$/.test(program.value) && !PLAIN.has(program.value))
        found.add(program.value);
      if (act.runs !== undefined) take(act.runs.acts);
    }
  };
  const shell = blocks.filter(
    ({ kind, info }) => kind === "code" && /^(?:sh|bash|shell|zsh)\b/.test(info ?? ""),
  );
  for (const { text } of shell.slice(0, MAX_BLOCKS)) take(readShell(text));
  return [...found];
}
