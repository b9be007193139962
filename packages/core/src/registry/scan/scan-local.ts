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
import { pathBelow } from "../read-tree.ts";
import type { SkillRoot } from "../skill-root.ts";
import { DiscoveredSkill } from "./discovered-skill.ts";
import {
  cachePlace,
  type DiscoveryCache,
  readDiscoveryCache,
  writeDiscoveryCache,
} from "./discovery-cache.ts";
import { type LoadedSkill, loadSkill, SETTINGS_FILE, type SkillBytes } from "./load-skill.ts";
import { hasRequirements, type SourceScan } from "./scan-source.ts";
import { SkillTable } from "./skill-table.ts";

// Coarser than the time stamps of any file system in use: what changed later is read again.
const SETTLE_MS = 2_000;

/** Scans a local root, reading only the files that changed since the cache was written. */
export async function scanLocal(
  root: SkillRoot,
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
  const scan = new LocalScan(root, source, cache);
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

class LocalScan {
  readonly skills: DiscoveredSkill[] = [];
  readonly diagnostics: Diagnostic[] = [];
  changed = false;
  failed = 0;
  readonly #root: SkillRoot;
  readonly #source: LocalSource;
  readonly #cache: DiscoveryCache | undefined;
  readonly #table = new SkillTable();
  // The skills of the cache that did not change: their rows, and the places of their folders now.
  readonly #keptRows: number[] = [];
  readonly #keptNodes: number[] = [];

  constructor(root: SkillRoot, source: LocalSource, cache: DiscoveryCache | undefined) {
    this.#root = root;
    this.#source = source;
    this.#cache = cache;
  }

  /** Loads the skill of a folder; false when the file is not there. */
  take(found: FoundSkill): boolean {
    const canonicalFile = found.linkedFile ?? `${found.absolute}/${found.file}`;
    const settings = found.hasAgentsFolder ? this.#source.companionOf(found)?.stamp : undefined;
    const row = this.#cache?.rowOfNode[found.previousNode] ?? -1;
    if (this.#cache !== undefined && row >= 0) {
      const { table } = this.#cache;
      const stats = statusOf(canonicalFile);
      if (stats?.isFile() === true && table.isUnchanged(row, stats, settings)) {
        this.#keep(found, canonicalFile, table, row);
        this.#keptRows.push(row);
        this.#keptNodes.push(found.node);
        return true;
      }
    }
    return this.#read(found, canonicalFile, settings);
  }

  finishTable(): SkillTable {
    for (const [index, row] of this.#keptRows.entries())
      if (this.#cache !== undefined) this.#table.copy(this.#cache.table, row, this.#keptNodes[index] ?? 0);
    return this.#table;
  }

  #keep(
    found: FoundSkill,
    canonicalFile: string,
    table: SkillTable,
    row: number,
    loaded?: LoadedSkill,
  ): void {
    const { file, linkPath, linkedFile } = found;
    const isLinked = linkPath !== undefined || linkedFile !== undefined;
    const folder = relativePath(this.#source.canonicalRoot, found);
    const place = { folder, file, linkedFile: isLinked ? canonicalFile : undefined };
    this.skills.push(new DiscoveredSkill(this.#root, place, { table, row, loaded }));
  }

  #read(found: FoundSkill, canonicalFile: string, settingsStamp: FileStamp | undefined): boolean {
    try {
      // Before SKILL.md itself: both go through one buffer.
      const settings = settingsStamp === undefined ? undefined : readSettings(found.absolute);
      const { bytes, stats } = readSkillFile(canonicalFile);
      if (stats.size > MAX_SKILL_BYTES) this.#refuse(tooLarge(this.#labelOf(found), stats.size));
      else this.#load(found, canonicalFile, { bytes, settings, stamp: stampOf(stats), settingsStamp });
      return true;
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      if (found.probing || error.code === "file-not-found") return false;
      this.#refuse(unreadable(this.#labelOf(found), error));
      return true;
    }
  }

  #load(
    found: FoundSkill,
    canonicalFile: string,
    {
      bytes,
      settings,
      stamp,
      settingsStamp,
    }: Pick<SkillBytes, "bytes" | "settings"> & {
      readonly stamp: FileStamp;
      readonly settingsStamp: FileStamp | undefined;
    },
  ): void {
    const isCommand = this.#source.layout === "commands";
    const loaded = loadSkill({
      label: this.#labelOf(found),
      settingsLabel: settings && this.#labelOf(found, SETTINGS_FILE),
      file: found.file,
      directoryName: isCommand ? found.file.slice(0, -".md".length) : found.name,
      isCommand,
      bytes,
      settings,
      leaveOutRepeatable: true,
    });
    const { manifest, diagnostics, bodyCharacters, decisiveBytes } = loaded;
    if (manifest === undefined) {
      this.failed++;
      this.diagnostics.push(...diagnostics);
      return;
    }
    this.changed = true;
    // A plain header is parsed again on demand, which costs less than keeping every manifest.
    const isPlain = decisiveBytes < bytes.length;
    const outcome = isPlain ? undefined : { manifest, diagnostics, settingsDigest: loaded.settingsDigest };
    const row = this.#table.add({
      // A slice would keep the whole header alive, and takes longer to compare.
      name: manifest.name === found.name ? found.name : detachText(manifest.name),
      bodyCharacters,
      digest: digestBytes(bytes),
      gating: hasRequirements(manifest.gating) ? manifest.gating : undefined,
      node: found.node,
      stamp,
      settingsStamp,
      isFaultless: diagnostics.length === 0 && !loaded.hasLeftOut,
      form: isPlain ? "header" : "outcome",
      content: isPlain ? bytes.subarray(0, decisiveBytes) : Buffer.from(JSON.stringify(outcome)),
    });
    this.#keep(found, canonicalFile, this.#table, row, outcome);
  }

  #labelOf(found: FoundSkill, file: string = found.file): string {
    return this.#source.toolPath(pathBelow(relativePath(this.#source.canonicalRoot, found), file));
  }

  #refuse(diagnostic: Diagnostic): void {
    this.failed++;
    this.diagnostics.push(diagnostic);
  }
}

function readSettings(folder: string): Uint8Array | { readonly fault: string } {
  try {
    const { bytes, stats } = readSkillFile(`${folder}/${SETTINGS_FILE}`);
    return stats.size > MAX_SKILL_BYTES ? { fault: "It is too large." } : Uint8Array.from(bytes);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { fault: error.message };
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
