import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder, sortByByteOrder } from "@skillet/kit/order";
import type { Plan, PlannedItem, RefusedItem } from "../plan-item.ts";
import { type DependencySource, DependencySources, isPlainName } from "./dependency-sources.ts";
import { type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";
import { isSameSource, lockSource } from "./lock-source.ts";
import { findLookAlike, lookAlikeReason, type PlacingRequest, planReading } from "./plan-reading.ts";
import type { OpenedFrom } from "./read-offer.ts";

const MAX_DEPTH = 8;
const MAX_DEPENDENCIES = 64;

interface Planned {
  readonly items: readonly PlannedItem[];
  readonly opened?: OpenedFrom;
  /** Only news was asked for: new needs raise a question, and needs of unchanged items are not looked for. */
  readonly isUpdate?: true;
}

/** One skill that another needs; `chain` leads from the item that was asked for to the one that needs it. */
interface Need {
  readonly text: string;
  readonly chain: readonly PlannedItem[];
  readonly by: PlannedItem;
}

interface Planning {
  readonly parts: HubParts;
  readonly placing: PlacingRequest;
  readonly sources: DependencySources;
  readonly planned: Planned;
  readonly items: Map<string, PlannedItem>;
  readonly needs: Need[];
  readonly refusals: RefusedItem[];
  /** By message, so that each is reported once. */
  readonly diagnostics: Map<string, Diagnostic>;
  /** The names under which needs were found, by item and need. */
  readonly names: Map<string, string>;
}

/**
 * Plans what the items of a plan need besides, and what that needs: each is fetched, scanned and decided about like
 * anything else, without force.
 *
 * Present skills are left alone, wherever they came from; those that cannot be found are named.
 */
export async function planDependencies(
  parts: HubParts,
  { agents, agentTargets }: Pick<PlacingRequest, "agents" | "agentTargets">,
  planned: Planned,
): Promise<Plan> {
  const planning: Planning = {
    parts,
    placing: { agents, agentTargets, link: false, force: false },
    sources: new DependencySources(parts, planned.opened),
    planned,
    items: new Map(planned.items.map((item) => [item.name, item])),
    needs: planned.items.flatMap((item) => (isSettled(planned, item) ? [] : needsOf(item, []))),
    refusals: [],
    diagnostics: new Map(),
    names: new Map(),
  };
  const { items, needs, refusals, diagnostics, sources } = planning;
  try {
    for (let need = needs.shift(); need !== undefined; need = needs.shift()) await meet(planning, need);
  } finally {
    await sources.close();
  }
  const finished = [...items.values()].map((item) => withRequires(planning, item));
  return {
    items: sortByByteOrder(finished, ({ name }) => name),
    refusals,
    diagnostics: [...diagnostics.values()],
  };
}

function isSettled({ isUpdate }: Planned, { installed, entry }: PlannedItem): boolean {
  return isUpdate === true && installed?.entry.digest === entry.digest;
}

async function meet(planning: Planning, need: Need): Promise<void> {
  const { parts, planned, items, names } = planning;
  const { text, chain, by } = need;
  const present = presentName(planning, text);
  if (present !== undefined) {
    names.set(keyOf(by, text), present);
    const from = chain.findIndex(({ name }) => name === present);
    if (from < 0) return;
    const path = [...chain.slice(from).map(({ name }) => name), present];
    const message = `These skills need each other: ${path.join(" → ")}. Each is installed once.`;
    const hint = "Nothing needs to be done; their authors may want to untie them.";
    report(planning, "dependency-cycle", "info", message, hint);
    return;
  }
  if (chain.length > MAX_DEPTH || items.size - planned.items.length >= MAX_DEPENDENCIES) {
    const message = `${by.name} needs ${text}, which is not brought along: at most ${MAX_DEPENDENCIES} skills and ${MAX_DEPTH} steps are followed at once.`;
    const hint = `Install it by itself: ${installCommand(parts, text)}`;
    report(planning, "dependency-limit", "warning", message, hint);
    return;
  }
  const found = await find(planning, text, by);
  if (found === undefined) return;
  const { name } = found.reading;
  names.set(keyOf(by, text), name);
  if (items.has(name)) return;
  const holder = parts.lock.skills.get(name)?.source ?? parts.held.holderOf(name);
  if (holder === undefined) return bring(planning, need, found);
  const message = `${by.name} needs ${text}, which is called ${name}; ${name} is there already, from ${holder}, and stays as it is.`;
  const hint = "If that is not the one it needs, install the other one by itself with --name.";
  report(planning, "dependency-kept", "info", message, hint);
}

/** The name of what meets a need already: in the plan, in the lock or in another scope. */
function presentName({ parts, items }: Planning, text: string): string | undefined {
  const { lock, held } = parts;
  if (isPlainName(text)) {
    const isThere = items.has(text) || lock.skills.has(text) || held.holderOf(text) !== undefined;
    return isThere ? text : undefined;
  }
  const isSame = (source: string): boolean => {
    try {
      return isSameSource(source, text, parts);
    } catch (error) {
      // A text that is not a source is reported when it is looked for.
      if (SkilletError.isInstance(error)) return false;
      throw error;
    }
  };
  const planned = [...items.values()].find(({ entry }) => isSame(entry.source));
  return planned?.name ?? [...lock.skills].find(([, entry]) => isSame(entry.source))?.[0];
}

async function find(
  planning: Planning,
  text: string,
  by: PlannedItem,
): Promise<DependencySource | undefined> {
  try {
    const found = await planning.sources.find(text, by);
    if (found !== undefined) return found;
    const message = `${by.name} needs the skill ${text}, which is neither installed nor in the same source.`;
    const hint = `Find out where ${text} comes from, and install it: ${installCommand(planning.parts, text)}`;
    report(planning, "dependency-missing", "warning", message, hint);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const message = `${by.name} needs ${text}, which is not available: ${error.message}`;
    const hint = "Install it by itself when its source is there, or do without it.";
    report(planning, "dependency-unavailable", "warning", message, hint);
  }
  return undefined;
}

async function bring(
  { parts, placing, planned: { isUpdate }, items, needs, refusals }: Planning,
  { text, chain, by }: Need,
  { reading, source: found, askedBy }: DependencySource,
): Promise<void> {
  const source = lockSource(found, parts);
  const { name } = reading;
  const twin = findLookAlike(name, items.keys());
  const planned: PlannedItem | RefusedItem =
    twin === undefined
      ? await planReading(parts, placing, reading, { source, requiredBy: [by.name], askedBy })
      : {
          state: "refused",
          name,
          source,
          code: "name-taken",
          reason: lookAlikeReason(name, `${twin}, which is installed with it`),
        };
  if (planned.state === "refused") {
    const reason = `${by.name} needs ${text}. ${planned.reason}`;
    refusals.push({ ...planned, reason, neededBy: by.name });
    return;
  }
  const question = `${by.name} now needs ${planned.name} from ${planned.entry.source}`;
  const questions = isUpdate ? [...planned.questions, question] : planned.questions;
  items.set(planned.name, { ...planned, questions });
  needs.push(...needsOf(planned, chain));
}

function report(
  { diagnostics }: Planning,
  code: string,
  severity: Diagnostic["severity"],
  message: string,
  hint: string,
): void {
  if (!diagnostics.has(message))
    diagnostics.set(message, { code, severity, message, file: "SKILL.md", hint });
}

function installCommand(parts: HubParts, text: string): string {
  const word = shellWord(text);
  return scopedCommand(parts, isPlainName(text) ? `install SOURCE --skill ${word}` : `install ${word}`);
}

// Needs that were not found stay in the lock, so that a later look shows what is still missing.
function withRequires({ planned, names }: Planning, item: PlannedItem): PlannedItem {
  const { requires: _, ...entry } = item.entry;
  if (isSettled(planned, item)) {
    const requires = item.installed?.entry.requires;
    return { ...item, entry: requires === undefined ? entry : { ...entry, requires } };
  }
  const requires = needTexts(item).map((text) => names.get(keyOf(item, text)) ?? text);
  if (requires.length === 0) return item;
  return { ...item, entry: { ...entry, requires: [...new Set(requires)].sort(compareByteOrder) } };
}

function keyOf({ name }: PlannedItem, text: string): string {
  return JSON.stringify([name, text]);
}

function needsOf(by: PlannedItem, above: readonly PlannedItem[]): readonly Need[] {
  return needTexts(by).map((text) => ({ text, chain: [...above, by], by }));
}

/** The skills that an item says it needs, each once: names, or sources such as `owner/repository@skill`. */
function needTexts({ manifest, parts, files }: PlannedItem): readonly string[] {
  if (parts === undefined) return unique(manifest?.gating.skills ?? []);
  const own = new Set(parts.skills.map(({ name }) => name));
  const needs = files
    .filter(({ path }) => /(?:^|\/)(?:SKILL|skill)\.md$/.test(path))
    .flatMap(({ bytes }) => parseSkillBytes(bytes, { directoryName: "" }).manifest?.gating.skills ?? []);
  return unique(needs).filter((need) => !own.has(need));
}

function unique(needs: readonly string[]): readonly string[] {
  return [...new Set(needs.map((need) => need.trim()).filter((need) => need !== ""))];
}
