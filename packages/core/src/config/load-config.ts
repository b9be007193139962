import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { statusOf } from "@skillet/kit/files";
import {
  type Config,
  configPath,
  defaultConfig,
  POLICY_MODES,
  type PolicyMode,
  projectConfigPath,
} from "./config.ts";
import type { ConfigLayer } from "./config-layer.ts";
import { configInvalid, type FoundProblem } from "./config-problem.ts";
import { mergeLayer } from "./merge-layer.ts";
import { readConfigFile } from "./read-config-file.ts";
import { type LayerReading, readLayer, readLayerText } from "./read-layer.ts";
import { restrictLayer } from "./restrict-layer.ts";

/** Where configuration is looked for. */
export interface LoadConfigOptions {
  /** Skillet's own folder. */
  readonly home: string;
  /** The value of `~`; default `HOME`, else the operating system's answer. */
  readonly userHome?: string;
  /** Default: the platform's location, such as `/etc/skillet`; `false` for none. */
  readonly organisationDirectory?: string | false;
  /** The project's root, if there is a project. */
  readonly workspaceRoot?: string;
  /** If false, the project's config is not even opened. */
  readonly projectTrusted: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Has the shape of a config file; relative paths are relative to the working directory. */
  readonly flags?: ConfigFlags;
  /** A host's values, instead of all files and variables but the organisation's; paths relative to `from`. */
  readonly given?: { readonly values: ConfigFlags | false; readonly from: string } | undefined;
}

/** Values from a command line or a host; checked like those of a file. */
export type ConfigFlags = { readonly [Section in keyof Config]?: Readonly<Record<string, unknown>> };

/** The merged configuration, its layers, and warnings about them. */
export interface LoadedConfig {
  readonly config: Config;
  /** Weakest first, without the defaults. */
  readonly layers: readonly ConfigLayer[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Loads the configuration: defaults, organisation, user, project, environment and flags, in this order.
 *
 * Throws `config-invalid` with all problems. Unknown keys, and those a project may not set, are warnings.
 *
 * @example
 * const { config, layers } = loadConfig({ home, workspaceRoot, projectTrusted, environment: process.env });
 * const enablement = createEnablement(layers);
 */
export function loadConfig(options: LoadConfigOptions): LoadedConfig {
  const problems: FoundProblem[] = [];
  const diagnostics: Diagnostic[] = [];
  const readings = readLayers(options, problems, diagnostics);
  const all = problems.concat(...readings.map((reading) => reading.problems));
  if (all.length > 0) throw configInvalid(all);

  let config = defaultConfig(options.home);
  let leastMode: PolicyMode = "default";
  const layers: ConfigLayer[] = [];
  for (const reading of readings) {
    const restricted = restrictLayer(reading.layer, { config, leastMode });
    diagnostics.push(...capDiagnostics([...reading.diagnostics, ...restricted.diagnostics]));
    layers.push(restricted.layer);
    config = mergeLayer(config, restricted.layer);
    leastMode = stricter(leastMode, restricted.layer);
  }
  return { config, layers, diagnostics };
}

function readLayers(
  options: LoadConfigOptions,
  problems: FoundProblem[],
  diagnostics: Diagnostic[],
): LayerReading[] {
  const { environment, flags, home, workspaceRoot, given } = options;
  const userHome = options.userHome ?? (environment.HOME || environment.USERPROFILE || homedir());
  const organisation = options.organisationDirectory ?? organisationDirectory(process.platform, environment);
  const readings: LayerReading[] = [];
  const addFile = (kind: "organisation" | "user" | "project", file: string, inside?: string): void => {
    const { text, problem } = readConfigFile(file, { ...(inside !== undefined && { inside }) });
    if (problem !== undefined) problems.push(problem);
    if (text === undefined) return;
    readings.push(readLayerText(text, { kind, file, label: file, baseDirectory: dirname(file), userHome }));
  };

  if (organisation !== false) addFile("organisation", join(organisation, "config.yaml"));
  if (given !== undefined) {
    const label = "`config` of openSkills";
    const source = { kind: "flags", label, baseDirectory: given.from, userHome } as const;
    if (given.values !== false) readings.push(readLayer(given.values, source));
    return readings;
  }
  addFile("user", configPath(home));
  if (workspaceRoot !== undefined && !isSameFile(projectConfigPath(workspaceRoot), configPath(home))) {
    const file = projectConfigPath(workspaceRoot);
    if (options.projectTrusted) addFile("project", file, workspaceRoot);
    else diagnostics.push(...noteUnread(file));
  }
  const baseDirectory = resolve();
  const fromEnvironment = environmentValues(environment);
  if (fromEnvironment !== undefined)
    readings.push(
      readLayer(fromEnvironment, { kind: "environment", label: "environment", baseDirectory, userHome }),
    );
  if (flags !== undefined)
    readings.push(readLayer(flags, { kind: "flags", label: "flags", baseDirectory, userHome }));
  return readings;
}

// A shell in the home folder would otherwise read the user's own file again as a project's.
function isSameFile(left: string, right: string): boolean {
  if (resolve(left) === resolve(right)) return true;
  const [one, other] = [statusOf(left), statusOf(right)];
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

function noteUnread(file: string): Diagnostic[] {
  // A project's files must not stop a command; reading the file reports what is wrong with it.
  if (statusOf(file) === undefined) return [];
  const message = "the project's configuration is not read, because its folder is not trusted";
  return [diagnostic("info", "config-untrusted", file, message, "run: skillet trust")];
}

// A user may override their own mode by a flag, but not the organisation's or the project's.
function stricter(mode: PolicyMode, layer: ConfigLayer): PolicyMode {
  const own = layer.values.policy?.mode;
  if (own === undefined || (layer.kind !== "organisation" && layer.kind !== "project")) return mode;
  return POLICY_MODES.indexOf(own) > POLICY_MODES.indexOf(mode) ? own : mode;
}

const MAX_PER_LAYER = 50;

/** The first diagnostics of a layer, and one that counts the rest; a file can have tens of thousands. */
function capDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unlisted = diagnostics.length - MAX_PER_LAYER;
  const last = diagnostics[MAX_PER_LAYER - 1];
  if (unlisted <= 0 || last === undefined) return diagnostics;
  const message = `${unlisted} more warnings about this file are not listed`;
  const hint = "repair the ones above first";
  const rest = diagnostic("warning", "config-more-warnings", last.file, message, hint);
  return [...diagnostics.slice(0, MAX_PER_LAYER), rest];
}

/** `SKILLET_DISABLED` and `SKILLET_PRECEDENCE`, comma-separated lists; undefined if neither is set. */
function environmentValues(environment: Readonly<Record<string, string | undefined>>): object | undefined {
  const disabled = splitList(environment.SKILLET_DISABLED);
  const precedence = splitList(environment.SKILLET_PRECEDENCE);
  if (disabled.length === 0 && precedence.length === 0) return undefined;
  const overrides = Object.fromEntries(disabled.map((name) => [name, { enabled: false }]));
  return {
    skills: { ...(disabled.length > 0 && { overrides }), ...(precedence.length > 0 && { precedence }) },
  };
}

function splitList(text: string | undefined): string[] {
  const items = (text ?? "").split(",").map((item) => item.trim());
  return items.filter((item) => item !== "");
}

/** Where administrators put configuration and skills for every user of a machine. */
export function organisationDirectory(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (platform === "win32") return `${environment.ProgramData ?? "C:\\ProgramData"}\\skillet`;
  return platform === "darwin" ? "/Library/Application Support/skillet" : "/etc/skillet";
}
