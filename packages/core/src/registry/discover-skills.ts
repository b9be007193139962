import { statSync } from "node:fs";
import { homedir } from "node:os";
import { errorCode } from "../error-code.ts";
import { LocalSource } from "../source/local/local-source.ts";
import { type Availability, createAvailability } from "./availability/create-availability.ts";
import { composeSnapshot } from "./compose/compose-snapshot.ts";
import type { ScannedRoot } from "./compose/scanned-root.ts";
import type { Enablement } from "./compose/withhold.ts";
import { scanLocal } from "./scan/scan-local.ts";
import { scanSource } from "./scan/scan-source.ts";
import type { SourceScan } from "./scan/scanned-skill.ts";
import type { SkillRoot } from "./skill-root.ts";
import type { Snapshot } from "./snapshot.ts";

/** What to search, and by which rules the outcome is judged. */
export interface DiscoverOptions {
  /** Highest precedence first. */
  readonly roots: readonly SkillRoot[];
  /** Where scans of local roots are kept; without it every file is read. */
  readonly cacheDirectory?: string;
  readonly availability?: Availability;
  readonly enablement?: Enablement;
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
  if (!(root.source instanceof LocalSource))
    return { root, state: "scanned", scan: await scanSource(root.source, signal) };
  const state = stateOf(root.source.canonicalRoot);
  if (state !== "scanned")
    return { root, state, scan: state === "missing" ? NOTHING : unreadable(root.path) };
  return {
    root,
    state,
    scan: await scanLocal(root.source, { ...signal, cacheDirectory: options.cacheDirectory, now }),
  };
}

function stateOf(path: string): ScannedRoot["state"] {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "missing";
    return stats.isDirectory() ? "scanned" : "unreadable";
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "ELOOP") return "unreadable";
    if (code === "ENOTDIR") return "missing";
    throw error;
  }
}

function unreadable(path: string): SourceScan {
  return {
    ...NOTHING,
    diagnostics: [
      {
        code: "unreadable-root",
        severity: "error",
        message: "The root is not a folder that can be read.",
        file: path,
        hint: "Point the root at a folder, or give yourself permission to read it.",
      },
    ],
  };
}

function defaultAvailability(): Availability {
  return createAvailability({ platform: process.platform, environment: process.env, userHome: homedir() });
}
