import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import type { Candidate } from "../candidate/candidate.ts";
import { type DependencySource, DependencySources, isPlainName } from "./dependency-sources.ts";
import { type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";
import { isSameSource, lockSource } from "./lock-source.ts";
import type { Plan, PlanItem, Refusal } from "./plan.ts";
import { findLookAlike, lookAlikeReason, type PlacingRequest, planReading } from "./plan-item.ts";
import type { OpenedFrom } from "./read-offer.ts";

const MAX_DEPTH = 8;
const MAX_DEPENDENCIES = 64;

interface Planned {
  readonly items: readonly PlanItem[];
  readonly opened?: OpenedFrom;
  /** No one asked for more than news of these: what else they need now is asked about, and what they needed before is not looked for. */
  readonly isUpdate?: true;
}

/**
 * Plans what the items of a plan need besides, and what that needs: each is fetched, scanned and decided about like
 * anything else, without force.
 *
 * What is there already is left alone, whoever brought it; what cannot be found is named, and someone may install it.
 */
export async function planDependencies(
  parts: HubParts,
  request: Pick<PlacingRequest, "agents" | "agentTargets">,
  planned: Planned,
): Promise<Plan> {
  const sources = new DependencySources(parts, planned.opened);
  try {
    const { agents, agentTargets } = request;
    const placing = { agents, agentTargets, link: false, force: false };
    return await new DependencyPlanner(parts, placing, sources, planned.isUpdate === true).plan(
      planned.items,
    );
  } finally {
    await sources.close();
  }
}

interface Need {
  readonly text: string;
  /** From what was asked for to what needs it. */
  readonly chain: readonly PlanItem[];
  readonly by: PlanItem;
}

class DependencyPlanner {
  readonly #parts: HubParts;
  readonly #placing: PlacingRequest;
  readonly #sources: DependencySources;
  readonly #isUpdate: boolean;
  readonly #items = new Map<string, PlanItem>();
  #brought = 0;
  readonly #needs: Need[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  /** What each need came to be called, by item. */
  readonly #names = new Map<string, Map<string, string>>();

  constructor(parts: HubParts, placing: PlacingRequest, sources: DependencySources, isUpdate: boolean) {
    this.#parts = parts;
    this.#placing = placing;
    this.#sources = sources;
    this.#isUpdate = isUpdate;
  }

  async plan(asked: readonly PlanItem[]): Promise<Plan> {
    for (const item of asked) this.#items.set(item.name, item);
    for (const item of asked) if (!this.#isSettled(item)) this.#add(item, []);
    for (let need = this.#needs.shift(); need !== undefined; need = this.#needs.shift())
      await this.#meet(need);
    const items = [...this.#items.values()].map((item) => this.#withRequires(item));
    return {
      items: items.sort((left, right) => compareByteOrder(left.name, right.name)),
      refusals: this.#refusals,
      diagnostics: this.#diagnostics,
    };
  }

  #isSettled({ before, entry }: PlanItem): boolean {
    return this.#isUpdate && before?.digest === entry.digest;
  }

  #add(item: PlanItem, above: readonly PlanItem[]): void {
    const chain = [...above, item];
    for (const text of needsOf(item.candidate)) this.#needs.push({ text, chain, by: item });
  }

  async #meet(need: Need): Promise<void> {
    const { text, chain, by } = need;
    const present = this.#presentName(text);
    if (present !== undefined) {
      this.#note(by, text, present);
      if (chain.some(({ name }) => name === present)) this.#report(cycle(present, chain));
      return;
    }
    if (chain.length > MAX_DEPTH || this.#brought >= MAX_DEPENDENCIES) {
      this.#report(tooMany(this.#parts, text, by));
      return;
    }
    const found = await this.#find(text, by);
    if (found === undefined) return;
    const { name } = found.reading;
    this.#note(by, text, name);
    if (this.#items.has(name)) return;
    const { lock, held } = this.#parts;
    const holder = lock.skills.get(name)?.source ?? held.holderOf(name);
    if (holder === undefined) await this.#bring(need, found);
    else this.#report(kept(text, by, name, holder));
  }

  async #bring(
    { text, chain, by }: Need,
    { reading, source: found, askedBy }: DependencySource,
  ): Promise<void> {
    const source = lockSource(found, this.#parts);
    const { name } = reading;
    const twin = findLookAlike(name, this.#items.keys());
    const planned =
      twin === undefined
        ? await planReading(this.#parts, this.#placing, reading, { source, requiredBy: [by.name], askedBy })
        : lookAlike(name, source, twin);
    if ("code" in planned) {
      const reason = `${by.name} needs ${text}. ${planned.reason}`;
      this.#refusals.push({ ...planned, reason, neededBy: by.name });
      return;
    }
    const question = `${by.name} now needs ${planned.name} from ${planned.entry.source}`;
    const questions = this.#isUpdate ? [...planned.questions, question] : planned.questions;
    this.#items.set(planned.name, { ...planned, questions });
    this.#brought += 1;
    this.#add(planned, chain);
  }

  async #find(text: string, by: PlanItem): Promise<DependencySource | undefined> {
    try {
      const found = await this.#sources.find(text, by);
      if (found === undefined) this.#report(missing(this.#parts, text, by));
      return found;
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      this.#report(unavailable(text, by, error.message));
      return undefined;
    }
  }

  /** The name of what meets a need already: in the plan, in the lock or in another scope. */
  #presentName(text: string): string | undefined {
    const { lock, held } = this.#parts;
    if (isPlainName(text)) {
      const isThere = this.#items.has(text) || lock.skills.has(text) || held.holderOf(text) !== undefined;
      return isThere ? text : undefined;
    }
    const planned = [...this.#items.values()].find(({ entry }) => this.#isSame(entry.source, text));
    return planned?.name ?? [...lock.skills].find(([, entry]) => this.#isSame(entry.source, text))?.[0];
  }

  #isSame(source: string, text: string): boolean {
    try {
      return isSameSource(source, text, this.#parts);
    } catch (error) {
      // What is not a source is reported when it is looked for.
      if (SkilletError.isInstance(error)) return false;
      throw error;
    }
  }

  #note(by: PlanItem, text: string, name: string): void {
    const names = this.#names.get(by.name) ?? new Map<string, string>();
    this.#names.set(by.name, names.set(text, name));
  }

  #report(diagnostic: Diagnostic): void {
    const isKnown = this.#diagnostics.some(({ message }) => message === diagnostic.message);
    if (!isKnown) this.#diagnostics.push(diagnostic);
  }

  // Names that nothing was found for stay, so that a later look shows what is still missing.
  #withRequires(item: PlanItem): PlanItem {
    if (this.#isSettled(item)) return withEarlierRequires(item);
    const names = this.#names.get(item.name);
    const requires = needsOf(item.candidate).map((text) => names?.get(text) ?? text);
    if (requires.length === 0) return item;
    return { ...item, entry: { ...item.entry, requires: [...new Set(requires)].sort(compareByteOrder) } };
  }
}

function withEarlierRequires(item: PlanItem): PlanItem {
  const { requires: _, ...entry } = item.entry;
  const requires = item.before?.requires;
  return { ...item, entry: requires === undefined ? entry : { ...entry, requires } };
}

function lookAlike(name: string, source: string, twin: string): Refusal {
  const reason = lookAlikeReason(name, `${twin}, which is installed with it`);
  return { name, source, code: "name-taken", reason };
}

const FILE = { file: "SKILL.md" };

function cycle(name: string, chain: readonly PlanItem[]): Diagnostic {
  const from = chain.findIndex((item) => item.name === name);
  const path = [...chain.slice(from).map((item) => item.name), name];
  const message = `These skills need each other: ${path.join(" → ")}. Each is installed once.`;
  const hint = "Nothing needs to be done; their authors may want to untie them.";
  return { code: "dependency-cycle", severity: "info", message, ...FILE, hint };
}

function missing(parts: HubParts, text: string, { name }: PlanItem): Diagnostic {
  const message = `${name} needs the skill ${text}, which is neither installed nor in the same source.`;
  const hint = `Find out where ${text} comes from, and install it: ${installCommand(parts, text)}`;
  return { code: "dependency-missing", severity: "warning", message, ...FILE, hint };
}

function kept(text: string, by: PlanItem, name: string, holder: string): Diagnostic {
  const message = `${by.name} needs ${text}, which is called ${name}; ${name} is there already, from ${holder}, and stays as it is.`;
  const hint = "If that is not the one it needs, install the other one by itself with --name.";
  return { code: "dependency-kept", severity: "info", message, ...FILE, hint };
}

function unavailable(text: string, { name }: PlanItem, why: string): Diagnostic {
  const message = `${name} needs ${text}, which cannot be had: ${why}`;
  const hint = "Install it by itself when its source is there, or do without it.";
  return { code: "dependency-unavailable", severity: "warning", message, ...FILE, hint };
}

function tooMany(parts: HubParts, text: string, { name }: PlanItem): Diagnostic {
  const message = `${name} needs ${text}, which is not brought along: at most ${MAX_DEPENDENCIES} skills and ${MAX_DEPTH} steps are followed at once.`;
  const hint = `Install it by itself: ${installCommand(parts, text)}`;
  return { code: "dependency-limit", severity: "warning", message, ...FILE, hint };
}

function installCommand(parts: HubParts, text: string): string {
  const word = shellWord(text);
  return scopedCommand(parts, isPlainName(text) ? `install SOURCE --skill ${word}` : `install ${word}`);
}

/** The skills that a candidate says it needs, each once: names, or sources such as `owner/repository@skill`. */
function needsOf({ manifest, parts, files }: Candidate): readonly string[] {
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
