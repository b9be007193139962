import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  type AllowedPlugin,
  LocalSource,
  openSkills,
  resolveHome,
  type Selector,
  type Skill,
  type SkillResolution,
  type Skills,
  type SkillToVet,
  type Snapshot,
  type ToolRoots,
} from "@skillet/core";
import { readAgentMade } from "@skillet/core/internal";
import { type FindInstalled, installedSources, linkedFolders } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { fieldOf, parseJson, textOf } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { DEFAULT_SCAN_LIMITS, type FileScan, RULE_SET, ScanningVetter, type Vetter } from "@skillet/scan";
import { loadScanning } from "../load-beside.ts";
import { createCountLine, MIN_SCANNED } from "../ui/progress-bar.ts";
import { hang, showSentence } from "../ui/text.ts";
import { CliError, didYouMean, onSkilletError, refusalError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { openServer } from "./open-server.ts";
import { type ParsedRules, parseUserRules, readUserRules } from "./user-rules.ts";

export async function openRegistry(
  context: CommandContext,
  {
    cached = true,
    toolRoot,
    plugins = [],
    servers = false,
    beside,
  }: {
    /** False: the cache is not used, so a search takes longer but writes nothing. */
    readonly cached?: boolean | undefined;
    readonly toolRoot?: ToolRoots | undefined;
    /** Plugins that the user allowed something for. */
    readonly plugins?: readonly AllowedPlugin[] | undefined;
    /** Whether to ask configured servers for their skills, for commands about what sessions offer. */
    readonly servers?: boolean;
    /** A folder to treat as if its skill were installed and trusted. */
    readonly beside?: string;
  } = {},
): Promise<Skills> {
  requireFolders(context);
  let ruleSet = RULE_SET;
  const { workspace, environment } = context;
  const { home } = resolveHome(environment);
  const linked = await orWarned(context, () => linkedFolders(home), []);
  const agentFolders = await orWarned(context, () => readAgentMade(home), []);
  const skills: Skills = await openSkills({
    workspace,
    environment,
    ...(context.skillsRoots.length > 0 && { roots: context.skillsRoots }),
    ...(servers && { openServer: (label, server) => openServer(context, label, server) }),
    ...(beside !== undefined && { sources: [new LocalSource(beside)] }),
    ...(toolRoot !== undefined && { toolRoot }),
    ...(!cached && { cacheDirectory: false }),
    ...(linked.length > 0 && { linkedFolders: linked }),
    ...(agentFolders.length > 0 && { agentFolders }),
    ...(plugins.length > 0 && { plugins: async () => plugins }),
    vetter: {
      // The scanner's own rules until the user's are read, which happens before anything is judged.
      get ruleSet() {
        return ruleSet;
      },
      // Created when the first session asks, because listing skills judges none.
      vet: async (judged, options) => {
        const vetter = await openVetter(context, skills);
        ruleSet = vetter.ruleSet;
        return vetter.vet(judged, options);
      },
    },
  });
  return skills;
}

/** Opens the registry; undefined if the config, a folder or the trust store is broken. */
export async function openIfPossible(
  context: CommandContext,
  onFailure: (error: Error) => void = () => undefined,
): Promise<Skills | undefined> {
  try {
    return await openRegistry(context);
  } catch (error) {
    if (!SkilletError.isInstance(error) && !(error instanceof CliError)) throw error;
    onFailure(error);
    return undefined;
  }
}

/** Reads a lock; if that fails, warns the user and treats the lock as empty. */
export async function orWarned<Read>(
  { terminal }: Pick<CommandContext, "terminal">,
  read: () => Read | Promise<Read>,
  otherwise: Read,
): Promise<Read> {
  const warned = onSkilletError(({ message, data }) => {
    if (isNews(terminal, textOf(data, "file") ?? message))
      terminal.warn(hang(showSentence(message, terminal.environment), terminal.errors));
    return otherwise;
  });
  return Promise.resolve().then(read).catch(warned);
}

// A command reads the same lock for several reasons.
const told = new WeakMap<object, Set<string>>();

/** Whether this command has yet to report a broken file; calling it marks the file as reported. */
export function isNews(terminal: CommandContext["terminal"], file: string): boolean {
  const said = told.get(terminal) ?? new Set();
  told.set(terminal, said);
  return said.size < said.add(file).size;
}

export function requireFolders({ workspace, skillsRoots }: CommandContext): void {
  for (const path of [workspace, ...skillsRoots]) {
    const problem = folderProblem(path);
    const hints = ["Pass a folder that exists and that you may enter."];
    if (problem !== undefined) throw new CliError("folder-missing", problem, { hints, details: { path } });
  }
}

function folderProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : `${path} is not a folder.`;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return `There is no folder ${path}.`;
    if (["EACCES", "ELOOP", "ENAMETOOLONG"].includes(code)) return `${path} cannot be entered (${code}).`;
    throw error;
  }
}

