import type { Stats } from "node:fs";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { type FileStamp, readInto, stampOf, withRegularFile } from "@skillet/kit/files";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import { detachText } from "../../format/split-skill.ts";
import { type FoundSkill, relativePath } from "../../source/local/found-skill.ts";
import { type LocalSource, pluginManifests } from "../../source/local/local-source.ts";
import { statusOf } from "../../source/local/status-of.ts";
import { SKILL_FILE } from "../../source/skill-file-name.ts";
import { CachedSkill, directoryNameOf, labelOf, type TableOf } from "./cached-skill.ts";
import {
  cachePlace,
  type DiscoveryCache,
  readDiscoveryCache,
  writeDiscoveryCache,
} from "./discovery-cache.ts";
import { type Companion, loadSkill, type SkillBytes } from "./load-skill.ts";
import type { ScannedSkill, SourceScan } from "./scanned-skill.ts";
import { FAULTLESS_HEADER, HEADER, OUTCOME, SkillTable } from "./skill-table.ts";

const COMPANION = "agents/openai.yaml";

// Coarser than the time stamps of any file system in use: what changed later is read again.
const SETTLE_MS = 2_000;

/** Scans a local root, reading only the files that changed since the cache was written. */
export async function scanLocal(
  source: LocalSource,
  options: {
    readonly cacheDirectory: string | undefined;
    readonly now: number;
    readonly signal?: AbortSignal;
  },
): Promise<SourceScan> {
  const usesCache = options.cacheDirectory !== undefined && source.layout === "skills";
  const place = usesCache ? cachePlace(options.cacheDirectory, source) : undefined;
  const cache = place === undefined ? undefined : readDiscoveryCache(place);
  const scan = new LocalScan(source, cache);
  const result = await source.walk({
    onSkill: (found) => scan.take(found),
    ...(cache === undefined ? {} : { previous: cache.memo }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (place !== undefined && result.complete && (scan.changed || !result.unchanged)) {
    const settledBeforeMs = options.now - SETTLE_MS;
    const memo = result.memo.finish(settledBeforeMs);
    writeDiscoveryCache(place, memo, scan.finishTable().finish(memo.names, settledBeforeMs));
  }
  return {
    skills: scan.skills,
    diagnostics: [...result.diagnostics, ...scan.diagnostics],
    failed: scan.failed,
    followedLinks: result.followedLinks,
    plugins: pluginManifests(result),
  };
}

/** Where and when a skill was just read. */
interface Reading {
  /** SKILL.md, valid until the next one is read. */
  readonly bytes: Buffer;
  readonly node: number;
  readonly stamp: FileStamp;
  readonly companion: FileStamp | undefined;
}

class LocalScan {
  readonly skills: ScannedSkill[] = [];
  readonly diagnostics: Diagnostic[] = [];
  changed = false;
  failed = 0;
  readonly #source: LocalSource;
  readonly #cache: DiscoveryCache | undefined;
  readonly #cached: TableOf | undefined;
  readonly #read: TableOf;
  // The skills of the cache that did not change: their rows, and the places of their folders now.
  readonly #keptRows: number[] = [];
  readonly #keptNodes: number[] = [];

  constructor(source: LocalSource, cache: DiscoveryCache | undefined) {
    this.#source = source;
    this.#cache = cache;
    this.#cached = cache === undefined ? undefined : { source, table: cache.table };
    this.#read = { source, table: new SkillTable() };
  }

  /** Loads the skill of a folder; false when the file is not there. */
  take(found: FoundSkill): boolean {
    const canonicalFile = found.linkedFile ?? `${found.absolute}/${found.file}`;
    const companion = found.hasAgentsFolder ? this.#source.companionOf(found)?.stamp : undefined;
    const row = this.#cache?.rowOfNode[found.previousNode] ?? -1;
    if (row >= 0 && this.#cached !== undefined) {
      const stats = statusOf(canonicalFile);
      if (stats?.isFile() === true && this.#cached.table.isUnchanged(row, stats, companion)) {
        this.skills.push(new CachedSkill(found, this.#cached, row));
        this.#keptRows.push(row);
        this.#keptNodes.push(found.node);
        return true;
      }
    }
    return this.#readAndLoad(found, canonicalFile, companion);
  }

  /** All skills, those of the cache too. */
  finishTable(): SkillTable {
    const { table } = this.#read;
    for (const [index, row] of this.#keptRows.entries())
      if (this.#cached !== undefined) table.copy(this.#cached.table, row, this.#keptNodes[index] ?? 0);
    return table;
  }

  #readAndLoad(found: FoundSkill, canonicalFile: string, companion: FileStamp | undefined): boolean {
    try {
      // Before SKILL.md itself: both go through one buffer.
      const settings = companion === undefined ? undefined : this.#readCompanion(found);
      const { bytes, stats } = readSkillFile(canonicalFile);
      const reading = { bytes, node: found.node, stamp: stampOf(stats), companion };
      if (stats.size > MAX_SKILL_BYTES) this.#refuse(tooLarge(this.#labelOf(found, found.file), stats.size));
      else this.#load(found, this.#describe(found, canonicalFile, bytes, settings), reading);
      return true;
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      if (found.probing || error.code === "file-not-found") return false;
      this.#refuse(unreadable(this.#labelOf(found, found.file), error));
      return true;
    }
  }

  #load(found: FoundSkill, input: SkillBytes, { bytes, node, stamp, companion }: Reading): void {
    const { skill, diagnostics, decisiveBytes } = loadSkill(input);
    if (skill === undefined) {
      this.failed++;
      this.diagnostics.push(...diagnostics);
      return;
    }
    this.changed = true;
    const { bodyCharacters, digest, gating, manifest, settingsDigest } = skill;
    // A header that says all by itself is kept as it is; otherwise what parsing it gave.
    const isPlain = companion === undefined && !input.isCommand && input.file === SKILL_FILE;
    const isAlone = isPlain && decisiveBytes < bytes.length;
    const content = isAlone ? bytes : Buffer.from(JSON.stringify({ manifest, diagnostics, settingsDigest }));
    const row = this.#read.table.add({
      // A slice would keep the whole header alive, and takes longer to compare.
      name: skill.name === found.name ? found.name : detachText(skill.name),
      bodyCharacters,
      digest,
      gating,
      node,
      stamp,
      companion,
      kind: !isAlone ? OUTCOME : diagnostics.length === 0 ? FAULTLESS_HEADER : HEADER,
      bytes: content,
      length: isAlone ? decisiveBytes : content.length,
    });
    this.skills.push(isAlone ? new CachedSkill(found, this.#read, row) : skill);
  }

  #describe(
    found: FoundSkill,
    canonicalFile: string,
    bytes: Uint8Array,
    companion: SkillBytes["companion"],
  ): SkillBytes {
    const folder = relativePath(this.#source.canonicalRoot, found);
    const { file } = found;
    const isCommand = this.#source.layout === "commands";
    const label = labelOf(this.#source, { folder, file });
    const directoryName = directoryNameOf(this.#source, { folder, file });
    return { folder, file, canonicalFile, label, directoryName, bytes, isCommand, companion };
  }

  #readCompanion(found: FoundSkill): Companion {
    const label = this.#labelOf(found, COMPANION);
    try {
      const { bytes, stats } = readSkillFile(`${found.absolute}/${COMPANION}`);
      if (stats.size > MAX_SKILL_BYTES)
        return { label, digest: undefined, text: undefined, fault: "It is too large." };
      const text = Buffer.from(bytes).toString("utf8");
      return { label, digest: digestBytes(bytes), text, fault: undefined };
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      return { label, digest: undefined, text: undefined, fault: error.message };
    }
  }

  #labelOf(found: FoundSkill, file: string): string {
    return labelOf(this.#source, { folder: relativePath(this.#source.canonicalRoot, found), file });
  }

  #refuse(diagnostic: Diagnostic): void {
    this.failed++;
    this.diagnostics.push(diagnostic);
  }
}

// One buffer for all reads of a scan: allocating per file costs as much as the read.
let shared: Buffer | undefined;

/** Reads a SKILL.md whole, or only its status when it is too large; the bytes are valid until the next call. */
function readSkillFile(absolute: string): { readonly bytes: Buffer; readonly stats: Stats } {
  shared ??= Buffer.allocUnsafeSlow(MAX_SKILL_BYTES);
  const buffer = shared;
  return withRegularFile(absolute, ({ descriptor, stats }) => {
    if (stats.size > MAX_SKILL_BYTES) return { bytes: buffer.subarray(0, 0), stats };
    const length = readInto(descriptor, buffer, stats.size);
    return { bytes: buffer.subarray(0, length), stats };
  });
}

function tooLarge(file: string, size: number): Diagnostic {
  return {
    code: "skill-too-large",
    severity: "error",
    message: `The file has ${size} bytes, more than the ${MAX_SKILL_BYTES} that are read.`,
    file,
    range: { line: 1, column: 1 },
    hint: "Move the details into references/ and keep SKILL.md short.",
  };
}

function unreadable(file: string, error: SkilletError): Diagnostic {
  return {
    code: error.code === "not-a-file" ? "not-a-file" : "unreadable-skill",
    severity: "error",
    message: error.message,
    file,
    range: { line: 1, column: 1 },
    hint: "Make it a regular file that you may read, or remove it.",
  };
}
