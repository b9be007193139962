import { auditPath, type Origin, readAudit } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";

interface Known {
  /** Digest and origin of what was let in. */
  readonly bytes: ReadonlySet<string>;
  /** Lock, source and origin of what a person asked for. */
  readonly named: ReadonlySet<string>;
}

/**
 * What the audit log of this machine tells about earlier decisions.
 *
 * Read once for all that ask, and only when somebody does: the log grows for ever, and a lock may list hundreds of skills.
 */
export class PastDecisions {
  readonly #home: string;
  #known: Promise<Known> | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** Whether exactly these bytes were let in once as of this origin. */
  async hasSeen(digest: Digest, origin: Origin): Promise<boolean> {
    const { bytes } = await this.#read();
    return bytes.has(keyOf(digest, origin));
  }

  /** Whether a person named this source for this lock; as what it counted then, if that matters. */
  async isNamed(wanted: {
    readonly lockFile: string;
    readonly source: string;
    readonly origin?: Origin | undefined;
  }): Promise<boolean> {
    const { lockFile, source, origin } = wanted;
    const { named } = await this.#read();
    return named.has(origin === undefined ? keyOf(lockFile, source) : keyOf(lockFile, source, origin));
  }

  #read(): Promise<Known> {
    this.#known ??= readDecisions(this.#home);
    return this.#known;
  }
}

async function readDecisions(home: string): Promise<Known> {
  const bytes = new Set<string>();
  const named = new Set<string>();
  for await (const { record, problems } of readAudit(auditPath(home))) {
    if (record === undefined || problems.length > 0 || record.decision !== "allow") continue;
    const { digest, origin, path, source, askedBy } = record;
    if (digest !== undefined && origin !== undefined) bytes.add(keyOf(digest, origin));
    if (askedBy !== "person" || path === undefined || source === undefined) continue;
    named.add(keyOf(path, source));
    if (origin !== undefined) named.add(keyOf(path, source, origin));
  }
  return { bytes, named };
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
