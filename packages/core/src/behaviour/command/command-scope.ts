import { resolvePath } from "../resolve-path.ts";
import { type Argument, exact, exactText } from "./argument.ts";

/** Nobody's command piles up more. */
const MAX_PUSHED_FOLDERS = 32;
const MAX_VARIABLES = 256;

/** Where a shell stands and what its variables hold, as far as that is known. */
export class CommandScope {
  readonly home: string;
  cwd: string | undefined;
  #previous: string | undefined;
  #pushed: (string | undefined)[] = [];
  #variables: Map<string, Argument>;

  constructor(home: string, cwd: string | undefined, variables: Iterable<readonly [string, Argument]>) {
    this.home = home;
    this.cwd = cwd === undefined ? undefined : resolvePath(cwd, undefined);
    this.#variables = new Map(variables);
  }

  /** The scope of a subshell: what changes in it stays in it. */
  copy(): CommandScope {
    const copy = new CommandScope(this.home, this.cwd, this.#variables);
    copy.#previous = this.#previous;
    copy.#pushed = [...this.#pushed];
    return copy;
  }

  variable(name: string): Argument {
    if (name === "PWD") return this.cwd === undefined ? { kind: "unknown" } : exact(this.cwd);
    return this.#variables.get(name) ?? (name === "HOME" ? exact(this.home) : { kind: "unknown" });
  }

  assign(name: string, value: Argument): void {
    if (this.#variables.size < MAX_VARIABLES || this.#variables.has(name)) this.#variables.set(name, value);
  }

  /** `cd`: a place that is not known beforehand is no place. */
  enter(target: Argument | undefined): void {
    const text = target === undefined ? this.home : exactText(target);
    const next = text === "-" ? this.#previous : resolvePath(text, this.cwd);
    this.#previous = this.cwd;
    this.cwd = next;
  }

  push(target: Argument | undefined): void {
    if (this.#pushed.length < MAX_PUSHED_FOLDERS) this.#pushed.push(this.cwd);
    this.enter(target);
  }

  pop(): void {
    this.cwd = this.#pushed.pop();
  }
}
