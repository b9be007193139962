import {
  closeSync,
  constants,
  existsSync,
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
import { makeFolders, withRegularFile } from "@skillet/kit/files";
import { parseJsonObject } from "@skillet/kit/json";
import { showLine } from "@skillet/kit/text";
import { fileNameOf, type HookSkill, viewFolder } from "./hook-view.ts";

/** A loaded skill with the limits that it had then: editing its file must not widen them. */
export interface LoadedSkill
  extends Pick<HookSkill, "name" | "qualifiedName" | "scope" | "origin" | "path" | "directory"> {
  readonly source: "model" | "user";
  readonly tools: HookSkill["manifest"]["tools"];
}

/**
 * One line per event. Lines are appended in one write each, so that hooks of parallel tool calls need no lock
 * and no line is lost.
 */
export type StateLine = Happening & { /** Milliseconds since 1970. */ readonly at: number };

export type Happening =
  | { readonly kind: "turn" }
  /** The session began in this folder. */
  | { readonly kind: "begun"; readonly workspace: string }
  /** Written before loading: it narrows even if the agent reports no outcome, or that cannot be recorded. */
  | { readonly kind: "loaded"; readonly skill: LoadedSkill }
  | { readonly kind: "record"; readonly record: SessionRecord }
  /** The user was told that Skillet failed. */
  | { readonly kind: "told" }
  /** The earlier lines are in the journal of a run. */
  | { readonly kind: "kept"; readonly run: string };

/** What the hooks of one conversation know about earlier events. */
export interface HookMemory {
  /** Loaded in this turn, so these narrow. */
  readonly active: readonly LoadedSkill[];
  /** Loaded at any time, latest last. */
  readonly loaded: readonly LoadedSkill[];
  /** What this turn has recorded already, so that nothing is recorded twice. */
  readonly recorded: readonly SessionRecord[];
  readonly isTold: boolean;
  /** Where the session began: a command that changes folders must not change the rules. */
  readonly workspace?: string;
}

const NO_MEMORY: HookMemory = { active: [], loaded: [], recorded: [], isTold: false };

/** Always read in full: the line by which a skill narrows this turn may be the first. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_LOADED = 20;
const LINE_END = Buffer.from("\n");

export class HookState {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  static of(home: string, agent: string, session: string): HookState {
    return new HookState(join(hooksFolder(home), `${agent}-${fileNameOf(session)}.jsonl`));
  }

  read(): HookMemory {
    return remember(readStateLines(this.file));
  }

  /** Returns the message if this conversation was not told yet, or if that cannot be recorded. */
  tellOnce(message: string): string | undefined {
    try {
      if (this.read().isTold) return undefined;
      this.append({ kind: "told" });
      return message;
    } catch (error) {
      const second = showLine(error instanceof Error ? error.message : String(error));
      return message.includes(second) ? message : `${message}; ${second}`;
    }
  }

  /** @throws if it cannot be written, or is longer than any conversation. */
  append(...happenings: readonly Happening[]): void {
    if (happenings.length === 0) return;
    const at = Date.now();
    const lines = happenings.map((one) => `${JSON.stringify({ at, ...one })}\n`).join("");
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    makeFolders(join(this.file, ".."), 0o700);
    const file = openSync(this.file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      const isNeeded = happenings.some(({ kind }) => kind !== "told" && kind !== "kept");
      const { size } = fstatSync(file);
      const last = Buffer.alloc(1, "\n");
      if (size > 0) readSync(file, last, 0, 1, size - 1);
      // A line that a full disk cut off must not spoil the next one.
      const bytes = Buffer.from(last.equals(LINE_END) ? lines : `\n${lines}`);
      if (isNeeded && size + bytes.length > MAX_FILE_BYTES)
        throw new SkilletError("input-too-long", `${this.file} is longer than ${MAX_FILE_BYTES} bytes`);
      if (writeSync(file, bytes) < bytes.length)
        throw new SkilletError("records-unavailable", `${this.file} could not be written to its end`);
    } finally {
      closeSync(file);
    }
  }
}

function hooksFolder(home: string): string {
  return join(home, "hooks");
}

/** The lines of a state; unreadable lines are skipped. */
export function readStateLines(file: string): readonly StateLine[] {
  if (!existsSync(file)) return [];
  return withRegularFile(file, ({ descriptor, stats: { size } }) => {
    const bytes = Buffer.alloc(Math.min(size, MAX_FILE_BYTES));
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.subarray(0, read).toString("utf8").split("\n");
    return lines.flatMap((line) => (parseJsonObject(line) as StateLine | undefined) ?? []);
  });
}

function remember(lines: readonly StateLine[]): HookMemory {
  if (lines.length === 0) return NO_MEMORY;
  let active: LoadedSkill[] = [];
  let recorded: SessionRecord[] = [];
  const loaded = new Map<string, LoadedSkill>();
  let isTold = false;
  let workspace: string | undefined;
  for (const line of lines) {
    if (line.kind === "turn") [active, recorded] = [[], []];
    else if (line.kind === "told") isTold = true;
    else if (line.kind === "begun") workspace = line.workspace;
    else if (line.kind === "record") recorded.push(line.record);
    else if (line.kind === "loaded") {
      active.push(line.skill);
      loaded.delete(line.skill.path);
      loaded.set(line.skill.path, line.skill);
    }
  }
  const known = { active, loaded: [...loaded.values()].slice(-MAX_LOADED), recorded, isTold };
  return workspace === undefined ? known : { ...known, workspace };
}

/** The most conversations and views that are kept, and the longest that they stay unused. */
const MAX_KEPT = 200;
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** The states of all conversations, newest first; removes those beyond the bounds, and old views too. */
export function pruneStates(home: string, now: number): readonly KeptFile[] {
  pruneFolder(viewFolder(home), now);
  return pruneFolder(hooksFolder(home), now);
}

interface KeptFile {
  readonly path: string;
  readonly writtenMs: number;
}

function pruneFolder(folder: string, now: number): readonly KeptFile[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    undefinedOn("ENOENT")(error);
    return [];
  }
  const files = names
    .filter((name) => /\.(?:jsonl?|idx)$/.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, writtenMs: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now }))
    .sort((left, right) => right.writtenMs - left.writtenMs || (left.path < right.path ? -1 : 1));
  const isKept = ({ writtenMs }: KeptFile, place: number): boolean =>
    place < MAX_KEPT && now - writtenMs <= MAX_AGE_MS;
  for (const file of files.filter((one, place) => !isKept(one, place))) rmSync(file.path, { force: true });
  return files.filter(isKept);
}
