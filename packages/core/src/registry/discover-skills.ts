import { statSync } from "node:fs";
import { homedir } from "node:os";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { leadsNowhere } from "@skillet/kit/files";
import { LocalSource } from "../source/local/local-source.ts";
import { type Availability, createAvailability } from "./availability/create-availability.ts";
import { composeSnapshot, type IsEnabled, type ScannedRoot } from "./compose/compose-snapshot.ts";
import { scanLocal } from "./scan/scan-local.ts";
import { type SourceScan, scanSource } from "./scan/scan-source.ts";
import type { SkillRoot } from "./skill-root.ts";
import type { Snapshot } from "./snapshot.ts";

/** Where to search, and the rules for the states of skills. */
export interface DiscoverOptions {
  /** Highest precedence first. */
  readonly roots: readonly SkillRoot[];
  /** Where scans of local roots are kept; without it every file is read. */
  readonly cacheDirectory?: string;
  readonly availability?: Availability;
  readonly enablement?: IsEnabled;
  /** The time by which files count as settled; default: the real time. */
  readonly clock?: () => number;
  readonly signal?: AbortSignal;
}

/**
 * Searches roots and composes one snapshot; one bad skill never affects its siblings.
 *
 * @example
 * const source = new LocalSource("./skills");
 * const snapshot = await discoverSkills({
 *   roots: [{ scope: "explicit", origin: "local", source, path: "./skills", trust: { kind: "trusted" } }],
 * });
 */
export async function discoverSkills(options: DiscoverOptions): Promise<Snapshot> {
  checkIds(options.roots);
  const now = (options.clock ?? Date.now)();
  const scanned: ScannedRoot[] = [];
  for (const root of options.roots) scanned.push(await scanRoot(root, options, now));
  return composeSnapshot(scanned, {
    availability: options.availability ?? defaultAvailability(),
    enablement: options.enablement,
  });
}

const NOTHING: SourceScan = { skills: [], diagnostics: [], failed: 0, followedLinks: false, plugins: [] };

async function scanRoot(root: SkillRoot, options: DiscoverOptions, now: number): Promise<ScannedRoot> {
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  if (root.refusal !== undefined)
    return { root, state: "unreadable", scan: { ...NOTHING, diagnostics: [root.refusal] } };
  if (!(root.source instanceof LocalSource)) return scanForeign(root, signal);
  const state = stateOf(root.source.canonicalRoot);
  if (state === "missing") return { root, state, scan: NOTHING };
  if (state === "unreadable")
    return { root, state, scan: unreadable(root.path, "it is not a folder that can be read") };
  const scan = await scanLocal(root, root.source, { ...signal, cacheDirectory: options.cacheDirectory, now });
  return { root, state, scan };
}

// A server that is down takes only its own skills away.
async function scanForeign(root: SkillRoot, signal: { readonly signal?: AbortSignal }): Promise<ScannedRoot> {
  try {
    return { root, state: "scanned", scan: await scanSource(root, signal) };
  } catch (error) {
    signal.signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { root, state: "unreadable", scan: unreadable(root.path, `its source failed: ${reason}`) };
  }
}

function checkIds(roots: readonly SkillRoot[]): void {
  const seen = new Set<string>();
  for (const { source, refusal } of roots) {
    if (refusal !== undefined) continue;
    if (seen.has(source.id))
      throw new SkilletError(
        "source-id-duplicate",
        `Two sources have the id ${source.id}; give each an id of its own.`,
        {
          data: { id: source.id },
        },
      );
    seen.add(source.id);
  }
}

function stateOf(path: string): ScannedRoot["state"] {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "missing";
    return stats.isDirectory() ? "scanned" : "unreadable";
  } catch (error) {
    if (!leadsNowhere(error)) throw error;
    return errorCode(error) === "ENOTDIR" ? "missing" : "unreadable";
  }
}

function unreadable(path: string, reason: string): SourceScan {
  return {
    ...NOTHING,
    diagnostics: [
      {
        code: "unreadable-root",
        severity: "error",
        message: `The root could not be searched: ${reason}.`,
        file: path,
        hint: "Point the root at a folder that you may read, or see to its source, then reload.",
      },
    ],
  };
}

function defaultAvailability(): Availability {
  return createAvailability({ platform: process.platform, environment: process.env, userHome: homedir() });
}
