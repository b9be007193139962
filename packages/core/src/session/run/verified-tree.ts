import { type Digest, digestTree, type TreeEntry, treeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { showName } from "@skillet/kit/text";
import type { TreeFile } from "../../registry/read-tree.ts";
import type { Resource, ResourceIndex } from "../../registry/resource.ts";

interface VerifiedTreeParts {
  readonly index: ResourceIndex & { readonly treeDigest: Digest };
  /** The name of its SKILL.md, which indexes do not list. */
  readonly skillFile: string;
  read(): AsyncIterable<TreeFile>;
  onFile(now: TreeEntry): void;
}

/** The files of a skill, each compared with the index before it is yielded: only frozen content passes. */
export class VerifiedTree implements AsyncIterable<TreeFile> {
  readonly #parts: VerifiedTreeParts;
  readonly #expected: readonly Resource[];
  #isWhole = false;
  difference: string | undefined;

  constructor(parts: VerifiedTreeParts) {
    this.#parts = parts;
    this.#expected = parts.index.resources.toSorted((left, right) => compareByteOrder(left.path, right.path));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TreeFile, void, undefined> {
    const { index, skillFile, onFile } = this.#parts;
    const entries: TreeEntry[] = [];
    let next = 0;
    for await (const file of this.#read()) {
      const now = treeEntry(file);
      onFile(now);
      if (now.path === skillFile) this.#checkSkillFile(now);
      else this.#checkResource(now, this.#expected[next++]);
      entries.push(now);
      yield file;
    }
    const missing = this.#expected[next];
    if (missing !== undefined) throw this.#differs(missing.path, "is gone");
    // All else matches by now; what remains is the mode of SKILL.md, or the text of a link in its place.
    if (digestTree(entries) !== index.treeDigest) throw this.#differs(skillFile, "has changed");
    this.#isWhole = true;
  }

  /** Compares every file, unless a reader has already read all of them. */
  async verify(): Promise<void> {
    if (this.#isWhole) return;
    for await (const _file of this);
  }

  async *#read(): AsyncGenerator<TreeFile, void, undefined> {
    try {
      yield* this.#parts.read();
    } catch (error) {
      // All of it could be read when it was frozen.
      if (SkilletError.isInstance(error)) throw this.#differs(undefined, error.message);
      throw error;
    }
  }

  #checkSkillFile({ path, mode, digest }: TreeEntry): void {
    const { skillDigest } = this.#parts.index;
    if (skillDigest !== undefined && (mode === "120000" || digest !== skillDigest))
      throw this.#differs(path, "has changed");
  }

  #checkResource(now: TreeEntry, frozen: Resource | undefined): void {
    const order = frozen === undefined ? -1 : compareByteOrder(now.path, frozen.path);
    if (frozen !== undefined && order > 0) throw this.#differs(frozen.path, "is gone");
    if (frozen === undefined || order < 0) throw this.#differs(now.path, "was added");
    const isSame = now.digest === frozen.digest && now.size === frozen.size && now.mode === modeOf(frozen);
    if (!isSame) throw this.#differs(now.path, "has changed");
  }

  #differs(path: string | undefined, how: string): SkilletError {
    this.difference ??= path === undefined ? how : `${showName(path)} ${how}`;
    const message = `The skill is not what it was when it was loaded: ${this.difference}. Load it again, then look at the change.`;
    const data = { difference: this.difference, ...(path !== undefined && { path }) };
    return new SkilletError("script-snapshot-mismatch", message, { data });
  }
}

// An index says whether files that may be run are executable; all others are not.
function modeOf({ contentKind, script }: Resource): TreeEntry["mode"] {
  if (contentKind === "link") return "120000";
  return script?.executable === true ? "755" : "644";
}
