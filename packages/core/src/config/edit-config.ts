import { existsSync, lstatSync } from "node:fs";
import { realpath, rm, rmdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { ensureHome, isInside, makeFolders, withFileLock, writeAtomic } from "@skillet/kit/files";
import { plainValue } from "@skillet/kit/located";
import type { Document } from "yaml";
import { parseKeyPath } from "../format/key-path.ts";
import { composeYaml, locateYaml } from "../format/locate-yaml.ts";
import { createRenderer } from "../format/render-yaml.ts";
import { removeValue, setValue } from "../format/yaml-edit.ts";
import { type Config, configPath, defaultConfig, projectConfigPath } from "./config.ts";
import type { ConfigLayer } from "./config-layer.ts";
import { configInvalid, type FoundProblem } from "./config-problem.ts";
import { MAX_CONFIG_BYTES, readConfigFile } from "./read-config-file.ts";
import { type LayerReading, readLayerText } from "./read-layer.ts";
import { restrictLayer } from "./restrict-layer.ts";

export interface ConfigTarget {
  readonly home: string;
  readonly layer: "user" | "project";
  readonly projectRoot?: string | undefined;
  /** The value of `~`; default: the operating system's answer. */
  readonly userHome?: string;
}

export interface ConfigChange {
  readonly file: string;
  readonly changed: boolean;
}

/** What relative paths in a config file, and paths with `~`, are based on. */
export interface ConfigPlace {
  readonly baseDirectory: string;
  readonly userHome: string;
}

export interface ConfigDraft {
  readonly file: string;
  readonly document: Document.Parsed;
  readonly place: ConfigPlace;
  readonly read: () => ConfigLayer;
}

/**
 * Writes nothing unless the result loads, every key is known and, in a project, allowed. In a file that does
 * not load, values can be repaired one by one.
 */
export async function editConfig(
  target: ConfigTarget,
  edit: (draft: ConfigDraft) => void,
): Promise<ConfigChange> {
  const { file, inside, isNew } = await prepare(target);
  const change = await withFileLock(`${file}.lock`, () => editLocked(target, file, inside, edit));
  // Removes a project's folder again if it was created for a file that is not there.
  if ((isNew || change.changed) && !existsSync(file))
    await rmdir(dirname(file)).catch(undefinedOn("ENOENT", "ENOTEMPTY", "EEXIST"));
  return change;
}

async function prepare(target: ConfigTarget): Promise<{ file: string; inside?: string; isNew: boolean }> {
  if (target.layer === "user") {
    await ensureHome(target.home);
    return { file: configPath(target.home), isNew: false };
  }
  const { projectRoot } = target;
  if (projectRoot === undefined) {
    const message =
      "There is no project here whose configuration could be changed; run this in a project's folder.";
    throw new SkilletError("no-project", message);
  }
  const file = projectConfigPath(projectRoot);
  const isNew = !existsSync(dirname(file));
  await makeInside(dirname(file), projectRoot);
  return { file, inside: projectRoot, isNew };
}

async function makeInside(folder: string, projectRoot: string): Promise<void> {
  try {
    makeFolders(folder);
    if (isInside(await realpath(folder), await realpath(projectRoot))) return;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const message = `${folder} cannot be used (${code}), so nothing was written; make it a folder that you can write.`;
    throw new SkilletError("file-unwritable", message, { data: { path: folder, errno: code }, cause: error });
  }
  const message = `${folder} is a link that leads out of ${projectRoot}, so nothing was written; replace it by a folder.`;
  throw new SkilletError("link-refused", message, { data: { path: folder } });
}

async function editLocked(
  target: ConfigTarget,
  file: string,
  inside: string | undefined,
  edit: (draft: ConfigDraft) => void,
): Promise<ConfigChange> {
  const { text: original = "", problem } = readConfigFile(file, { ...(inside !== undefined && { inside }) });
  if (problem !== undefined) throw configInvalid([problem]);
  const before = readText(original, file, target);
  const composed = composeYaml(original);
  if (!("document" in composed)) throw configInvalid([{ file, text: original, ...composed }]);
  // Text that is not YAML cannot be written back.
  if (composed.faults.length > 0) throw configInvalid(before.problems);
  const render = createRenderer(composed, original);
  edit({
    file,
    document: composed.document,
    place: placeOf(file, target),
    read: () => {
      const { layer, problems } = readText(render(), file, target);
      if (problems.length > 0) throw configInvalid(problems);
      return layer;
    },
  });
  const text = render();
  if (text === original) return { file, changed: false };
  const after = readText(text, file, target);
  refuseProblems(before.problems, after.problems);
  refuseNewFaults(before.diagnostics, after.diagnostics);
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    const message = `${file} would grow beyond ${MAX_CONFIG_BYTES} bytes, so it was not written; remove what is no longer needed.`;
    throw new SkilletError("file-too-large", message, { data: { path: file, maxBytes: MAX_CONFIG_BYTES } });
  }
  // An empty file is removed, as after `disable` and `enable`; a link that the user made stays.
  if (text === "{}\n" && lstatSync(file, { throwIfNoEntry: false })?.isFile()) await rm(file);
  else await writeAtomic(file, text, target.layer === "user" ? { mode: 0o600 } : {});
  return { file, changed: true };
}

