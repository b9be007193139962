import { concatenate, mergeSources, sourcesOf, unknown, type Value } from "./value.ts";

const MAX_PIECES = 10_000;

/** Files that a script itself wrote, fetched or unpacked, so that a path that is run or sent later is known again. */
export class ShellFiles {
  /** Pieces in the order in which they were written; joined only when the file is read. */
  readonly #byPath = new Map<string, Value[]>();
  readonly #byName = new Map<string, Value[]>();
  readonly #folders: { readonly folder: string; readonly content: Value }[] = [];
  #directory = "";

  /** What was written there; a relative path is also found by its name, since folders change. */
  get(path: string): Value | undefined {
    const plain = plainPath(path);
    if (!isTelling(plain)) return undefined;
    const exact = this.#byPath.get(plain);
    if (exact !== undefined) return concatenate(exact);
    const isLoose = !/^[/~]/.test(plain) || plain.includes("*");
    const named = isLoose ? this.#byName.get(nameOf(plain)) : undefined;
    return named === undefined ? undefined : concatenate(named);
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
    if (this.#folders.length < 100) this.#folders.push({ folder: plainPath(folder), content });
  }

  /** What a path may have come from by being unpacked. */
  unpacked(path: string): Value | undefined {
    const plain = plainPath(path);
    const isRelative = !/^[/~]/.test(plain);
    for (const { folder, content } of this.#folders) {
      const isInside =
        folder === "" || folder === "." ? isRelative : plain === folder || plain.startsWith(`${folder}/`);
      const isHere = isRelative && folder !== "" && nameOf(this.#directory) === nameOf(folder);
      if (isInside || isHere) return unknown(content.sources);
    }
    return undefined;
  }

  enter(directory: string): void {
    const plain = plainPath(directory);
    const isRelative = !/^[/~]|^[A-Za-z]:/.test(plain);
    this.#directory = isRelative && this.#directory !== "" ? this.resolve(plain) : plain;
  }

  leaveTo(directory: string): void {
    this.#directory = directory;
  }

  get directory(): string {
    return this.#directory;
  }

  /** A path from the root or the home, where the script said in which folder it stands. */
  resolve(path: string): string {
    const plain = plainPath(path);
    if (!/^[/~]/.test(this.#directory) || /^[/~]|^[A-Za-z]:/.test(plain)) return plain;
    // Above a folder of which only the name is known may be anything.
    if (plain === ".." || plain.startsWith("../")) return `*/${plain}`;
    return plain === "." || plain === "" ? this.#directory : plainPath(`${this.#directory}/${plain}`);
  }

  /** What the script itself put into a folder. */
  below(folder: string): readonly Value[] {
    const plain = plainPath(folder);
    if (!isTelling(plain)) return [];
    return [...this.#byPath].flatMap(([path, pieces]) =>
      path === plain || path.startsWith(`${plain}/`) ? pieces : [],
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

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
