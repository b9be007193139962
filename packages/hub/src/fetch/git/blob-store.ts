import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { missingEntry } from "../open-tree.ts";
import { ReadBudget } from "../read-budget.ts";
import { fetchObjects, isRefusedById } from "./fetch-objects.ts";
import type { GitRepository } from "./git-repository.ts";
import type { GitEntry } from "./list-tree.ts";
import { readBlobs } from "./read-blobs.ts";

/** Gets the bytes of a commit's files: from the server first, where they were left out. */
export class BlobStore {
  readonly #entries: ReadonlyMap<string, GitEntry>;
  readonly #fetchAll: (signal: AbortSignal | undefined) => Promise<GitRepository>;
  readonly #budget: ReadBudget;
  readonly #fetched = new Set<string>();
  #repository: GitRepository;
  #hasBlobs: boolean;

  constructor(options: {
    readonly repository: GitRepository;
    readonly entries: readonly GitEntry[];
    /** Whether the repository has all of them already. */
    readonly hasBlobs: boolean;
    /** Makes a repository that has, for servers that give out no blobs by their ids. */
    readonly fetchAll: (signal: AbortSignal | undefined) => Promise<GitRepository>;
  }) {
    this.#repository = options.repository;
    this.#entries = new Map(options.entries.map((entry) => [entry.path, entry]));
    this.#hasBlobs = options.hasBlobs;
    this.#fetchAll = options.fetchAll;
    this.#budget = new ReadBudget(options.repository.context.limits);
  }

  async read(paths: readonly string[], signal: AbortSignal | undefined): Promise<readonly TreeFile[]> {
    const entries = paths.map((path) => this.#entries.get(path) ?? missingEntry(path));
    const wanted = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
    if (wanted.length === 0) return [];
    checkModes(entries);
    await this.#fetch(wanted, signal);
    const blobs = await readBlobs(this.#repository, wanted, { budget: this.#budget, signal });
    return entries.map(({ path, mode, id }) => ({
      path,
      mode: mode === "160000" ? "644" : mode,
      bytes: blobs.get(id) ?? missingEntry(path),
    }));
  }

  async #fetch(wanted: readonly GitEntry[], signal: AbortSignal | undefined): Promise<void> {
    const missing = wanted.map(({ id }) => id).filter((id) => !this.#fetched.has(id));
    if (this.#hasBlobs || missing.length === 0) return;
    try {
      await fetchObjects(this.#repository, { wanted: missing, filter: "blob:none", depth: "all", signal });
      for (const id of missing) this.#fetched.add(id);
    } catch (error) {
      if (!isRefusedById(error)) throw error;
      this.#repository = await this.#fetchAll(signal);
      this.#hasBlobs = true;
    }
  }
}

function checkModes(entries: readonly GitEntry[]): void {
  const submodule = entries.find(({ mode }) => mode === "160000");
  if (submodule === undefined) return;
  throw new SkilletError(
    "source-entry-missing",
    `${JSON.stringify(submodule.path)} is a submodule, which is not fetched; install from the repository that it names.`,
    { data: { path: submodule.path } },
  );
}
