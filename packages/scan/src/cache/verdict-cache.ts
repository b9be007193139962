import type { TreeStamp } from "@skillet/core";
import {
  formatVerdictFile,
  type KnownFinding,
  type KnownPlace,
  type KnownVerdict,
  MAX_VERDICT_FILE_BYTES,
  readVerdictFile,
  type VerdictFile,
  verdictPath,
} from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, withFileLock, writeAtomic } from "@skillet/kit/files";
import { compareByteOrder, sortByByteOrder } from "@skillet/kit/order";
import type { Finding } from "../finding/finding.ts";
import type { ScanReport } from "../scan-report.ts";

// Two changes within one tick of a file system's clock leave the same stamp; no file system in use is coarser.
const SETTLED_AFTER_MS = 2_000;
// Far below what the reader accepts, so that every written file can be read.
const MAX_WRITTEN_CHARACTERS = MAX_VERDICT_FILE_BYTES / 4;
// Another process writes for milliseconds; an entry that is not kept only means another scan.
const LOCK_TIMEOUT_MS = 2_000;

export interface VerdictCacheOptions {
  /** Absent: kept in memory only. */
  readonly directory?: string | undefined;
  readonly ruleSet: string;
  readonly clock: () => number;
}

export class VerdictCache {
  readonly #options: VerdictCacheOptions;
  readonly #verdicts: Map<string, Omit<KnownVerdict, "generation">>;
  readonly #places: Map<string, Omit<KnownPlace, "generation">>;
  readonly #usedVerdicts = new Set<string>();
  readonly #usedPlaces = new Set<string>();
  #hasNews = false;

  constructor(options: VerdictCacheOptions) {
    this.#options = options;
    const known = this.#read();
    this.#verdicts = new Map(known?.verdicts);
    this.#places = new Map(known?.places);
  }

  verdictOf(digest: Digest): Omit<KnownVerdict, "generation"> | undefined {
    const known = this.#verdicts.get(digest);
    if (known !== undefined) this.#usedVerdicts.add(digest);
    return known;
  }

  placeAt(path: string, stamp: TreeStamp | undefined): Omit<KnownPlace, "generation"> | undefined {
    const place = stamp && this.#places.get(path);
    if (place === undefined || place.stamp !== stamp?.text) return undefined;
    this.#usedPlaces.add(path);
    return place;
  }

  keepVerdict(digest: Digest, verdict: Omit<KnownVerdict, "generation">): void {
    this.#verdicts.set(digest, verdict);
    this.#usedVerdicts.add(digest);
    this.#hasNews = true;
  }

  /** `stamp` must have been taken before the content was read; a very recent change is read again next time. */
  keepPlace(path: string, stamp: TreeStamp, judged: Omit<KnownPlace, "generation" | "stamp">): void {
    const { digest, read, skill, verdict, withheld } = judged;
    const known = this.#places.get(path);
    this.#usedPlaces.add(path);
    const isSame = known?.digest === digest && known.verdict === verdict && known.withheld === withheld;
    if (isSame && known.stamp === stamp.text) return;
    if (stamp.changedMs > this.#options.clock() - SETTLED_AFTER_MS) {
      if (this.#places.delete(path)) this.#hasNews = true;
      return;
    }
    const reason = withheld !== undefined && { withheld };
    this.#places.set(path, { stamp: stamp.text, digest, read, skill, verdict, ...reason });
    this.#hasNews = true;
  }

  /** Merges new entries with those that others wrote; a cache that cannot be written is not an error. */
  async flush(): Promise<void> {
    const { directory } = this.#options;
    if (directory === undefined || !this.#hasNews) return;
    const file = verdictPath(directory);
    try {
      await ensureHome(directory);
      await withFileLock(`${file}.lock`, () => writeAtomic(file, this.#format(), { mode: 0o600 }), {
        timeoutMs: LOCK_TIMEOUT_MS,
      });
      this.#hasNews = false;
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
    }
  }

  #read(): VerdictFile | undefined {
    const { directory, ruleSet } = this.#options;
    const known = directory === undefined ? undefined : readVerdictFile(directory);
    return known?.ruleSet === ruleSet ? known : undefined;
  }

  #format(): string {
    const { ruleSet } = this.#options;
    const others = this.#read();
    const generation = (others?.generation ?? 0) + 1;
    const verdicts = merge(others?.verdicts, this.#verdicts, this.#usedVerdicts, generation);
    const places = merge(others?.places, this.#places, this.#usedPlaces, generation);
    return formatVerdictFile({ ruleSet, generation, ...fit(verdicts, places) });
  }
}

// Entries used in this process get this generation and the rest keep theirs, so that no clock is needed.
function merge<Value extends { readonly generation: number }>(
  others: ReadonlyMap<string, Value> | undefined,
  own: ReadonlyMap<string, Omit<Value, "generation">>,
  used: ReadonlySet<string>,
  generation: number,
): Map<string, Value> {
  const merged = new Map(others);
  for (const key of used) {
    const value = own.get(key);
    if (value === undefined) merged.delete(key);
    else merged.set(key, { ...value, generation } as unknown as Value);
  }
  return merged;
}

/** Drops the entries unused for longest until the rest fits; the file is ordered by key. */
function fit(
  verdicts: ReadonlyMap<string, KnownVerdict>,
  places: ReadonlyMap<string, KnownPlace>,
): Pick<VerdictFile, "verdicts" | "places"> {
  const newest = [...verdicts, ...places].sort(
    ([leftKey, left], [rightKey, right]) =>
      right.generation - left.generation || compareByteOrder(leftKey, rightKey),
  );
  let room = MAX_WRITTEN_CHARACTERS;
  const kept = new Set<string>();
  for (const [key, value] of newest) {
    room -= JSON.stringify(key).length + JSON.stringify(value).length;
    if (room <= 0) break;
    kept.add(key);
  }
  const sorted = <Value>(entries: ReadonlyMap<string, Value>): Map<string, Value> =>
    new Map(
      sortByByteOrder(
        Array.from(entries).filter(([key]) => kept.has(key)),
        ([key]) => key,
      ),
    );
  return { verdicts: sorted(verdicts), places: sorted(places) };
}

// Enough for users to see the problem; a new scan gives the whole report.
const MAX_KEPT_FINDINGS = 5;
const MAX_MESSAGE_CHARACTERS = 300;
const MAX_PATH_CHARACTERS = 200;

/** The part of a report that is kept: the verdict, counts and the worst few findings, never their evidence. */
export function summariseReport(report: ScanReport): Omit<KnownVerdict, "generation"> {
  const { verdict, findings, opinion } = report;
  const count = (severity: Finding["severity"]): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const critical = findings.filter(({ severity }) => severity === "critical");
  return {
    verdict,
    counts: { critical: critical.length, warn: count("warn"), info: count("info") },
    findings: findings
      .filter(({ severity }) => severity !== "info")
      .slice(0, MAX_KEPT_FINDINGS)
      .map(shorten),
    criticalRules: [...new Set(critical.map(({ rule }) => rule))].sort(),
    ...(opinion && { readBy: opinion.by }),
  };
}

function shorten({ rule, severity, file, line, message }: Finding): KnownFinding {
  return {
    rule,
    severity,
    file: file.slice(0, MAX_PATH_CHARACTERS),
    line,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
  };
}
