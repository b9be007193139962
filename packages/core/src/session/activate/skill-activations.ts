import { hash } from "node:crypto";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Skill } from "../../registry/skill.ts";
import type { SessionCore } from "../equip-session.ts";
import { placeOf } from "../records/session-record.ts";
import { type ActivateOptions, type Activation, type ActivationSource, checkSource } from "../session.ts";
import { findNamed } from "../session-skills.ts";
import { checkSkillToolsets } from "../tools/declaration/read-toolsets.ts";
import { loadActivation, noteActivation, renderActivation } from "./render-activation.ts";

/** Tier 2: the instructions that a model has been given. */
export class SkillActivations {
  readonly #core: SessionCore;
  readonly #active = new ActiveSkills();

  constructor(core: SessionCore) {
    this.#core = core;
  }

  async activate(name: string, options: ActivateOptions): Promise<Activation> {
    const source = checkSource(options.source ?? "model");
    const { exec } = this.#core.options;
    const skill = this.#core.skills.resolve(name, source);
    await this.#permit(skill, source);
    const loaded = await loadActivation(skill, source, this.#core);
    this.#core.frozen.keep(skill, loaded.index);
    const { digest, index, manifest } = loaded;
    const argumentsDigest = digestArguments(options.arguments);
    const key = { digest, treeDigest: index.treeDigest, argumentsDigest };
    const isKnown = this.#active.has(skill.qualifiedName, key);
    const duplicate = isKnown && options.repeat !== true;
    const rendered = duplicate
      ? noteActivation(skill, loaded, source)
      : await renderActivation(skill, loaded, { source, arguments: options.arguments, exec }, this.#core);
    const toolFaults = await checkSkillToolsets(skill, loaded, this.#core.reader);
    const unclear = this.#core.gate.narrow(skill, manifest, source);
    const activation = { ...rendered, diagnostics: [...rendered.diagnostics, ...toolFaults, ...unclear] };
    await this.#record(skill, { ...activation, duplicate: isKnown }, options.arguments);
    if (!duplicate) this.#active.add(activation, key);
    return activation;
  }

  /** Takes up a skill whose text an earlier run gave; it is in the host's context, and nothing is recorded. */
  adopt(skill: Skill, adopted: AdoptedActivation): void {
    const { key, source, isOfThisTurn, isInContext } = adopted;
    const { gate, vetting } = this.#core;
    if (isOfThisTurn) gate.narrow(skill, skill.manifest, source);
    else gate.remember(skill, source);
    // What may no longer be had is narrowed by, but neither read nor given again.
    const isFree = gate.hiddenFrom(skill, source, { byFullName: true }) === undefined;
    if (isInContext && isFree && vetting.covers(skill, key.treeDigest))
      this.#active.adopt(skill.qualifiedName, key, adopted);
  }

  isActive({ qualifiedName }: Skill): boolean {
    return this.#active.isActive(qualifiedName);
  }

  isLoadedFrom({ qualifiedName }: Skill, treeDigest: Digest): boolean {
    return this.#active.isFrom(qualifiedName, treeDigest);
  }

  find(name: string): Skill | undefined {
    return findNamed(name, this.active(), this.#core.snapshot);
  }

  active(): readonly Skill[] {
    return this.#core.snapshot.skills.filter((skill) => this.isActive(skill));
  }

  /** Forgets what a compaction did not keep, so that it can be loaded again. */
  keepOnly(names: ReadonlySet<string>): void {
    this.#active.keepOnly(names);
  }

  /** What an earlier run gave is written again from the same files; commands are not run for it a second time. */
  async texts(): Promise<readonly { readonly name: string; readonly text: string | undefined }[]> {
    const texts: { name: string; text: string | undefined }[] = [];
    for (const { name, text, adopted } of this.#active.latest()) {
      const skill = adopted && this.#core.snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
      texts.push({ name, text: text ?? (skill && (await this.#renderAgain(skill, adopted))) });
    }
    return texts;
  }

  async #renderAgain(
    skill: Skill,
    { source, arguments: given }: AdoptedActivation,
  ): Promise<string | undefined> {
    if (given === undefined) return undefined;
    try {
      const loaded = await loadActivation(skill, source, this.#core);
      const request = { source, arguments: given.text, exec: undefined };
      return (await renderActivation(skill, loaded, request, this.#core)).text;
    } catch (error) {
      // It changed meanwhile: the model is told to load it again.
      if (SkilletError.isInstance(error)) return undefined;
      throw error;
    }
  }

  async #permit(skill: Skill, source: ActivationSource): Promise<void> {
    const { qualifiedName, digest } = skill;
    const decision = this.#core.gate.decideActivation(skill, source);
    if (decision.outcome === "allow") return;
    const { reason } = decision;
    const question = { kind: "activate", skill: qualifiedName, digest, reason } as const;
    if (decision.outcome === "ask" && (await this.#core.ask(question))) return;
    throw new SkilletError("skill-denied", `${showName(qualifiedName)} was not loaded: ${reason}.`, {
      data: { skill: qualifiedName, ...decision },
    });
  }

  #record(skill: Skill, activation: Activation, given: string | undefined): Promise<void> {
    const { name, source, digest, treeDigest, duplicate, drifted, diagnostics } = activation;
    return this.#core.recorder.append({
      kind: "activation",
      ...placeOf(skill),
      name,
      source,
      digest,
      ...(treeDigest !== undefined && { treeDigest }),
      ...(given !== undefined && { arguments: given }),
      argumentsDigest: digestArguments(given),
      duplicate,
      drifted,
      diagnostics,
    });
  }
}

export interface ActivationKey {
  readonly digest: Digest;
  readonly treeDigest?: Digest | undefined;
  readonly argumentsDigest: string;
}

export interface AdoptedActivation {
  readonly key: ActivationKey;
  readonly source: ActivationSource;
  /** Absent when they were too long to be recorded whole. */
  readonly arguments: { readonly text: string | undefined } | undefined;
  /** Whether the turn had not ended, so that what the skill narrows still holds. */
  readonly isOfThisTurn: boolean;
  /** Whether the host still has its text, unchanged. */
  readonly isInContext: boolean;
}

/** The digest by which arguments are told apart; there is one for none. */
export function digestArguments(given: string | undefined): Digest {
  return `sha256:${hash("sha256", given ?? "", "hex")}`;
}

interface ActiveSkill {
  readonly keys: Set<string>;
  /** The latest text; absent when an earlier run gave it. */
  text: string | undefined;
  adopted: AdoptedActivation | undefined;
  latestKey: string;
}

/** The instructions that a model has been given, so that none is given twice and all can be given again. */
class ActiveSkills {
  readonly #active = new Map<string, ActiveSkill>();

  has(name: string, key: ActivationKey): boolean {
    return this.#active.get(name)?.keys.has(keyOf(key)) === true;
  }

  add(activation: Activation, key: ActivationKey): void {
    this.#put(activation.name, key, { text: activation.text, adopted: undefined });
  }

  /** Takes up what an earlier run gave; its text is in the host's context. */
  adopt(name: string, key: ActivationKey, adopted: AdoptedActivation): void {
    this.#put(name, key, { text: undefined, adopted });
  }

  /** Each skill's latest text, oldest first. */
  latest(): ({ readonly name: string } & Pick<ActiveSkill, "text" | "adopted">)[] {
    return Array.from(this.#active, ([name, { text, adopted }]) => ({ name, text, adopted }));
  }

  /** Forgets what a compaction did not keep, so that it can be loaded again. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const [name, active] of this.#active) {
      if (!names.has(name)) this.#active.delete(name);
      else {
        active.keys.clear();
        active.keys.add(active.latestKey);
      }
    }
  }

  isActive(name: string): boolean {
    return this.#active.has(name);
  }

  isFrom(name: string, treeDigest: Digest): boolean {
    return [...(this.#active.get(name)?.keys ?? [])].some((key) => key.startsWith(`${treeDigest} `));
  }

  #put(name: string, activationKey: ActivationKey, latest: Pick<ActiveSkill, "text" | "adopted">): void {
    const key = keyOf(activationKey);
    const keys = this.#active.get(name)?.keys ?? new Set();
    keys.add(key);
    // Taken out and put back, so that the latest comes last.
    this.#active.delete(name);
    this.#active.set(name, { keys, ...latest, latestKey: key });
  }
}

function keyOf({ digest, treeDigest, argumentsDigest }: ActivationKey): string {
  return `${treeDigest ?? digest} ${argumentsDigest}`;
}
