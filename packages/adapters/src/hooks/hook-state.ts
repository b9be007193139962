import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { SessionRecord } from "@skillet/core";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { makeFolders } from "@skillet/kit/files";
import { parseJsonObject } from "@skillet/kit/json";
import { fileNameOf, type HookSkill } from "./hook-view.ts";

/** A skill that was loaded, with the limits that it had then: editing its file must not widen them. */
export interface LoadedSkill
  extends Pick<HookSkill, "name" | "qualifiedName" | "scope" | "origin" | "path" | "directory"> {
  readonly source: "model" | "user";
  readonly tools: HookSkill["manifest"]["tools"];
}

/**
 * One line a happening. Lines are appended in one write each, so that hooks of parallel tool calls need no lock and none
 * is lost.
 */
export type StateLine = Happening & { /** Milliseconds since 1970. */ readonly at: number };

export type Happening =
  | { readonly kind: "turn" }
  | { readonly kind: "loaded"; readonly skill: LoadedSkill; readonly record: SessionRecord }
  | { readonly kind: "record"; readonly record: SessionRecord }
  /** That Skillet failed was said. */
  | { readonly kind: "told" }
  /** The lines before it are in the journal of a run. */
  | { readonly kind: "kept"; readonly run: string };

/** What hooks of one conversation know of those before them. */
export interface HookMemory {
  /** Loaded in this turn: these narrow. */
  readonly active: readonly LoadedSkill[];
  /** Loaded at any time, the latest last. */
  readonly loaded: readonly LoadedSkill[];
  /** What this turn has on record already, so that nothing is recorded twice in it. */
  readonly recorded: readonly SessionRecord[];
  readonly isTold: boolean;
}

const NO_MEMORY: HookMemory = { active: [], loaded: [], recorded: [], isTold: false };

/** Always read whole: the line by which a skill narrows this turn may be the first. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_LOADED = 20;

/** The state of one conversation of an agent, in Skillet's own folder. */
export class HookState {
  readonly file: string;

  private constructor(file: string) {
    this.file = file;
  }

  static of(home: string, agent: string, session: string): HookState {
    return new HookState(join(hooksFolder(home), `${agent}-${fileNameOf(session)}.jsonl`));
  }

  static at(file: string): HookState {
    return new HookState(file);
  }

  read(): HookMemory {
    return remember(readStateLines(this.file));
  }

  /** @throws where it cannot be written, or is longer than any conversation. */
  append(...happenings: readonly Happening[]): void {
    if (happenings.length === 0) return;
    const at = Date.now();
    const text = happenings.map((one) => `${JSON.stringify({ at, ...one })}\n`).join("");
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    let file: number;
    try {
      file = openSync(this.file, flags, 0o600);
    } catch (error) {
      undefinedOn("ENOENT")(error);
      makeFolders(join(this.file, ".."), 0o700);
      file = openSync(this.file, flags, 0o600);
    }
    try {
      const isNeeded = happenings.some(({ kind }) => kind !== "told" && kind !== "kept");
      if (isNeeded && fstatSync(file).size + text.length > MAX_FILE_BYTES)
        throw new SkilletError("input-too-long", `${this.file} is longer than ${MAX_FILE_BYTES} bytes`);
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
  }
}

function hooksFolder(home: string): string {
  return join(home, "hooks");
}

/** The lines of a state; what is not a line is passed over. */
export function readStateLines(file: string): readonly StateLine[] {
  let descriptor: number;
  try {
    descriptor = openSync(
      file,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (error) {
    undefinedOn("ENOENT")(error);
    return [];
  }
  try {
    const { size } = fstatSync(descriptor);
    const length = Math.min(size, MAX_FILE_BYTES);
    const bytes = Buffer.alloc(length);
    const read = readSync(descriptor, bytes, 0, length, size - length);
    const lines = bytes.subarray(0, read).toString("utf8").split("\n");
    return lines.flatMap((line) => (parseJsonObject(line) as StateLine | undefined) ?? []);
  } finally {
    closeSync(descriptor);
  }
}

function remember(lines: readonly StateLine[]): HookMemory {
  if (lines.length === 0) return NO_MEMORY;
  let active: LoadedSkill[] = [];
  let recorded: SessionRecord[] = [];
  const loaded = new Map<string, LoadedSkill>();
  let isTold = false;
  for (const line of lines) {
    if (line.kind === "turn") [active, recorded] = [[], []];
    else if (line.kind === "told") isTold = true;
    if (line.kind === "loaded") {
      active.push(line.skill);
      loaded.delete(line.skill.path);
      loaded.set(line.skill.path, line.skill);
    }
    if (line.kind === "loaded" || line.kind === "record") recorded.push(line.record);
  }
  return { active, loaded: [...loaded.values()].slice(-MAX_LOADED), recorded, isTold };
}

/** So many conversations are remembered, and none that slept longer. */
const MAX_SESSIONS = 200;
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** The states of all conversations, the newest first; those beyond the bounds are removed. */
export function pruneStates(home: string, now: number): readonly string[] {
  const folder = hooksFolder(home);
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    undefinedOn("ENOENT")(error);
    return [];
  }
  const states = names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
    .map((path) => ({ path, writtenMs: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((left, right) => right.writtenMs - left.writtenMs || (left.path < right.path ? -1 : 1));
  const isKept = ({ writtenMs }: (typeof states)[number], place: number): boolean =>
    place < MAX_SESSIONS && now - writtenMs <= MAX_AGE_MS;
  for (const state of states.filter((one, place) => !isKept(one, place))) rmSync(state.path, { force: true });
  return states.filter(isKept).map(({ path }) => path);
}
