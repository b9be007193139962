import { nameSkeleton } from "@skillet/scan";

/** The names that are held outside a lock, and who holds them. */
export class HeldNames {
  readonly #holders: ReadonlyMap<string, string>;
  #twins: ReadonlyMap<string, string> | undefined;

  /** By name, in words such as `the user skill ~/.skillet/skills/pdf`. */
  constructor(holders: ReadonlyMap<string, string>) {
    this.#holders = holders;
  }

  /** Who holds exactly this name. */
  holderOf(name: string): string | undefined {
    return this.#holders.get(name);
  }

  /** Who holds a name that this one is easily taken for. */
  holderOfLookAlike(name: string): string | undefined {
    // Once for all of them: a source may offer thousands, beside thousands that are held.
    this.#twins ??= new Map([...this.#holders].map(([held, holder]) => [nameSkeleton(held), holder]));
    return this.#twins.get(nameSkeleton(name));
  }
}
