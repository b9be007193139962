import { existsSync } from "node:fs";
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { AuditEntry } from "@skillet/core";
import { type SetSkillEnabledOptions, setSkillEnabled } from "@skillet/core/internal";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import {
  canonicalPath,
  ensureHome,
  isInside,
  readBoundedFile,
  syncDirectory,
  withFileLock,
  writeAtomic,
} from "@skillet/kit/files";
import { fieldOf, parseJson } from "@skillet/kit/json";
import type { Lock, LockedTarget } from "../lock/lock-entry.ts";
import { readLock } from "../lock/read-lock.ts";
import { commitChanges } from "../place/commit-changes.ts";
import { checkRealFolder, lstatOrAbsent, makeRealFolder } from "../place/stage.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import {
  AGENT_SWITCHES,
  type EditedText,
  editSettings,
  type HookItems,
  hookSwitch,
  readSettings,
  undoSettings,
} from "./agent-switches.ts";

export type SwitchAction = "disable" | "enable" | "remove" | "hook" | "unhook";

/** A change that keeps agents from a skill, recorded before it is made, with everything needed to undo it. */
export type SwitchRecord = {
  readonly skill: string;
  /** The ids of the agents concerned. */
  readonly agents: readonly string[];
  /** The name or path that the user gave; `enable` with the same one undoes exactly this. */
  readonly asked?: string | undefined;
  /** Set if it applies to one project only; then it is undone only there. */
  readonly onlyIn?: string | undefined;
} & (
  | EditRecord
  | { readonly kind: "move"; readonly from: string; readonly to: string }
  | TargetRecord
  | ConfigRecord
);

export interface EditRecord {
  readonly kind: "edit";
  readonly file: string;
  readonly names: readonly string[];
  readonly skillFile: string;
  readonly changes: readonly EditedText[];
  /** The file did not exist, or not even its folder. */
  readonly created?: "file" | "folder" | true;
  /** Set for an edit that lists hooks, rather than turning a skill off. */
  readonly hooks?: HookItems;
}

/** A setting for a skill in Skillet's own config. */
export interface ConfigRecord {
  readonly kind: "config";
  readonly file: string;
  readonly override: Omit<SetSkillEnabledOptions, "home" | "userHome" | "enabled" | "signal">;
}

/** A target that Skillet had placed, and that its lock does not list meanwhile. */
export interface TargetRecord {
  readonly kind: "target";
  readonly entry: string;
  readonly target: LockedTarget;
}

