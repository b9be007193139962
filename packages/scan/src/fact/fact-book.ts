import type { Fact } from "./fact.ts";

export class FactBook {
  readonly all: readonly Fact[];
  readonly #byKind: ReadonlyMap<Fact["kind"], readonly Fact[]>;

  constructor(facts: readonly Fact[]) {
    this.all = facts;
    const byKind = new Map<Fact["kind"], Fact[]>();
    for (const fact of facts) {
      const list = byKind.get(fact.kind);
      if (list === undefined) byKind.set(fact.kind, [fact]);
      else list.push(fact);
    }
    this.#byKind = byKind;
  }

  of<Kind extends Fact["kind"]>(kind: Kind): readonly Extract<Fact, { readonly kind: Kind }>[] {
    return (this.#byKind.get(kind) ?? []) as readonly Extract<Fact, { readonly kind: Kind }>[];
  }
}
