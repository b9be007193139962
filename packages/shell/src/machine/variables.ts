import { concatenate, EMPTY, known, mergeSources, UNKNOWN, unknown, type Value } from "../model/value.ts";

export class Variables {
  readonly #values = new Map<string, readonly Value[]>();
  #arguments: readonly Value[] | undefined;
  /** The earlier values of the variables that the running subshell has changed. */
  #changed: Before | undefined;

  constructor(home: string, given: ReadonlyMap<string, string>) {
    for (const name of ["HOME", "USERPROFILE"]) this.#values.set(name, [known(home)]);
    for (const [name, value] of given) this.#values.set(name, [known(value)]);
  }

  get(name: string): Value | undefined {
    const set = this.#values.get(name);
    if (set !== undefined) return set[0] ?? EMPTY;
    if (name === "0") return UNKNOWN;
    if (/^\d+$/.test(name))
      return this.#arguments === undefined ? INPUT : (this.#arguments[Number(name) - 1] ?? EMPTY);
    if (name === "@" || name === "*")
      return this.#arguments === undefined ? INPUT : concatenate(this.#arguments, " ");
    return WELL_KNOWN.get(name);
  }

  list(name: string): readonly Value[] {
    if (name === "@" || name === "*") return this.#arguments ?? [INPUT];
    return this.#values.get(name) ?? [];
  }

  /** Sets a variable; if another branch may have set it too, that branch's sources are kept. */
  set(name: string, values: readonly Value[], { isCertain }: { readonly isCertain: boolean }): void {
    const before = isCertain ? undefined : this.#values.get(name)?.[0];
    const earlier = before?.sources ?? [];
    const merge = (value: Value): Value => ({ ...value, sources: mergeSources(value.sources, earlier) });
    this.#note(name);
    this.#values.set(name, earlier.length === 0 ? values : values.map(merge));
  }

  unset(name: string): void {
    this.#note(name);
    this.#values.delete(name);
  }

  /** Runs something that sets variables temporarily; with `mayStay`, the new values remain possible. */
  restoring(names: readonly string[], run: () => Value, options?: { readonly mayStay: boolean }): Value {
    const before = new Map(names.map((name) => [name, this.#values.get(name)]));
    try {
      return run();
    } finally {
      this.#restore(before, options);
    }
  }

  /** The same for a subshell; saves only what it sets, since a script may have many of both. */
  inSubshell<Result>(run: () => Result, options: { readonly mayStay: boolean }): Result {
    const [outer, given] = [this.#changed, this.#arguments];
    const before: Before = new Map();
    this.#changed = before;
    try {
      return run();
    } finally {
      this.#changed = outer;
      for (const [name, earlier] of before) if (outer?.has(name) === false) outer.set(name, earlier);
      this.#arguments = given;
      this.#restore(before, options);
    }
  }

  #note(name: string): void {
    if (this.#changed?.has(name) === false) this.#changed.set(name, this.#values.get(name));
  }

  #restore(before: Before, options?: { readonly mayStay: boolean }): void {
    for (const [name, earlier] of before)
      if (earlier !== undefined) this.set(name, earlier, { isCertain: !options?.mayStay });
      else if (!options?.mayStay) this.unset(name);
  }

  withArguments<Result>(values: readonly Value[], run: () => Result): Result {
    const before = this.#arguments;
    this.#arguments = values;
    try {
      return run();
    } finally {
      this.#arguments = before;
    }
  }

  setArguments(values: readonly Value[]): void {
    this.#arguments = values;
  }
}

type Before = Map<string, readonly Value[] | undefined>;

const INPUT: Value = unknown([{ type: "input" }]);

const WELL_KNOWN: ReadonlyMap<string, Value> = new Map([
  ["IFS", known(" \t\n")],
  ...["TMPDIR", "TEMP", "TMP"].map((name) => [name, known("/tmp")] as const),
  ["SHELL", known("/bin/bash")],
  ["BASH", known("/bin/bash")],
  ["PWD", known(".")],
  ["HISTFILE", known("~/.bash_history")],
  ...["RANDOM", "PATH", ..."?$!#-_"].map((name) => [name, UNKNOWN] as const),
]);
