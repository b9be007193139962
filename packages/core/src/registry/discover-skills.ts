import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside, leadsNowhere } from "@skillet/kit/files";
import { LocalSource } from "../source/local/local-source.ts";
import { type Availability, createAvailability } from "./availability/create-availability.ts";
import { composeSnapshot, type IsEnabled, type ScannedRoot } from "./compose/compose-snapshot.ts";
import { isRootManifest } from "./compose/read-plugins.ts";
import { scanLocal } from "./scan/scan-local.ts";
import { type SourceScan, scanSource } from "./scan/scan-source.ts";
import type { SkillRoot } from "./skill-root.ts";
import type { Snapshot } from "./snapshot.ts";

/** Where to search, and what decides the states of skills. */
export interface DiscoverOptions {
  /** Highest precedence first. */
  readonly roots: readonly SkillRoot[];
  /** Caches scans of local roots; without it every file is read. */
  readonly cacheDirectory?: string;
  readonly availability?: Availability;
  readonly enablement?: IsEnabled;
  /** The time by which files count as settled; default: the real time. */
  readonly clock?: () => number;
  readonly signal?: AbortSignal | undefined;
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
  return (await discover(options)).snapshot;
}

/** `discoverSkills` with the searched roots: the given ones, and commands of plugins found in them. */
export async function discover(
  options: DiscoverOptions,
): Promise<{ readonly snapshot: Snapshot; readonly searched: readonly SkillRoot[] }> {
  checkIds(options.roots);
  const { cacheDirectory: _, ...uncached } = options;
  const now = (options.clock ?? Date.now)();
  const scanned: ScannedRoot[] = [];
  const strangers: ScannedRoot[] = [];
  // A folder that was refused as a project's link target is still searched at its own place.
  const seen = new Set(options.roots.flatMap((root) => (root.refusal === undefined ? [root.source.id] : [])));
  for (const root of options.roots) {
    const found = [await scanRoot(root, options, now)];
    // A folder with two links is searched twice, as its links decide which agents read it, but listed once.
    for (const linked of found[0]?.scan.linked ?? []) {
      const { scan, ...rest } = await scanRoot(linked, uncached, now);
      const diagnostics = scan.diagnostics.filter(({ code }) => code !== "depth-limit");
      // A stranger's skill must not take a name from one of the user's own.
      const list = linked.origin === "community" ? strangers : found;
      list.push({ ...rest, scan: { ...scan, diagnostics } });
    }
    scanned.push(...found);
    for (const { root: commands, commandsOf } of found.flatMap(commandRoots)) {
      // Several links may lead to the same plugin.
      if (seen.has(commands.source.id)) continue;
      if (commands.refusal === undefined) seen.add(commands.source.id);
      scanned.push({ ...(await scanRoot(commands, options, now)), commandsOf });
    }
  }
  scanned.push(...strangers);
  const snapshot = await composeSnapshot(scanned, {
    availability: options.availability ?? defaultAvailability(),
    enablement: options.enablement,
  });
  // A refused root may lead to the same place as another root.
  const searched = scanned.map(({ root }) => root).filter(({ refusal }) => refusal === undefined);
  return { snapshot, searched };
}

type CommandRoot = Required<Pick<ScannedRoot, "root" | "commandsOf">>;

/** The `commands/` folders of the plugins in a root: roots of their own, with its scope and trust. */
function commandRoots({ root, scan }: ScannedRoot): readonly CommandRoot[] {
  const { source } = root;
  if (!(source instanceof LocalSource)) return [];
  // Agent Plugins have no commands.
  const withCommands = scan.plugins.filter((plugin) => !isRootManifest(plugin));
  return withCommands.flatMap(({ path: folder }) => {
    const path = join(source.root, folder, "commands");
    const commands = new LocalSource(path, { layout: "commands", limits: source.limits });
    if (stateOf(commands.canonicalRoot) !== "scanned") return [];
    const isLinkedOut = !isInside(commands.canonicalRoot, canonicalPath(dirname(path)));
    const refusal = isLinkedOut && { refusal: leavesPlugin(path, commands.canonicalRoot) };
    return [{ root: { ...root, source: commands, path, ...refusal }, commandsOf: { root, folder } }];
  });
}

function leavesPlugin(file: string, target: string): Diagnostic {
  const message = `The folder of commands leads to ${target}, outside its plugin, and was not searched.`;
  const hint = "Keep the commands of a plugin in the plugin.";
  return diagnostic("warning", "link-outside-root", file, message, hint);
}

const NOTHING: SourceScan = { skills: [], diagnostics: [], failed: 0, plugins: [] };

async function scanRoot(root: SkillRoot, options: DiscoverOptions, now: number): Promise<ScannedRoot> {
  const { cacheDirectory, signal } = options;
  if (root.refusal !== undefined)
    return { root, state: "unreadable", scan: { ...NOTHING, diagnostics: [root.refusal] } };
  if (!(root.source instanceof LocalSource)) return scanForeign(root, { signal });
  const state = stateOf(root.source.canonicalRoot);
  // Most default locations do not exist; only an explicitly named one is reported.
  if (state === "missing" && root.scope !== "explicit") return { root, state, scan: NOTHING };
  if (state === "missing")
    return { root, state, scan: unreadable(root.path, "it does not exist", "warning") };
  if (state === "unreadable")
    return { root, state, scan: unreadable(root.path, "it is not a folder that can be read") };
  const scan = await scanLocal(root, root.source, { signal, cacheDirectory, now });
  if (root.notice === undefined) return { root, state, scan };
  return { root, state, scan: { ...scan, diagnostics: [root.notice, ...scan.diagnostics] } };
}

// A server that is down takes away only its own skills.
async function scanForeign(root: SkillRoot, options: Pick<DiscoverOptions, "signal">): Promise<ScannedRoot> {
  try {
    return { root, state: "scanned", scan: await scanSource(root, options) };
  } catch (error) {
    options.signal?.throwIfAborted();
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
    return { root, state: "unreadable", scan: unreadable(root.path, `its source failed: ${reason}`) };
  }
}

function checkIds(roots: readonly SkillRoot[]): void {
  const seen = new Set<string>();
  for (const { source, refusal } of roots) {
    if (refusal !== undefined) continue;
    const message = `Two sources have the id ${source.id}; give each an id of its own.`;
    if (seen.has(source.id))
      throw new SkilletError("source-id-duplicate", message, { data: { id: source.id } });
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

function unreadable(path: string, reason: string, severity: "error" | "warning" = "error"): SourceScan {
  const message = `The root could not be searched: ${reason}.`;
  const hint = "Point the root at a folder that you may read, or see to its source, then reload.";
  return { ...NOTHING, diagnostics: [diagnostic(severity, "unreadable-root", path, message, hint)] };
}

function defaultAvailability(): Availability {
  return createAvailability({ platform: process.platform, environment: process.env, userHome: homedir() });
}
