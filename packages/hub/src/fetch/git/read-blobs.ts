import { createHash } from "node:crypto";
import { SkilletError } from "@skillet/kit/errors";
import type { ReadBudget } from "../read-budget.ts";
import type { GitRepository } from "./git-repository.ts";
import { runGit } from "./run-git.ts";

/** One blob to be read, and a path to name when it is too large. */
export interface WantedBlob {
  readonly id: string;
  readonly path: string;
}

/** Reads blobs that a repository has, in one go; the bytes of each are checked against its id. */
export async function readBlobs(
  repository: GitRepository,
  wanted: readonly WantedBlob[],
  options: { readonly budget: ReadBudget; readonly signal?: AbortSignal | undefined },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const reader = new BatchReader(wanted, options.budget);
  await runGit(repository, ["cat-file", "--batch"], {
    stdin: wanted.map(({ id }) => `${id}\n`).join(""),
    signal: options.signal,
    onOutput: (chunk) => reader.add(chunk),
  });
  return reader.finish();
}

const LINE_END = 0x0a;
const MAX_HEADER_BYTES = 200;

/** Takes `id SP type SP size LF bytes LF` for each blob, as it comes. */
class BatchReader {
  readonly #wanted: readonly WantedBlob[];
  readonly #budget: ReadBudget;
  readonly #blobs = new Map<string, Uint8Array>();
  #next = 0;
  #header = "";
  #body: Buffer | undefined;
  #filled = 0;

  constructor(wanted: readonly WantedBlob[], budget: ReadBudget) {
    this.#wanted = wanted;
    this.#budget = budget;
  }

  add(chunk: Uint8Array): void {
    for (let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length); rest.length > 0; )
      rest = this.#body === undefined ? this.#takeHeader(rest) : this.#takeBody(rest, this.#body);
  }

  finish(): ReadonlyMap<string, Uint8Array> {
    if (this.#next !== this.#wanted.length) throw this.#unexpected("too few objects");
    return this.#blobs;
  }

  #takeHeader(rest: Buffer): Buffer {
    const end = rest.indexOf(LINE_END);
    this.#header += rest.toString("latin1", 0, end === -1 ? rest.length : end);
    if (this.#header.length > MAX_HEADER_BYTES) throw this.#unexpected("a long line");
    if (end === -1) return rest.subarray(rest.length);
    const [id, type, size = ""] = this.#header.split(" ");
    this.#header = "";
    const blob = this.#wanted[this.#next];
    if (blob === undefined || id !== blob.id || type !== "blob" || !/^[0-9]{1,15}$/.test(size))
      throw this.#unexpected(`${type ?? "nothing"} instead of a blob`);
    // Before room is made for it.
    this.#budget.take(blob.path, Number(size));
    // The line end behind the bytes counts with them.
    this.#body = Buffer.allocUnsafeSlow(Number(size) + 1);
    this.#filled = 0;
    return rest.subarray(end + 1);
  }

  #takeBody(rest: Buffer, body: Buffer): Buffer {
    const taken = rest.copy(body, this.#filled);
    this.#filled += taken;
    if (this.#filled === body.length) this.#finishBody(body.subarray(0, -1));
    return rest.subarray(taken);
  }

  #finishBody(bytes: Buffer): void {
    const id = this.#wanted[this.#next]?.id ?? "";
    const sum = createHash(id.length === 64 ? "sha256" : "sha1")
      .update(`blob ${bytes.length}\0`)
      .update(bytes);
    if (sum.digest("hex") !== id) throw this.#unexpected("other bytes than its id says");
    this.#blobs.set(id, bytes);
    this.#body = undefined;
    this.#next += 1;
  }

  #unexpected(what: string): SkilletError {
    const path = this.#wanted[this.#next]?.path ?? "";
    return new SkilletError(
      "git-objects-refused",
      `git gave ${what} for ${JSON.stringify(path)}; nothing of it was used.`,
      {
        data: { path },
      },
    );
  }
}
