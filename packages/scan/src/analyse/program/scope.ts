import { joinValues, type Value } from "./value.ts";

export class Scope {
  readonly #values = new Map<string, Value>();
  readonly #parent: Scope | undefined;
  #outer: Set<string> | undefined;
  /** Values from before the running branch, by name. */
  #journal: Map<string, Value | undefined> | undefined;

  constructor(parent?: Scope) {
    this.#parent = parent;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name) ?? this.#parent?.get(name);
  }

  own(): ReadonlyMap<string, Value> {
    return this.#values;
  }

  declare(name: string, value: Value): void {
    if (this.#outer?.has(name) === true) this.assign(name, value);
    else this.#set(name, value);
  }

  /** Changes the name where it was declared; unknown names become global. */
  assign(name: string, value: Value): void {
    let scope: Scope = this;
    while (!(scope.#values.has(name) && scope.#outer?.has(name) !== true) && scope.#parent !== undefined)
      scope = scope.#parent;
    scope.#set(name, value);
  }

  markOuter(name: string): void {
    if (this.#parent === undefined) return;
    this.#outer ??= new Set();
    this.#outer.add(name);
  }

  /** Runs alternative bodies, of which at most one happens, and joins their results. */
  branch(bodies: readonly (() => void)[], coversAll: "covers-all" | "may-skip"): void {
    const outer = this.#journal;
    const outcomes: Map<string, Value>[] = [];
    for (const body of bodies) {
      const journal = new Map<string, Value | undefined>();
      this.#journal = journal;
      body();
      const outcome = new Map<string, Value>();
      for (const [name, before] of journal) {
        const after = this.#values.get(name);
        if (after !== undefined) outcome.set(name, after);
        if (before === undefined) this.#values.delete(name);
        else this.#values.set(name, before);
      }
      outcomes.push(outcome);
    }
    this.#journal = outer;
    const names = new Set<string>();
    for (const outcome of outcomes) for (const name of outcome.keys()) names.add(name);
    for (const name of names) {
      const isSure = coversAll === "covers-all" && outcomes.every((outcome) => outcome.has(name));
      let joined: Value | undefined = isSure ? undefined : this.#values.get(name);
      for (const outcome of outcomes) {
        const value = outcome.get(name);
        if (value !== undefined) joined = joinValues(joined, value);
      }
      if (joined !== undefined) this.#set(name, joined);
    }
  }

  #set(name: string, value: Value): void {
    if (this.#journal !== undefined && !this.#journal.has(name))
      this.#journal.set(name, this.#values.get(name));
    this.#values.set(name, value);
  }
}