/** One exact change; `record` says how to undo it or, for an undo step, what it undoes. */
export interface SwitchStep {
  readonly record: SwitchRecord;
  readonly isBack?: true;
  /** Skillet did not make the change that this undoes. */
  readonly byHand?: true;
  /** For an edit: the name of the setting in the agent's documentation. */
  readonly setting?: string | undefined;
  /** For an edit: the whole text before and after, undefined if there is no file. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/**
 * The edit that turns a skill off or on in an agent's settings, or that undoes a record with changes;
 * undefined if it is so already. `earlier` changes the same file before it. Throws `Uncertain`.
 */
export function settingsStep(
  given: Extract<SwitchRecord, EditRecord>,
  earlier: SwitchStep | undefined,
  off: boolean,
): SwitchStep | undefined {
  const { file, names, skillFile, changes: made } = given;
  const own = given.hooks ? hookSwitch(given.hooks) : AGENT_SWITCHES.get(given.agents[0] ?? "");
  if (own === undefined) return undefined;
  const { setting } = own;
  const empty = given.hooks?.empty ?? (file.endsWith(".toml") ? "" : "{}\n");
  const subject = { names, file: skillFile };
  const before = earlier ? earlier.after : readSettings(file);
  if (made.length > 0 && !(earlier !== undefined && off)) {
    const undone = before && undoSettings(own, before, subject, made);
    const after = given.created !== undefined && undone?.trim() === empty.trim() ? undefined : undone;
    return { record: given, setting, before, after, isBack: true };
  }
  const { text: after, changes } = editSettings(own, before?.trim() ? before : empty, subject, off);
  const created = existsSync(dirname(file)) ? ("file" as const) : ("folder" as const);
  const record = { ...given, changes, ...(before === undefined && { created }) };
  const back = off ? {} : { isBack: true as const, byHand: true as const };
  return changes.length === 0 ? undefined : { record, setting, before, after, ...back };
}

/** The target that the user's lock placed there; removed through the lock, so that no update restores it. */
export function targetAt(lock: Lock, root: string, place: string): Omit<TargetRecord, "kind"> | undefined {
  for (const [entry, { targets }] of lock.skills)
    for (const target of targets) {
      const path = resolve(root, target.path);
      if (join(canonicalPath(dirname(path)), basename(path)) === place) return { entry, target };
    }
  return undefined;
}

/**
 * Makes the changes of a plan in order.
 *
 * Each is a single rename, and the record to undo it is on disk first: wherever the process ends, a skill is
 * where it was or where it should be, and everything done can be undone.
 */
export async function applySwitch(
  parts: HubParts,
  { action, steps }: { readonly action: SwitchAction; readonly steps: readonly SwitchStep[] },
): Promise<void> {
  const { home, signal, writeAudit, onStep } = parts;
  if (steps.length === 0) return;
  await ensureHome(home);
  const apply = async (): Promise<void> => {
    const known = await readSwitchRecords(home);
    // Whichever edit is undone last removes the file that the first one created.
    const ofNone = new Map(
      [...steps.map(({ record }) => record), ...known].flatMap((one) =>
        one.kind === "edit" && one.created ? [[one.file, one.created] as const] : [],
      ),
    );
    const recordOf = ({ record: one, isBack }: SwitchStep): SwitchRecord => {
      if (one.kind !== "edit" || isBack) return one;
      const created = ofNone.get(one.file);
      return created === undefined ? one : { ...one, created };
    };
    const made = steps.flatMap((step) => (step.isBack ? [] : [recordOf(step)]));
    // A change that was undone by other means, for example an update, and is made again is undone only once.
    const places = new Set(made.map(placeOf));
    const records = [...known.filter((one) => !places.has(placeOf(one))), ...made];
    if (made.length > 0) await writeRecords(home, records);
    onStep({ step: "place", what: "recorded" });
    const settle = async (done: number): Promise<void> => {
      const files = new Set(steps.slice(0, done).flatMap(({ record }) => editedFile(record)));
      const over = new Set(
        steps.flatMap((step, index) => {
          const isDone = index < done || editedFile(step.record).some((file) => files.has(file));
          return isDone === (step.isBack === true) ? [JSON.stringify(recordOf(step))] : [];
        }),
      );
      const left = records.filter((record) => !over.has(JSON.stringify(record)));
      if (left.length < records.length) await writeRecords(home, left);
    };
    for (const [index, step] of steps.entries()) {
      try {
        await writeAudit(auditOf(action, step));
        await perform(parts, wholeEdit(steps, step));
      } catch (error) {
        // After any other fault it is unknown whether the change was made, so the record to undo it stays.
        if (SkilletError.isInstance(error) && error.code !== "place-unfinished") await settle(index);
        throw error;
      }
      onStep({ step: "place", what: `changed ${index}` });
    }
    await settle(steps.length);
    onStep({ step: "place", what: "settled" });
  };
  await withFileLock(`${recordsPath(home)}.lock`, apply, { ...(signal && { signal }) });
}

function placeOf(record: SwitchRecord): string {
  const { skill, kind } = record;
  if (record.kind === "edit") return JSON.stringify([skill, kind, record.file, record.skillFile]);
  if (record.kind === "config") return JSON.stringify([skill, kind, record.file, record.override]);
  return JSON.stringify([skill, kind, record.kind === "move" ? record.to : record.target.path]);
}

const editedFile = (record: SwitchRecord): readonly string[] => (record.kind === "edit" ? [record.file] : []);

/** A file is checked and written once with all its edits, by the first of them. */
function wholeEdit(steps: readonly SwitchStep[], step: SwitchStep): SwitchStep {
  const [file] = editedFile(step.record);
  if (file === undefined) return step;
  const same = steps.filter(({ record }) => editedFile(record)[0] === file);
  return same[0] === step ? { ...step, after: same.at(-1)?.after } : { ...step, after: step.before };
}

async function perform(parts: HubParts, step: SwitchStep): Promise<void> {
  const { home, userHome } = parts;
  const { record, before, after } = step;
  const isBack = step.isBack === true;
  if (record.kind === "target") return setTarget(parts, record, isBack);
  if (record.kind === "config") {
    const takeBackOnly = isBack && record.override.takeBackOnly === true;
    await setSkillEnabled({ ...record.override, home, userHome, enabled: isBack, takeBackOnly });
    return;
  }
  if (record.kind === "move") {
    const [from, to] = isBack ? [record.to, record.from] : [record.from, record.to];
    await moveFolder(from, to);
    // In the store, this folder was created only for it.
    return isInside(from, canonicalPath(home)) ? removeEmpty(dirname(from)) : undefined;
  }
  const { file } = record;
  if (before === after) return;
  if (readSettings(file) !== before) {
    const message = `${file} was changed by another program meanwhile, so it is left alone; repeat the command.`;
    throw new SkilletError("settings-changed", message, { data: { file } });
  }
  if (after === undefined) {
    await rm(file, { force: true });
    return record.created === "folder" ? removeEmpty(dirname(file)) : undefined;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeAtomic(file, after);
}

/** One rename of a folder or of a link, never of the link's destination; it never replaces anything. */
async function moveFolder(from: string, to: string): Promise<void> {
  await makeRealFolder(dirname(to));
  checkRealFolder(dirname(from));
  if ((await lstatOrAbsent(to)) !== undefined) {
    const message = `Something else is at ${to} now, so it is not replaced; the skill waits in ${from}. Move the other one away, and run the command again.`;
    throw new SkilletError("target-occupied", message, { data: { path: to } });
  }
  try {
    await rename(from, to);
  } catch (error) {
    // A mount, another disk, or a folder without write permission.
    const errno = errorCode(error) ?? "unknown error";
    const message = `${from} could not be moved to ${to} (${errno}), and is where it was. Move it yourself, or check the permissions of both folders; skillet enable undoes what was done before.`;
    throw new SkilletError("place-failed", message, { data: { errno }, cause: error });
  }
  for (const path of [to, from]) await syncDirectory(dirname(path));
}

/** Removes or restores a target of an installed skill through the lock's own transaction. */
async function setTarget(
  parts: HubParts,
  { entry: name, target }: TargetRecord,
  isBack: boolean,
): Promise<void> {
  const before = (await readLock(parts.lockFile)).skills.get(name);
  // The skill was removed meanwhile, so there is nothing to remove or restore.
  if (before === undefined) return;
  const others = before.targets.filter(({ path }) => path !== target.path);
  const entry = { ...before, targets: isBack ? [...others, target] : others };
  const files = (before.linked === true ? [] : await parts.store.get(before.digest)) ?? [];
  const record = {
    action: isBack ? "enable" : "disable",
    skill: name,
    path: parts.lockFile,
    decision: "allow",
  } as const;
  // The other targets stay as they are, including edits.
  const put = { kind: "put", name, files, entry, before, keeps: others, discardEdits: false } as const;
  await commitChanges({
    ...parts,
    onStage: (what) => parts.onStep({ step: "place", what }),
    changes: [{ ...put, record }],
  });
}

function auditOf(action: SwitchAction, { record, setting }: SwitchStep): AuditEntry {
  const { skill, agents, kind } = record;
  const path = "file" in record ? record.file : kind === "move" ? record.from : record.target.path;
  const how = kind === "edit" ? setting : kind === "move" ? `store ${record.to}` : "by the lock";
  const done = { hook: "install", unhook: "remove" } as const;
  const audited = action === "hook" || action === "unhook" ? done[action] : action;
  const reason = kind === "config" ? "Skillet: its config" : `${agents.join(", ")}: ${how}`;
  return { action: audited, skill, path, decision: "allow", reason };
}

function recordsPath(home: string): string {
  return join(home, "disabled.json");
}

/**
 * The records that are in effect. A move is one rename; its record is written first and removed last. A process that
 * was killed in between leaves a record for a folder that is not in the store, which has no effect.
 */
export async function readSwitchRecords(home: string): Promise<readonly SwitchRecord[]> {
  const file = recordsPath(home);
  const bytes = readBoundedFile(file, { maxBytes: 16 * 1024 * 1024, links: "refuse" });
  const records = bytes === undefined ? [] : fieldOf(parseJson(bytes), "records");
  if (!Array.isArray(records)) {
    const message = `${file}, which says where disabled skills were, cannot be understood. The skills are in ${join(home, "disabled")}; restore the file from a backup, or move them back yourself and delete it.`;
    throw new SkilletError("switch-records-invalid", message, { data: { file } });
  }
  const holding: SwitchRecord[] = [];
  // The newest first: a skill that was disabled and then removed is no longer where its first record says.
  for (const record of (records as readonly SwitchRecord[]).toReversed()) {
    const isMovedOn = holding.some(
      (one) => one.kind === "move" && record.kind === "move" && one.from === record.to,
    );
    if (record.kind !== "move" || isMovedOn || (await lstatOrAbsent(record.to)) !== undefined)
      holding.unshift(record);
  }
  return holding;
}

/** Drops records of what was deleted from the store, and removes the folders that were created for it. */
export async function tidySwitchRecords({ home, signal }: Pick<HubParts, "home" | "signal">): Promise<void> {
  if ((await lstatOrAbsent(recordsPath(home))) === undefined) return;
  const tidy = async (): Promise<void> => writeRecords(home, await readSwitchRecords(home));
  await withFileLock(`${recordsPath(home)}.lock`, tidy, { ...(signal && { signal }) });
}

async function writeRecords(home: string, records: readonly SwitchRecord[]): Promise<void> {
  const text = `${JSON.stringify({ version: 1, records }, undefined, 2)}\n`;
  if (records.length > 0) return writeAtomic(recordsPath(home), text, { mode: 0o600, links: "refuse" });
  await rm(recordsPath(home), { force: true });
  // Empty by now, unless someone put files there.
  for (const folder of ["disabled", "removed"]) await removeEmpty(join(home, folder));
}

const removeEmpty = (folder: string): Promise<void> =>
  rmdir(folder).catch(undefinedOn("ENOENT", "ENOTEMPTY", "EEXIST"));
