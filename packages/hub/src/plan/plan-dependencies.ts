import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { compareByteOrder, sortByByteOrder } from "@skillet/kit/order";
import type { Plan, PlannedItem, ReadItem, RefusedItem, UnfitItem } from "../plan-item.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { openSource } from "../sources/open-source.ts";
import { parseSource, sourceOrNone } from "../sources/parse-source.ts";
import { placeOnThisMachine, type Resolved, type Source, showSource } from "../sources/source.ts";
import { type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";
import { fetchingFor, isSameSource, lockSource, parseLockSource } from "./lock-source.ts";
import { findLookAlike, lookAlikeReason, type PlacingRequest, planReading } from "./plan-reading.ts";
import {
  asOwn,
  type OpenedFrom,
  offersIn,
  pickedSource,
  pickFrom,
  picksOf,
  readOffer,
  withoutPick,
} from "./read-offer.ts";

const MAX_DEPTH = 8;
const MAX_DEPENDENCIES = 64;

interface Planned {
  readonly items: readonly PlannedItem[];
  /** Already open; the caller closes it. */
  readonly opened?: OpenedFrom;
  /** For updates: new requirements raise a question, and those of unchanged items are not looked up. */
  readonly isUpdate?: true;
}

/** One requirement of a skill; `chain` leads from the requested item to the one that has the requirement. */
interface Need {
  readonly text: string;
  readonly chain: readonly PlannedItem[];
  readonly by: PlannedItem;
}

interface Planning {
  readonly parts: HubParts;
  readonly placing: PlacingRequest;
  readonly planned: Planned;
  /** The sources that were searched, each opened once. */
  readonly opened: Map<string, OpenedFrom>;
  readonly items: Map<string, PlannedItem>;
  readonly needs: Need[];
  readonly refusals: RefusedItem[];
  /** By message, so that each is reported once. */
  readonly diagnostics: Map<string, Diagnostic>;
  /** The names under which requirements were found, by item and requirement. */
  readonly names: Map<string, string>;
}

/**
 * Plans what the items of a plan require, and what that requires in turn: each is fetched, scanned and
 * decided about like anything else, without force.
 *
 * Skills that are present stay as they are, wherever they came from; those that cannot be found are reported.
 */
export async function planDependencies(
  parts: HubParts,
  { agents, agentTargets }: Pick<PlacingRequest, "agents" | "agentTargets">,
  planned: Planned,
): Promise<Plan> {
  const planning: Planning = {
    parts,
    placing: { agents, agentTargets, link: false, force: false },
    planned,
    opened: new Map(),
    items: new Map(planned.items.map((item) => [item.name, item])),
    needs: planned.items.flatMap((item) => (isSettled(planned, item) ? [] : needsOf(item, []))),
    refusals: [],
    diagnostics: new Map(),
    names: new Map(),
  };
  const { items, needs, refusals, diagnostics, opened } = planning;
  try {
    for (let need = needs.shift(); need !== undefined; need = needs.shift()) await meet(planning, need);
  } finally {
    for (const from of opened.values()) await from.opened.close();
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
  const holder = parts.lock.skills.get(name)?.source ?? parts.held.get(name);
  if (holder === undefined) return bring(planning, need, found);
  const message = `${by.name} needs ${text}, which is called ${name}; ${name} is there already, from ${holder}, and stays as it is.`;
  const hint = "If that is not the one it needs, install the other one by itself with --name.";
  report(planning, "dependency-kept", "info", message, hint);
}

/** The name of what already satisfies a requirement: in the plan, in the lock or in another scope. */
function presentName({ parts, items }: Planning, text: string): string | undefined {
  const { lock, held } = parts;
  if (isPlainName(text)) {
    const isThere = items.has(text) || lock.skills.has(text) || held.has(text);
    return isThere ? text : undefined;
  }
  const places = { ...parts, workspace: parts.root };
  // Text that is not a source is reported when it is looked up.
  if (sourceOrNone(text, places) === undefined) return undefined;
  const isSame = (source: string): boolean =>
    sourceOrNone(source, places) !== undefined && isSameSource(source, text, parts);
  const planned = [...items.values()].find(({ entry }) => isSame(entry.source));
  return planned?.name ?? [...lock.skills].find(([, entry]) => isSame(entry.source))?.[0];
}

async function find(planning: Planning, text: string, by: PlannedItem): Promise<FoundNeed | undefined> {
  const found = await onRefusal(lookFor(planning, text, by), (error) => error);
  if (SkilletError.isInstance(found)) {
    const message = `${by.name} needs ${text}, which is not available: ${found.message}`;
    const hint = "Install it by itself when its source is there, or do without it.";
    report(planning, "dependency-unavailable", "warning", message, hint);
    return undefined;
  }
  if (found !== undefined) return found;
  const message = `${by.name} needs the skill ${text}, which is neither installed nor in the same source.`;
  const hint = `Find out where ${text} comes from, and install it: ${installCommand(planning.parts, text)}`;
  report(planning, "dependency-missing", "warning", message, hint);
  return undefined;
}

interface FoundNeed {
  readonly reading: ReadItem | UnfitItem;
  readonly source: Source;
  /** `person` if the skill that needs it is the user's own. */
  readonly askedBy: "person" | "content";
}

/** Looks up a name in the source of the skill that needs it, and a source where it points; undefined if not found. */
async function lookFor(planning: Planning, need: string, by: PlannedItem): Promise<FoundNeed | undefined> {
  const { parts, planned } = planning;
  const isLocal = by.entry.resolved.kind === "local";
  if (isPlainName(need)) {
    const own = parseLockSource(by.entry.source, parts);
    const source = wholeOf(own, by.entry.resolved);
    // A marketplace may have fetched it from elsewhere; only a user who named the marketplace vouches for its folder.
    const isVouchedFor = isLocal || planned.opened?.askedBy === "person";
    const isNamed = by.unproven !== true && isVouchedFor;
    return pick(planning, await open(planning, source, fetchingOf(planning, source, by)), [need], isNamed);
  }
  const source = parseSource(need, parts);
  if (placeOnThisMachine(source) !== undefined && !isFromHere(planning, by)) {
    const message =
      "a skill from elsewhere asks for it to be read from this machine; install it by itself if it is yours.";
    throw new SkilletError("dependency-refused", message);
  }
  return pick(planning, await open(planning, source, parts.fetching), picksOf(source), isLocal);
}

async function pick(
  { parts }: Planning,
  from: OpenedFrom,
  names: readonly string[],
  isNamed: boolean,
): Promise<FoundNeed | undefined> {
  const { source } = from;
  const { offers } = await offersIn(parts, from, names);
  const picking = pickFrom(from, offers, { names, source: showSource(source) });
  const [offer] = await onRefusal(picking, (error) => {
    if (error.code === "offer-not-found") return [];
    throw error;
  });
  if (offer === undefined) return undefined;
  const reading = asOwn(parts, await readOffer(parts, from, offer), isNamed);
  return { reading, source: pickedSource(source, offer), askedBy: isNamed ? "person" : "content" };
}

// Judged by where the bytes came from: a local marketplace may have fetched them, or the project brought them.
function isFromHere({ parts, planned }: Planning, { unproven, entry }: PlannedItem): boolean {
  const { resolved, askedBy } = entry;
  if (resolved.kind === "local") return unproven !== true;
  if (askedBy === "content" || placeOnThisMachine(resolved) === undefined) return false;
  return planned.opened?.askedBy === "person" || parts.scope.kind === "user";
}

async function open(
  { planned: { opened: lent }, opened }: Planning,
  source: Source,
  fetching: FetchContext,
): Promise<OpenedFrom> {
  const key = showSource(withoutPick(source));
  if (lent !== undefined && showSource(withoutPick(lent.source)) === key) return lent;
  const from = opened.get(key) ?? { source, opened: await openSource(source, fetching) };
  opened.set(key, from);
  return from;
}

// A user who named a folder of a repository also named the repository; only the skill asks for anything else.
function fetchingOf({ parts, planned }: Planning, source: Source, by: PlannedItem): FetchContext {
  const lent = planned.opened?.askedBy === "person" ? planned.opened.source : undefined;
  const isNamed = source.kind === "git" && lent?.kind === "git" && lent.url === source.url;
  return isNamed ? { ...parts.fetching, askedBy: "person" } : fetchingFor(parts, by.entry);
}

// The requested folder may be the skill itself, with its requirements beside it.
function wholeOf(source: Source, resolved: Resolved): Source {
  const rest = withoutPick(source);
  if (rest.kind !== "git") return rest;
  const { folder: _, refAndFolder, ...repository } = rest;
  if (refAndFolder === undefined) return repository;
  // The pin knows where the ref of a tree URL ends, unless a marketplace there redirected.
  return resolved.kind === "git" && resolved.url === rest.url
    ? { ...repository, ref: resolved.ref ?? resolved.commit }
    : { ...repository, refAndFolder };
}

function isPlainName(need: string): boolean {
  return !/[/:#@~]/.test(need) && !need.startsWith(".");
}

async function bring(
  { parts, placing, planned: { isUpdate }, items, needs, refusals }: Planning,
  { text, chain, by }: Need,
  { reading, source: found, askedBy }: FoundNeed,
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

// Requirements that were not found stay in the lock, so that a later check shows what is still missing.
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

/** The skills that an item requires, without repeats: names, or sources like `owner/repository@skill`. */
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
