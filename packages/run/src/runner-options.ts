import { lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { resolveHome } from "@skillet/core";
import { parseScriptReference } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { type NetworkGrant, parseNetworkGrant } from "./network/network-grant.ts";
import { MAX_TIMEOUT_MS, type RunLimits, resolveRunLimits } from "./run-limits.ts";
import { folderRefusal, homeRefusal, userHomes } from "./sandbox/folder-refusal.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

const MAX_ENTRIES = 1000;
const MAX_ENTRY_CHARACTERS = 4096;

/** The operator's settings for a runner. */
export interface RunnerOptions {
  /** Default: bubblewrap on Linux, seatbelt on macOS; elsewhere every script is refused. */
  readonly sandbox?: Sandbox;
  /** `timeoutMs` is the most that any call gets, even if it asks for more. */
  readonly limits?: Partial<RunLimits> & { readonly concurrentRuns?: number };
  /** The scripts that may run, each exactly `skill:scripts/path`. */
  readonly allow?: readonly string[];
  /** Hosts that scripts may reach: `api.example.org`, `api.example.org:8443`, `*.example.org`. */
  readonly network?: readonly string[];
  /** Absolute folders that scripts may write to; the workspace is read-only unless listed. */
  readonly writable?: readonly string[];
  /** Skillet's own folder; default: `SKILLET_HOME`, else `~/.skillet`. */
  readonly home?: string;
  readonly clock?: () => Date;
}

export interface RunnerSettings extends Required<Omit<RunnerOptions, "sandbox" | "limits" | "network">> {
  readonly sandbox: Sandbox | undefined;
  readonly limits: RunLimits;
  readonly maxTimeoutMs: number;
  readonly concurrentRuns: number;
  readonly network: readonly NetworkGrant[];
  readonly directory: string;
}

/** Checks a runner's options, and throws a SkilletError for the first invalid one. */
export function resolveRunnerOptions(options: RunnerOptions): RunnerSettings {
  const { concurrentRuns, ...limits } = resolveRunLimits(options.limits ?? {});
  const home = canonicalPath(resolveHome(process.env, { home: options.home }).home);
  return {
    sandbox: options.sandbox,
    limits,
    maxTimeoutMs: options.limits?.timeoutMs ?? MAX_TIMEOUT_MS,
    concurrentRuns,
    allow: bounded("allow", options.allow).map(checkAllowEntry),
    network: bounded("network", options.network).map(parseNetworkGrant),
    writable: [
      ...new Set(bounded("writable", options.writable).map((folder) => checkWritable(folder, home))),
    ],
    home,
    directory: join(home, "cache", "staged"),
    clock: options.clock ?? (() => new Date()),
  };
}

function bounded(name: string, entries: readonly string[] = []): readonly string[] {
  if (entries.length <= MAX_ENTRIES && entries.every((entry) => entry.length <= MAX_ENTRY_CHARACTERS))
    return entries;
  const message = `The option ${name} allows at most ${MAX_ENTRIES} entries of ${MAX_ENTRY_CHARACTERS} characters each.`;
  throw new SkilletError("runner-option-too-long", message, { data: { name } });
}

function checkAllowEntry(entry: string): string {
  if (parseScriptReference(entry) !== undefined) return entry;
  const shown = entry.slice(0, 200);
  const message = `${JSON.stringify(shown)} does not name a script; write exactly skill:scripts/path, without wildcards.`;
  throw new SkilletError("script-name-invalid", message, { data: { script: shown } });
}

function checkWritable(given: string, home: string): string {
  if (!isAbsolute(given)) throw notWritable(given, "it is not an absolute path");
  const folder = canonicalPath(given);
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) throw notWritable(given, "it is not an existing folder");
  const refusal = folderRefusal(folder) ?? homeRefusal(folder, userHomes());
  if (refusal !== undefined) throw notWritable(given, refusal);
  // Skillet's folder holds the skills, trust decisions, the audit log and the staged copies.
  if (isInside(home, folder) || isInside(folder, home))
    throw notWritable(given, `Skillet keeps its own files in ${home}`);
  return folder;
}

function notWritable(folder: string, why: string): SkilletError {
  const message = `Scripts cannot be given write access to ${JSON.stringify(folder)}: ${why}. Pass the absolute path of a project's folder.`;
  return new SkilletError("writable-folder-refused", message, { data: { folder } });
}
