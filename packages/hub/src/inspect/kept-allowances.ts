import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { array, flag, object, oneOf, readDocument, text } from "@skillet/kit/schema";
import type { LockEntry } from "../lock/lock-entry.ts";

export type Allowed = NonNullable<LockEntry["allowed"]>;

interface AllowedPlugin {
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

export async function keepAllowance(home: string, plugin: AllowedPlugin, allowed: Allowed): Promise<void> {
  await ensureHome(home);
  await changeAllowances(home, (kept) => {
    kept.delete(keyOf(plugin));
    if (allowed.hooks || allowed.mcpServers) kept.set(keyOf(plugin), allowed);
  });
}

/** Forgets what was said about plugins of a lock, at whatever version: none of it may come back with old bytes. */
export async function dropAllowances(
  home: string,
  plugins: { readonly lockFile: string; readonly names: ReadonlySet<string> },
): Promise<void> {
  const isDropped = (key: string): boolean => {
    const [lock, name] = partsOf(key);
    return lock === plugins.lockFile && plugins.names.has(name);
  };
  if (![...readAllowances(home).keys()].some(isDropped)) return;
  await changeAllowances(home, (kept) => {
    for (const key of kept.keys()) if (isDropped(key)) kept.delete(key);
  });
}

async function changeAllowances(home: string, change: (kept: Map<string, Allowed>) => void): Promise<void> {
  const file = pathOf(home);
  await withFileLock(`${file}.lock`, async () => {
    const kept = new Map(readAllowances(home));
    change(kept);
    const allowances = [...kept]
      .sort(([left], [right]) => compareByteOrder(left, right))
      .map(([key, { hooks, mcpServers }]) => {
        const [lock, name, digest] = partsOf(key);
        return { lock, name, digest, hooks, mcpServers };
      });
    await writeAtomic(file, `${JSON.stringify({ version: 1, allowances }, null, 2)}\n`, { mode: 0o600 });
  });
}

function readAllowances(home: string): ReadonlyMap<string, Allowed> {
  const file = pathOf(home);
  const bytes = readBoundedFile(file, { maxBytes: MAX_ALLOWANCE_BYTES });
  if (bytes === undefined) return new Map();
  const { value, faults } = readDocument(allowances, parseJson(bytes), { name: "the file" });
  if (value === undefined) throw invalid(file, faults[0]?.message ?? "it is not JSON");
  return new Map(
    value.allowances.map(({ lock, name, digest, hooks, mcpServers }) => [
      JSON.stringify([lock, name, digest]),
      { hooks, mcpServers },
    ]),
  );
}

interface Allowance extends Allowed {
  readonly lock: string;
  readonly name: string;
  readonly digest: string;
}

const allowance = object<Allowance>({ lock: text, name: text, digest: text, hooks: flag, mcpServers: flag });
const allowances = object<{ readonly version: 1; readonly allowances: readonly Allowance[] }>({
  version: oneOf([1]),
  allowances: array(allowance),
});

function keyOf({ lockFile, name, digest }: AllowedPlugin): string {
  return JSON.stringify([lockFile, name, digest]);
}

function partsOf(key: string): [lock: string, name: string, digest: string] {
  return JSON.parse(key) as [string, string, string];
}

function pathOf(home: string): string {
  return join(home, "allowances.json");
}

function invalid(file: string, problem: string): SkilletError {
  const message = `${file} cannot be used, so no plugin counts as allowed to run: ${problem}. It was left alone; repair it, or remove it and allow them again.`;
  return new SkilletError("allowances-invalid", message, { data: { file } });
}
