import { join } from "node:path";
import {
  compareByteOrder,
  type Digest,
  ensureHome,
  readBoundedFile,
  SkilletError,
  withFileLock,
  writeAtomic,
} from "@skillet/core";
import { asObject, parseJsonObject } from "../discover/json-object.ts";
import type { LockEntry } from "../lock/lock-entry.ts";

/** What of a plugin may run. */
export type Allowed = NonNullable<LockEntry["allowed"]>;

/** A plugin of one lock, with exactly these bytes. */
export interface AllowedPlugin {
  readonly lockFile: string;
  readonly name: string;
  readonly digest: Digest;
}

const MAX_ALLOWANCE_BYTES = 4 * 1024 * 1024;
const NOTHING: Allowed = { hooks: false, mcpServers: false };

/**
 * What a person on this machine allowed a plugin of a project to run.
 *
 * A project's lock comes with its repository, so that whoever writes it would allow himself; this is kept in Skillet's
 * own folder, by lock, name and digest, and holds for no other bytes.
 */
export function keptAllowance(home: string, plugin: AllowedPlugin): Allowed {
  const kept = readAllowances(home).get(keyOf(plugin));
  return kept ?? NOTHING;
}

/** Keeps what a person said about a plugin of a project. */
export async function keepAllowance(home: string, plugin: AllowedPlugin, allowed: Allowed): Promise<void> {
  await ensureHome(home);
  const file = pathOf(home);
  await withFileLock(`${file}.lock`, async () => {
    const kept = new Map(readAllowances(home));
    kept.delete(keyOf(plugin));
    if (allowed.hooks || allowed.mcpServers) kept.set(keyOf(plugin), allowed);
    const allowances = [...kept]
      .sort(([left], [right]) => compareByteOrder(left, right))
      .map(([key, value]) => {
        const [lock, name, digest] = JSON.parse(key) as [string, string, string];
        return { lock, name, digest, hooks: value.hooks, mcpServers: value.mcpServers };
      });
    await writeAtomic(file, `${JSON.stringify({ version: 1, allowances }, null, 2)}\n`, { mode: 0o600 });
  });
}

function readAllowances(home: string): ReadonlyMap<string, Allowed> {
  const file = pathOf(home);
  const bytes = readBoundedFile(file, { maxBytes: MAX_ALLOWANCE_BYTES });
  if (bytes === undefined) return new Map();
  const document = parseJsonObject(bytes);
  if (document?.version !== 1 || !Array.isArray(document.allowances)) throw invalid(file);
  return new Map(document.allowances.map((item) => readAllowance(item, file)));
}

function readAllowance(item: unknown, file: string): [string, Allowed] {
  const { lock, name, digest, hooks, mcpServers } = asObject(item) ?? {};
  if (
    ![lock, name, digest].every((value) => typeof value === "string") ||
    typeof hooks !== "boolean" ||
    typeof mcpServers !== "boolean"
  )
    throw invalid(file);
  return [JSON.stringify([lock, name, digest]), { hooks, mcpServers }];
}

function keyOf({ lockFile, name, digest }: AllowedPlugin): string {
  return JSON.stringify([lockFile, name, digest]);
}

function pathOf(home: string): string {
  return join(home, "allowances.json");
}

function invalid(file: string): SkilletError {
  const message = `${file} cannot be read, so it is not known what plugins may run; it was left alone. Repair it, or remove it and allow them anew.`;
  return new SkilletError("allowances-invalid", message, { data: { file } });
}