function readText(text: string, file: string, target: ConfigTarget): LayerReading {
  const reading = readLayerText(text, { kind: target.layer, file, label: file, ...placeOf(file, target) });
  if (target.layer === "user") return reading;
  const below = { config: withoutLimits(target.home), leastMode: "default" } as const;
  const { layer, diagnostics } = restrictLayer(reading.layer, below);
  return { ...reading, layer, diagnostics: [...reading.diagnostics, ...diagnostics] };
}

function placeOf(file: string, target: ConfigTarget): ConfigPlace {
  return { baseDirectory: dirname(file), userHome: target.userHome ?? homedir() };
}

// A project may set any limit; whether it is lower than the user's is only known when both are loaded.
function withoutLimits(home: string): Config {
  const config = defaultConfig(home);
  const limits = { depth: Infinity, directories: Infinity, entries: Infinity };
  return { ...config, skills: { ...config.skills, scriptTimeout: Infinity, limits } };
}

function refuseProblems(before: readonly FoundProblem[], after: readonly FoundProblem[]): void {
  const known = new Set(before.map(({ message }) => message));
  const added = after.filter(({ message }) => !known.has(message));
  if (added.length > 0) throw configInvalid(added, "would have");
  // The file stays unchanged, so report the lines of the old text.
  if (after.length > 0 && after.length >= before.length) throw configInvalid(before);
}

function refuseNewFaults(before: readonly Diagnostic[], after: readonly Diagnostic[]): void {
  const known = new Set(before.map(({ message }) => message));
  const added = after.find(({ message }) => !known.has(message));
  if (added === undefined) return;
  const code = added.code === "config-unknown-key" ? "config-key-unknown" : "config-not-allowed";
  const { file, message, hint = "" } = added;
  const end = hint.endsWith("?") ? "" : ".";
  throw new SkilletError(code, `Nothing was written to ${file}: ${message}; ${hint}${end}`, {
    data: { file },
  });
}

/** Sets one value of a config file; if the value would not load, nothing is written. */
export async function setConfigValue(
  options: ConfigTarget & { readonly key: string; readonly value: unknown },
): Promise<ConfigChange> {
  const path = parseKeyPath(options.key);
  return editConfig(options, ({ document }) => setValue(document, path, options.value));
}

export async function unsetConfigValue(
  options: ConfigTarget & { readonly key: string },
): Promise<ConfigChange> {
  const path = parseKeyPath(options.key);
  return editConfig(options, ({ document }) => {
    removeValue(document, path);
  });
}

/** Reads a command-line value as YAML, so that `5000`, `true`, `[a, b]` and plain text all work. */
export function parseConfigValue(text: string): unknown {
  const { root, faults } = locateYaml(text);
  const [fault] = faults;
  if (fault === undefined) return plainValue(root);
  const message = `${JSON.stringify(text)} is not a value: ${fault.message}. Put quotes around text with special characters.`;
  throw new SkilletError("config-value-invalid", message, { data: { text } });
}