const opened = new WeakMap<Skills, Promise<Vetter>>();

/** Shares one vetter among a registry's sessions; it loads the scanner when it meets an unknown skill. */
export function openVetter(context: CommandContext, skills: Skills): Promise<Vetter> {
  const vetter = opened.get(skills) ?? createVetter(context, skills);
  opened.set(skills, vetter);
  return vetter;
}

export function toVet(skills: Skills, skill: Skill): SkillToVet {
  const { qualifiedName: name, scope, origin, path, digest: shown } = skill;
  const read: SkillToVet["read"] = (bounds) => skills.reader.readContent(skill, bounds);
  return { name, scope, origin, path, shown, stamp: () => skills.reader.stamp(skill), read };
}

/** Asks no reader: verdicts from `install` and `scan --judge` are known by digest. */
export async function createVetter(context: CommandContext, skills: Skills): Promise<Vetter> {
  const { home } = skills;
  const { trustedSources, rules, falseAlarms } = skills.config.config.scan;
  const findInstalled = await readInstalled(context, skills);
  const { terminal } = context;
  const line = createCountLine({ terminal, least: MIN_SCANNED }, "Scanning skills before they are shown");
  return new ScanningVetter({
    home,
    cacheDirectory: join(home, "cache"),
    clock: Date.now,
    trustedSources,
    falseAlarms,
    sourceOf: ({ path }) => findInstalled(path)?.originSource,
    scan: await openScan(home, rules),
    onProgress: ({ done, total, name }) => {
      line.show(done, total, name);
      if (done === total) line.clear();
    },
  });
}

/** Reports where installed skills came from; an unreadable lock means that no source is known or trusted. */
export function readInstalled(
  context: Pick<CommandContext, "terminal">,
  { home, config }: Pick<Skills, "home" | "config">,
): Promise<FindInstalled> {
  const { trustedSources } = config.config.scan;
  return orWarned(
    context,
    () => installedSources({ home, trustedSources }),
    () => undefined,
  );
}

/** Scans by the scanner's rules and the user's, which are parsed when the first skill is scanned. */
export async function openScan(home: string, packs: readonly string[]): Promise<FileScan> {
  const userRules = await readUserRules({ home, packs });
  const { ruleSet } = userRules;
  let parsed: ParsedRules | undefined;
  const rules = (): ParsedRules => {
    parsed ??= parseUserRules(userRules);
    return parsed;
  };
  return {
    ruleSet,
    bounds: DEFAULT_SCAN_LIMITS,
    prepare: async () => void rules(),
    run: async (files, options) => {
      const { packs, suppressions } = rules();
      const report = await loadScanning().scanSkill(files, { ...options, packs, suppressions });
      // The scanner beside this command may be another build with other rules.
      return report.ruleSet === RULE_SET ? { ...report, ruleSet } : report;
    },
  };
}

export async function openSelector(context: CommandContext, skills: Skills): Promise<Selector> {
  const line = createCountLine(context, "Reading skills for the index");
  try {
    return await skills.selector({ onProgress: line.show });
  } finally {
    line.clear();
  }
}

