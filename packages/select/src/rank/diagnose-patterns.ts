import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SelectableSkill } from "../selectable-skill.ts";
import { MAX_PATTERN_CHARACTERS, MAX_PATTERNS_OF_SKILL } from "../text/describe-skill.ts";
import {
  MAX_INSTRUCTIONS,
  MAX_PATTERN_INSTRUCTIONS,
  type PatternTable,
  type PatternVerdict,
} from "./pattern-table.ts";

/** Which of a skill's declared patterns can never call it, and why; `kept` are those that the table tries. */
export function diagnosePatterns(
  skill: SelectableSkill,
  kept: ReadonlySet<string>,
  table: PatternTable,
): readonly Diagnostic[] {
  const declared = skill.manifest.triggers.patterns;
  const readable = declared
    .filter(({ length }) => length <= MAX_PATTERN_CHARACTERS)
    .slice(0, MAX_PATTERNS_OF_SKILL);
  // A pattern that was left out because of the budget is not compiled just to find out more about it.
  const judged = [...new Set(readable)]
    .filter((source) => kept.has(source) || table.isCostly(source))
    .map((source) => ({ source, verdict: table.verdictOf(source) }));
  const left = declared.filter((source) => !judged.some((one) => one.source === source)).length;
  return [
    ...judged.flatMap(({ source, verdict }) =>
      verdict === "tried" ? [] : describe(skill, source, REFUSED[verdict]),
    ),
    ...(left === 0
      ? []
      : [
          {
            code: "trigger-pattern-limit",
            severity: "warning",
            message: `${left} of the ${declared.length} trigger patterns of ${skill.qualifiedName} are not tried: a pattern has at most ${MAX_PATTERN_CHARACTERS} characters, a skill ${MAX_PATTERNS_OF_SKILL} patterns, and those of all skills together ${MAX_INSTRUCTIONS} instructions, which plugins and skills share in turns.`,
            file: skill.path,
            hint: "Put the patterns that matter most first, make them shorter, or use keywords.",
          } as const,
        ]),
  ];
}

interface Refusal {
  readonly code: string;
  readonly because: string;
  readonly hint: string;
}

const REFUSED: Readonly<Record<Exclude<PatternVerdict, "tried">, Refusal>> = {
  unreadable: {
    code: "trigger-pattern-unreadable",
    because: "is not a regular expression of RE2, so it never matches",
    hint: "Write it without look-around and back-references, and escape what stands for itself.",
  },
  costly: {
    code: "trigger-pattern-costly",
    because: `comes to more than ${MAX_PATTERN_INSTRUCTIONS} instructions with its repeats written out, so it is not tried`,
    hint: "Use * or + for large counted repeats, or leave the repeat out: a pattern may match anywhere in a message.",
  },
  "catch-all": {
    code: "trigger-pattern-catch-all",
    because: "matches messages about nothing, such as thanks and greetings, so it is not tried",
    hint: "Name what the skill is about: a ticket number, a command, a phrase.",
  },
};

function describe(skill: SelectableSkill, source: string, { code, because, hint }: Refusal): Diagnostic {
  const isLong = source.length > MAX_SHOWN_CHARACTERS;
  const shown = isLong ? `${source.slice(0, MAX_SHOWN_CHARACTERS - 1)}…` : source;
  const message = `The trigger pattern ${JSON.stringify(shown)} of ${skill.qualifiedName} ${because}.`;
  return { code, severity: "warning", message, file: skill.path, hint };
}

const MAX_SHOWN_CHARACTERS = 80;
