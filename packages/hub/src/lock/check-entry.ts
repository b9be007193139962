import { isJsonObject } from "@skillet/kit/json";
import { checkEntryPath, findCollisions } from "../fetch/check-entry-path.ts";
import { CAPABILITY_NAMES } from "./capability-names.ts";
import { checkResolved } from "./check-resolved.ts";
import type { LockEntry } from "./lock-entry.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** What is wrong with an entry, and the object that it is wrong in. */
export interface EntryFault {
  readonly problem: string;
  readonly at?: object | undefined;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Reads one entry of a lock; keys that nobody knows stay where they are. */
export function checkEntry(name: string, value: unknown): { readonly entry: LockEntry } | EntryFault {
  if (!isJsonObject(value)) return { problem: `the entry ${JSON.stringify(name)} is no object` };
  const fault =
    checkScalars(value) ??
    checkResolved(value.resolved) ??
    checkFiles(value.files) ??
    checkCapabilities(value.capabilities) ??
    checkReport(value.report) ??
    checkTargets(value.targets) ??
    checkOptional(value);
  if (fault !== undefined) {
    return { problem: `in ${JSON.stringify(name)}, ${fault.problem}`, at: fault.at ?? value };
  }
  const capabilities: Record<string, unknown> = Object.create(null);
  for (const capability of CAPABILITY_NAMES) capabilities[capability] = [];
  Object.assign(capabilities, value.capabilities);
  const entry: Record<string, unknown> = Object.assign(Object.create(null), value, { capabilities });
  return { entry: entry as unknown as LockEntry };
}

function checkScalars(entry: JsonObject): EntryFault | undefined {
  const { kind, source, folder, digest } = entry;
  if (kind !== "skill" && kind !== "plugin") return { problem: '"kind" is neither "skill" nor "plugin"' };
  if (typeof source !== "string" || source === "") return { problem: '"source" is no text' };
  if (typeof folder !== "string") return { problem: '"folder" is no text' };
  if (folder !== "" && checkEntryPath(folder) !== undefined)
    return { problem: `"folder" ${checkEntryPath(folder)}` };
  if (!isDigest(digest)) return { problem: '"digest" is no sha256 digest' };
  return undefined;
}

function checkFiles(files: unknown): EntryFault | undefined {
  if (!isJsonObject(files)) return { problem: '"files" is no object' };
  for (const [path, file] of Object.entries(files)) {
    const shown = JSON.stringify(path.slice(0, 200));
    const problem = checkEntryPath(path);
    if (problem !== undefined) return { problem: `the path ${shown} ${problem}`, at: files };
    if (!isJsonObject(file)) return { problem: `the file ${shown} is no object`, at: files };
    const { digest, size, mode } = file;
    if (!isDigest(digest)) return { problem: `the digest of ${shown} is no sha256 digest`, at: file };
    if (!Number.isSafeInteger(size) || (size as number) < 0)
      return { problem: `the size of ${shown} is no count of bytes`, at: file };
    if (mode !== "644" && mode !== "755")
      return { problem: `the mode of ${shown} is neither 644 nor 755`, at: file };
  }
  const collision = findCollisions(Object.keys(files));
  return collision === undefined ? undefined : { problem: collision, at: files };
}

function checkCapabilities(capabilities: unknown): EntryFault | undefined {
  if (!isJsonObject(capabilities)) return { problem: '"capabilities" is no object' };
  for (const name of CAPABILITY_NAMES) {
    if (name in capabilities && !isTexts(capabilities[name]))
      return { problem: `"capabilities.${name}" is no list of texts`, at: capabilities };
  }
  return undefined;
}

function checkReport(report: unknown): EntryFault | undefined {
  if (!isJsonObject(report)) return { problem: '"report" is no object' };
  const missing = ["origin", "verdict", "scanner"].find((key) => typeof report[key] !== "string");
  return missing === undefined ? undefined : { problem: `"report.${missing}" is no text`, at: report };
}

// Whether a target may be written is decided when it is, by where it really leads.
function checkTargets(targets: unknown): EntryFault | undefined {
  if (!Array.isArray(targets)) return { problem: '"targets" is no list' };
  for (const target of targets) {
    if (!isJsonObject(target)) return { problem: "a target is no object" };
    const { path, how, agent } = target;
    if (typeof path !== "string" || path === "" || path.includes("\0"))
      return { problem: 'a target has no "path"', at: target };
    if (how !== "copy" && how !== "link")
      return {
        problem: `"how" of the target ${JSON.stringify(path)} is neither "copy" nor "link"`,
        at: target,
      };
    if (agent !== undefined && typeof agent !== "string")
      return { problem: `"agent" of the target ${JSON.stringify(path)} is no text`, at: target };
  }
  return undefined;
}

function checkOptional(entry: JsonObject): EntryFault | undefined {
  const { declaredName, pinned, requires, requiredBy, askedBy, allowed, linked } = entry;
  if (declaredName !== undefined && (typeof declaredName !== "string" || declaredName === ""))
    return { problem: '"declaredName" is no text' };
  if (pinned !== undefined && (!isJsonObject(pinned) || typeof pinned.reason !== "string"))
    return { problem: '"pinned" has no reason' };
  if (requires !== undefined && !isTexts(requires)) return { problem: '"requires" is no list of names' };
  if (requiredBy !== undefined && !isTexts(requiredBy))
    return { problem: '"requiredBy" is no list of names' };
  if (askedBy !== undefined && askedBy !== "content") return { problem: '"askedBy" can only be "content"' };
  if (allowed !== undefined && !isAllowed(allowed))
    return { problem: '"allowed" does not say yes or no to hooks and mcpServers' };
  if (linked !== undefined && linked !== true) return { problem: '"linked" can only be true' };
  return undefined;
}

function isAllowed(value: unknown): boolean {
  return isJsonObject(value) && typeof value.hooks === "boolean" && typeof value.mcpServers === "boolean";
}

function isDigest(value: unknown): boolean {
  return typeof value === "string" && DIGEST.test(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