export function resolveSkill(skills: Skills, name: string, workspace: string): Skill {
  const found = lookUpSkill(skills, name, workspace);
  if (found.kind === "found") return found.skill;
  if (found.kind === "ambiguous") {
    const candidates = found.candidates.map(({ qualifiedName, path }) => ({ qualifiedName, path }));
    throw refusalError("skill-ambiguous", `'${name}' means more than one skill.`, { name, candidates }, [
      "Use one of these instead:",
      ...candidates.map(({ qualifiedName, path }) => `  ${qualifiedName}  (${path})`),
    ]);
  }
  const { suggestions } = found;
  const names = skillsOfPlugin(skills.snapshot, name);
  if (names.length > 0)
    throw refusalError("skill-unknown", `'${name}' is a plugin, not a skill.`, { name, suggestions: names }, [
      `Name one of its skills: ${names.join(", ")}`,
    ]);
  const diagnostics = findFailures(skills.snapshot, name, workspace);
  if (diagnostics.length > 0) {
    const hints = [`See why: skillet explain ${shellArgument(name)}`];
    const message = `'${name}' was found, but not loaded.`;
    throw refusalError("skill-not-loaded", message, { name, diagnostics }, hints);
  }
  const hints = wasRemoved(skills.home, name)
    ? [`It was removed. To bring it back: skillet enable ${shellArgument(name)}`]
    : (elsewhereHints(name, workspace) ?? didYouMean(suggestions, "See what there is: skillet show"));
  throw refusalError("skill-unknown", `There is no skill '${name}'.`, { name, suggestions }, hints);
}

export function skillsOfPlugin({ skills }: Snapshot, name: string): readonly string[] {
  return skills.flatMap(({ plugin, qualifiedName }) => (plugin === name ? [qualifiedName] : []));
}

/** Says how to pass a skill that was given by path but is outside the searched folders. */
function elsewhereHints(name: string, workspace: string): readonly string[] | undefined {
  const path = resolve(workspace, name);
  const folder = basename(path) === "SKILL.md" ? dirname(path) : path;
  if (!name.includes("/") || !existsSync(join(folder, "SKILL.md"))) return undefined;
  const words = [basename(folder), "--skills-root", folder].map(shellArgument).join(" ");
  return ["Skills are not looked for there. Write in place of the path:", `  ${words}`];
}

/** Whether a skill of this name is in the store, where `enable` can restore it. */
function wasRemoved(home: string, name: string): boolean {
  const bytes = readBoundedFile(join(home, "disabled.json"), { maxBytes: 16 * 1024 * 1024 });
  const records = bytes === undefined ? [] : fieldOf(parseJson(bytes), "records");
  return (
    Array.isArray(records) &&
    records.some((one) => textOf(one, "skill") === name && existsSync(textOf(one, "to") ?? ""))
  );
}

/** Looks up a name or a path as the shell completes it: relative, and with a trailing slash. */
export function lookUpSkill(skills: Skills, name: string, workspace: string): SkillResolution {
  const found = skills.find(name);
  if (found.kind !== "unknown" || !name.includes("/")) return found;
  const path = resolve(workspace, name);
  const resolved = skills.find(path);
  if (resolved.kind !== "unknown") return resolved;
  const isCopy = (file: string): boolean => file === path || dirname(file) === path;
  const skill = skills.snapshot.skills.find(({ alsoAt }) => alsoAt.some(isCopy));
  return skill === undefined ? found : { kind: "found", skill };
}

/** Undefined if no skill matches; an ambiguous name ends the command. */
export function findSkill(skills: Skills, name: string, workspace: string): Skill | undefined {
  const found = lookUpSkill(skills, name, workspace);
  return found.kind === "unknown" ? undefined : resolveSkill(skills, name, workspace);
}

export function findFailures(snapshot: Snapshot, name: string, workspace: string): readonly Diagnostic[] {
  const path = name.includes("/") ? resolve(workspace, name) : undefined;
  return snapshot.diagnostics.filter(({ file }) => {
    const folder = dirname(file);
    if (path !== undefined) return file === path || folder === path;
    // A command is named by its file; for an unreadable folder, `file` is the folder itself.
    return basename(folder) === name || basename(file) === name || basename(file) === `${name}.md`;
  });
}
