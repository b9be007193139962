import { resolvePath } from "./resolve-path.ts";
import { concatenate, mergeSources, sourcesOf, unknown, type Value } from "./value.ts";

const MAX_PIECES = 10_000;
const MAX_PUSHED = 32;

/** Where a script stands, and where `cd -` and `popd` lead. */
interface Place {
  /** Empty where nothing is known. */
  readonly directory: string;
  readonly before: string;
  readonly pushed: readonly string[];
}

/** Files that a script itself wrote, fetched or unpacked, so that a path that is run or sent later is known again. */
export class ShellFiles {
  /** Pieces in the order in which they were written; joined only when the file is read. */
  readonly #byPath = new Map<string, Value[]>();
  readonly #byName = new Map<string, Value[]>();
  readonly #folders: { readonly folder: string; readonly content: Value }[] = [];
  #place: Place;

  constructor(directory: string) {
    this.#place = { directory, before: "*", pushed: [] };
  }

  /** The content that was written there; a relative path is also found by its name, since folders change. */
  get(path: string): Value | undefined {
    const plain = plainPath(path);
    if (!isTelling(plain)) return undefined;
    const isLoose = !/^[/~]/.test(plain) || plain.includes("*");
    const pieces = this.#byPath.get(plain) ?? (isLoose ? this.#byName.get(nameOf(plain)) : undefined);
    if (pieces === undefined) return undefined;
    const joined = concatenate(pieces);
    // A file that is read after each line that is added to it would be joined whole each time.
    pieces.splice(0, pieces.length, joined);
    return joined;
  }

  set(path: string, content: Value, { append }: { readonly append: boolean }): void {
    const plain = plainPath(path);
    if (!isTelling(plain)) return;
    const before = this.#byPath.get(plain);
    if (append && before !== undefined) {
      if (before.length < MAX_PIECES) before.push(content);
      return;
    }
    const pieces = [content];
    this.#byPath.set(plain, pieces);
    const name = nameOf(plain);
    // Two places of one name: either may be meant.
    const foreign = sourcesOf(this.#byName.get(name) ?? []);
    this.#byName.set(
      name,
      foreign.length === 0 ? pieces : [{ ...content, sources: mergeSources(content.sources, foreign) }],
    );
  }

  /** Notes what an archive or a clone left in a folder; the current one is the empty string. */
  unpack(folder: string, content: Value): void {
    if (content.sources.length > 0 && this.#folders.length < 100)
      this.#folders.push({ folder: plainPath(folder), content });
  }

  unpacked(path: string): Value | undefined {
    const plain = plainPath(path);
    const isRelative = !/^[/~]/.test(plain);
    for (const { folder, content } of this.#folders) {
      const isInside =
        folder === "" || folder === "." ? isRelative : plain === folder || plain.startsWith(`${folder}/`);
      const isHere = isRelative && folder !== "" && nameOf(this.directory) === nameOf(folder);
      if (isInside || isHere) return unknown(content.sources);
    }
    return undefined;
  }

  enter(directory: string): void {
    const next = directory === "-" ? this.#place.before : this.resolve(directory);
    this.#place = { ...this.#place, directory: next, before: this.#place.directory };
  }

  push(directory: string): void {
    const { pushed } = this.#place;
    if (pushed.length < MAX_PUSHED) this.#place = { ...this.#place, pushed: [...pushed, this.directory] };
    this.enter(directory);
  }

  pop(): void {
    const { pushed } = this.#place;
    this.#place = { ...this.#place, directory: pushed.at(-1) ?? "*", pushed: pushed.slice(0, -1) };
  }

  keepPlace<Result>(run: () => Result): Result {
    const place = this.#place;
    try {
      return run();
    } finally {
      this.#place = place;
    }
  }

  get directory(): string {
    return this.#place.directory;
  }

  /** A path from the root or the home, where the script said in which folder it stands. */
  resolve(path: string): string {
    const plain = plainPath(path);
    const { directory } = this;
    if (/^[/~]|^[A-Za-z]:/.test(plain) || !/^(?:[/~]|[A-Za-z]:|\\\\)/.test(directory)) return plain;
    if (plain === "." || plain === "") return directory;
    const isAbove = /^\.\.(?:\/|$)/.test(plain);
    // Above the home, and above a folder of which only the name is known, may be anything.
    if (isAbove && /^~|\*/.test(directory)) return `*/${plain}`;
    return resolvePath(plain, directory) ?? plainPath(`${directory}/${plain}`);
  }

  /** What was written into a folder; `.` is where the script stands, whatever that is. */
  below(folder: string): readonly Value[] {
    const plain = plainPath(folder);
    if (plain !== "." && !isTelling(plain)) return [];
    return [...this.#byPath].flatMap(([path, pieces]) =>
      path === plain || path.startsWith(`${plain}/`) || (plain === "." && !/^[/~]/.test(path)) ? pieces : [],
    );
  }
}

// Two paths of which nothing is known are not the same path.
function isTelling(path: string): boolean {
  return /[^*/.]/.test(nameOf(path));
}

/** A path without `./`, doubled slashes and a slash at its end. */
export function plainPath(path: string): string {
  const plain = path
    .replace(/\/{2,}/g, "/")
    .replaceAll("/./", "/")
    .replace(/^(?:\.\/)+/, "");
  return plain.length > 1 && plain.endsWith("/") ? plain.slice(0, -1) : plain;
}

export function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
