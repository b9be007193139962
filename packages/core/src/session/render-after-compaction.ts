import { listFirst, quoteName } from "@skillet/kit/text";
import type { CallOptions } from "../ask.ts";
import { countTokens } from "../catalog/catalog-budget.ts";

/** The text to put back after a host has compacted its context. */
export interface Compaction {
  /** The catalogue, then instructions that still apply, then the names of skills that did not fit. */
  readonly text: string;
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
  readonly tokens: number;
}

interface ActiveText {
  readonly name: string;
  readonly text: string | undefined;
}

/** The budget of a compaction. */
export interface CompactOptions extends CallOptions {
  /** For everything; default: 25,000 tokens. */
  readonly budgetTokens?: number | undefined;
}

export const DEFAULT_COMPACT_TOKENS = 25_000;
// One long skill must not push out all others, so it gets the room that they leave.
const LONG_SKILL_TOKENS = 5_000;
// Nor may the catalogue push them out.
const MIN_CATALOG_TOKENS = 2_000;
const CATALOG_SHARE = 0.2;

/**
 * Renders the catalogue, then instructions, newest first. Tokens are counted like the catalogue's.
 *
 * @param catalog renders the catalogue in at most this many tokens
 * @param active each skill's latest activation, oldest first
 */
export function renderAfterCompaction(
  catalog: (budgetTokens: number) => string,
  active: readonly ActiveText[],
  { budgetTokens }: { readonly budgetTokens: number },
): Compaction {
  const names = active.map(({ name }) => name);
  // Reserves room for the names of dropped skills first.
  const reserve = droppedLine(names, budgetTokens);
  const reserved = costOf(reserve);
  const parts: string[] = [];
  const listed = catalog(shareOf(budgetTokens - reserved, budgetTokens));
  let room = budgetTokens;
  if (costOf(listed) <= room - reserved) {
    parts.push(listed);
    room -= costOf(listed);
  }
  const newest = active.toReversed();
  const isLong = ({ text = "" }: ActiveText): boolean => costOf(text) > LONG_SKILL_TOKENS;
  const fitting = new Set<ActiveText>();
  for (const skill of [...newest.filter((one) => !isLong(one)), ...newest.filter(isLong)]) {
    const isLast = fitting.size + 1 === active.length;
    if (skill.text === undefined || costOf(skill.text) > room - (isLast ? 0 : reserved)) continue;
    fitting.add(skill);
    room -= costOf(skill.text);
  }
  const isKept = (skill: ActiveText): boolean => fitting.has(skill);
  parts.push(...newest.filter(isKept).map(({ text = "" }) => text));
  const kept = newest.filter(isKept).map(({ name }) => name);
  const dropped = newest.filter((skill) => !isKept(skill)).map(({ name }) => name);
  if (dropped.length > 0) parts.push(droppedLine(dropped, room));
  const text = parts.filter((part) => part !== "").join(SEPARATOR);
  return { text, kept, dropped, tokens: text === "" ? 0 : countTokens(text) };
}

const SEPARATOR = "\n\n";

/** The cost of a part and its separator; their sum is never less than the cost of the whole text. */
function costOf(part: string): number {
  return part === "" ? 0 : countTokens(part + SEPARATOR);
}

function shareOf(room: number, budgetTokens: number): number {
  const share = Math.max(MIN_CATALOG_TOKENS, Math.floor(budgetTokens * CATALOG_SHARE));
  // One less than the room, since the separator after it costs a token too.
  return Math.max(0, Math.min(share, room - 1));
}

// A model would ignore a longer list.
const MAX_NAMED = 50;

function droppedLine(names: readonly string[], roomTokens: number): string {
  if (names.length === 0) return "";
  const shown = listFirst(names.map(quoteName), MAX_NAMED);
  const lines = [
    `These skills were loaded earlier, and their instructions are no longer here; load them again before going on with them: ${shown}.`,
    `The instructions of ${names.length} skills are no longer here; load them again.`,
  ];
  return lines.find((line) => costOf(line) <= roomTokens) ?? "";
}
