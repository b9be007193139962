import { hash } from "node:crypto";
import type { Digest } from "@skillet/kit/digest";
import type { Activation } from "../activation.ts";
import type { ActivationSource } from "../activation-source.ts";

/** What tells one activation of a skill from another: the tree that it came from, and the arguments. */
export interface ActivationKey {
  readonly digest: Digest;
  readonly treeDigest?: Digest | undefined;
  /** Of the arguments as they were given. */
  readonly argumentsDigest: string;
}

/** An activation of an earlier run. */
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

/** What of a skill is in the model's context. */
interface ActiveSkill {
  readonly keys: Set<string>;
  /** The latest text; absent when an earlier run gave it. */
  text: string | undefined;
  adopted: AdoptedActivation | undefined;
  latestKey: string;
}

/** The instructions that a model has been given, so that none is given twice and all can be given again. */
export class ActiveSkills {
  readonly #active = new Map<string, ActiveSkill>();

  /** Whether the skill was loaded from this very tree with these arguments. */
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

  /** Whether text of the skill that is in context came from this very tree. */
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
