import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { FileStamp } from "@skillet/kit/files";
import { stampOf } from "@skillet/kit/files";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import { skimSkillBytes } from "../../format/skim-skill-bytes.ts";
import { type FoundSkill, relativePath } from "../../source/local/found-skill.ts";
import { type LocalSource, pluginManifests } from "../../source/local/local-source.ts";
import { readSkillFile } from "../../source/local/read-skill-file.ts";
import { statusOf } from "../../source/local/status-of.ts";
import { SKILL_FILE } from "../../source/skill-file-name.ts";
import { CacheWriter, type ReadingPlace } from "./cache-writer.ts";
import { CachedSkill } from "./cached-skill.ts";
import { cachePath, type DiscoveryCache, readDiscoveryCache } from "./discovery-cache.ts";
import { type Companion, loadSkill, type SkillBytes } from "./load-skill.ts";
import { directoryNameIn, directoryNameOf, labelOf } from "./place-of.ts";
import type { ScannedSkill, SourceScan } from "./scanned-skill.ts";

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
  const path = usesCache ? cachePath(options.cacheDirectory, source) : undefined;
  const cache = path === undefined ? undefined : readDiscoveryCache(path);
  const writer = new CacheWriter();
  const scan = new LocalScan(source, cache, writer);
  const result = await source.walk({
    onSkill: (found) => scan.take(found),
    ...(cache === undefined ? {} : { previous: cache.memo }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (path !== undefined && result.complete && (scan.changed || !result.unchanged)) {
    for (const skill of scan.skills)
      if (skill instanceof CachedSkill && !skill.isIn(writer)) writer.addCached(skill);
    const settledBeforeMs = options.now - SETTLE_MS;
    writer.write(path, result.memo.finish(settledBeforeMs), settledBeforeMs);
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
  readonly skills: ScannedSkill[] = [];
  readonly diagnostics: Diagnostic[] = [];
  changed = false;
  failed = 0;
  readonly #source: LocalSource;
  readonly #cache: DiscoveryCache | undefined;
  readonly #writer: CacheWriter;

  constructor(source: LocalSource, cache: DiscoveryCache | undefined, writer: CacheWriter) {
    this.#source = source;
    this.#cache = cache;
    this.#writer = writer;
  }

  /** Loads the skill of a folder; false when the file is not there. */
  take(found: FoundSkill): boolean {
    const canonicalFile = found.linkedFile ?? `${found.absolute}/${found.file}`;
    const companion = found.hasAgentsFolder ? this.#source.companionOf(found)?.stamp : undefined;
    const cache = this.#cache;
    if (cache !== undefined && found.previousNode >= 0) {
      const stats = statusOf(canonicalFile);
      const row = stats?.isFile() === true ? cache.find(found.previousNode, stats, companion) : -1;
      if (row >= 0) {
        this.skills.push(new CachedSkill(this.#source, found, { cache, row }));
        return true;
      }
    }
    return this.#read(found, canonicalFile, companion);
  }

  #read(found: FoundSkill, canonicalFile: string, companion: FileStamp | undefined): boolean {
    try {
      // Before SKILL.md itself: both go through one buffer.
      const settings = companion === undefined ? undefined : this.#readCompanion(found);
      const { bytes, stats } = readSkillFile(canonicalFile);
      const place = { bytes, node: found.node, stamp: stampOf(stats), companion };
      if (stats.size > MAX_SKILL_BYTES) this.#refuse(tooLarge(this.#labelOf(found, found.file), stats.size));
      else if (!this.#skim(found, place))
        this.#load(this.#describe(found, canonicalFile, bytes, settings), place);
      return true;
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      if (found.probing || error.code === "file-not-found") return false;
      this.#refuse(unreadable(this.#labelOf(found, found.file), error));
      return true;
    }
  }

  // Nearly all skills: name and requirements now, the rest of the header when somebody asks.
  #skim(found: FoundSkill, place: ReadingPlace): boolean {
    if (place.companion !== undefined || found.file !== SKILL_FILE || this.#source.layout === "commands")
      return false;
    const skimmed = skimSkillBytes(place.bytes, { directoryName: directoryNameIn(this.#source, found) });
    if (skimmed === undefined) return false;
    const row = this.#writer.addSkimmed(skimmed, place, digestBytes(place.bytes));
    this.skills.push(new CachedSkill(this.#source, found, { cache: this.#writer, row }));
    this.changed = true;
    return true;
  }

  #load(input: SkillBytes, place: ReadingPlace): void {
    const { skill, diagnostics } = loadSkill(input);
    if (skill === undefined) {
      this.failed++;
      this.diagnostics.push(...diagnostics);
      return;
    }
    this.skills.push(skill);
    this.changed = true;
    this.#writer.addFresh({ skill, ...place });
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
