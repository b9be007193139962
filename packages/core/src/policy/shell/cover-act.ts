import { listFirst } from "@skillet/kit/text";
import type { ShellRule, ToolRule } from "../../config/tool-rule/tool-rule.ts";
import { findHazard } from "./find-hazard.ts";
import { type CommandAct, type FileAct, type ShellAct, type ShellWord, textOf } from "./shell-act.ts";

export type Cover = { readonly rules: readonly ToolRule[] } | { readonly reason: string };

function coverAct(
  act: ShellAct,
  rules: readonly ToolRule[],
  coverFile: (act: FileAct) => ToolRule | undefined,
): Cover {
  if (act.kind === "unclear") return { reason: act.reason };
  if (act.kind === "command") return coverCommand(act, rules, (acts) => coverActs(acts, rules, coverFile));
  const rule = coverFile(act);
  if (rule !== undefined) return { rules: [rule] };
  return { reason: `it ${act.kind}s ${act.path ?? "a file that is not known beforehand"}` };
}

export function coverActs(
  acts: readonly ShellAct[],
  rules: readonly ToolRule[],
  coverFile: (act: FileAct) => ToolRule | undefined,
): Cover {
  const covers = acts.map((act) => coverAct(act, rules, coverFile));
  // Lists every uncovered part, so that the user need not discover them one by one.
  const reasons = [...new Set(covers.flatMap((cover) => ("reason" in cover ? [cover.reason] : [])))];
  if (reasons.length > 0) return { reason: listFirst(reasons, MAX_REASONS) };
  return { rules: [...new Set(covers.flatMap((cover) => ("rules" in cover ? cover.rules : [])))] };
}

const MAX_REASONS = 4;

type CoverAll = (acts: readonly ShellAct[]) => Cover;

function coverCommand(act: CommandAct, rules: readonly ToolRule[], coverAll: CoverAll): Cover {
  let reason = `\`${showWords(act.words)}\` fits no rule`;
  for (const rule of rules) {
    if (rule.kind !== "shell" || !fits(rule, act.words)) continue;
    const fixed = countFixed(rule);
    // The rule spells out every word.
    if (fixed === act.words.length && rule.match === "exact") return { rules: [rule] };
    const cover = coverLooseWords(act, fixed, coverAll);
    if ("rules" in cover) return { rules: [rule, ...cover.rules] };
    reason = `\`${showWords(act.words)}\` fits ${rule.text}, but ${cover.reason}`;
  }
  if (act.runs?.isTransparent) return coverAll(act.runs.acts);
  return { reason };
}

/** Whether a rule matches as far as it goes; the words after it are judged separately. */
function fits({ words: patterns, match }: ShellRule, words: readonly ShellWord[]): boolean {
  if (match === "exact" ? words.length !== patterns.length : words.length < patterns.length) return false;
  return patterns.every(({ text, match: how }, index) => {
    const word = words[index];
    if (word?.kind !== "known") return false;
    if (how === "any") return !word.value.startsWith("-");
    if (how === "exact") return word.value === text;
    // `Bash(python*)` means `python3`, not a path that starts so; `scripts/*` nothing above that folder.
    const rest = word.value.slice(text.length);
    return word.value.startsWith(text) && (index === 0 ? /^[\w.+-]*$/ : /^(?!.*\.\.(?:\/|$))/).test(rest);
  });
}

// A word that a rule only partly specifies is judged like those after the rule.
function countFixed({ words }: ShellRule): number {
  const open = words.findIndex(({ match }) => match !== "exact");
  return open === -1 ? words.length : Math.max(open, 1);
}

function coverLooseWords(act: CommandAct, fixed: number, coverAll: CoverAll): Cover {
  const { runs, words } = act;
  if (runs === undefined || runs.hasOwnOptions) {
    const reason = findHazard(words, fixed);
    if (reason !== undefined) return { reason };
  }
  if (runs === undefined) return { rules: [] };
  const inner = runs.acts.at(-1);
  // `Bash(sudo apt-get update:*)`: the rule names the started program.
  if (runs.innerAt !== undefined && fixed > runs.innerAt && inner?.kind === "command")
    return coverLooseWords(inner, fixed - runs.innerAt, coverAll);
  return coverAll(runs.acts);
}

const MAX_SHOWN_CHARACTERS = 80;

export function showWords(words: readonly ShellWord[]): string {
  const text = words.map(textOf).join(" ");
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS - 1)}…` : line;
}
