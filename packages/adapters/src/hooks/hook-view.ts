import { rmSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ConfigLayer, LearnedSkill, PolicyMode, Skill } from "@skillet/core";
import { stampTree } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, leadsNowhere, makeFolders, readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { parseJson, parseJsonObject } from "@skillet/kit/json";
import type { SelectableSkill } from "@skillet/select";

/** Why a skill must not be used, and whether the user may decide otherwise. */
export interface Stop {
  readonly outcome: "ask" | "deny";
  readonly reason: string;
}

/** A skill as hooks need it: where it is, what it says about itself, and whether it may be used. */
export interface HookSkill
  extends Omit<SelectableSkill, "origin" | "digest" | "manifest">,
    Pick<Skill, "directoryName" | "kind" | "scope" | "origin" | "digest" | "alsoAt" | "state"> {
  readonly source: Pick<Skill["source"], "id" | "folder">;
  /** Only these fields, since parsing takes a large part of every answer about skills. */
  readonly manifest: SelectableSkill["manifest"] &
    Pick<Skill["manifest"], "tools"> & {
      readonly gating: Pick<Skill["manifest"]["gating"], "bins" | "anyBins" | "commands">;
    };
  /** The agent lists it by itself. */
  readonly isRead: boolean;
  /** It is where the agent looks, even if its loader should skip it: enough to stop it, not to name it. */
  readonly isHeld: boolean;
  /** `stop` is for the model, `userStop` for a user who names the skill. */
  readonly stop?: Stop | undefined;
  readonly userStop?: Stop | undefined;
  /** The status of all files when judged; absent if it is unknown, or they changed a moment before. */
  readonly stamp?: string | undefined;
  /** The copy that the agent reads, or else the first one found. */
  readonly readAt: string;
  /** Its folders, with links resolved. */
  readonly folders: readonly string[];
}

/** The status of a file or folder without its content; empty if it is missing, -1 if inaccessible. */
type Stamped = readonly [path: string, ...stamp: readonly number[]];

/**
 * What an agent's hooks need to know about a workspace, computed once: it holds as long as no file that it
 * was computed from changes.
 */
export interface HookView {
  /** Identifies the code that made it. */
  readonly code: string;
  readonly agent: string;
  readonly workspace: string;
  readonly project: string;
  readonly mode: PolicyMode;
  readonly layers: readonly Pick<ConfigLayer, "kind" | "values">[];
  readonly ifHooksFail: "allow" | "deny";
  /** Configuration, trust, approvals and scan rules: checked before every answer. */
  readonly settings: readonly Stamped[];
  /** The folders and files of skills: checked before skills are named. */
  readonly places: readonly Stamped[];
  readonly learned: readonly (readonly [name: string, learned: LearnedSkill])[];
  readonly skills: readonly HookSkill[];
}

/** The skills that the agent lists and that messages are matched with. */
export function isIndexed({ isRead, state, kind }: HookSkill): boolean {
  return isRead && state === "enabled" && kind === "skill";
}

export function stampFile(path: string): readonly number[] {
  const { mtimeMs, ctimeMs, ino, mode, size } = statusOf(path);
  return [mtimeMs, ctimeMs, ino, mode, size].filter((one) => one !== undefined);
}

export function areUnchanged(stamped: readonly Stamped[]): boolean {
  // Spelled out for speed: hundreds are compared before a prompt is answered.
  return stamped.every((known) => {
    const found = statusOf(known[0]);
    const isSame = found.mtimeMs === known[1] && found.ctimeMs === known[2] && found.ino === known[3];
    // A folder's size adds nothing to its times.
    return isSame && found.mode === known[4] && (found.size === known[5] || found.isDirectory?.() === true);
  });
}

/** Follows links, because a link's target may change without the link. */
function statusOf(path: string): Partial<Stats> {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? {};
  } catch (error) {
    if (leadsNowhere(error)) return { mtimeMs: -1 };
    throw error;
  }
}

/** Whether `stop` is still about these exact files. */
export function isAsJudged({ kind, path, directory, stamp }: HookSkill): boolean {
  if (stamp === undefined) return false;
  return stampTree(canonicalPath(kind === "command" ? path : directory))?.text === stamp;
}

/** Finds the innermost skill that contains a path, as written or with links resolved. */
export function createLocator({ skills }: HookView): (path: string) => HookSkill | undefined {
  const byFolder = new Map<string, HookSkill>();
  for (const skill of skills) {
    const own = skill.kind === "command" ? [skill.path, ...skill.alsoAt] : skill.folders;
    for (const folder of own) if (!byFolder.has(folder)) byFolder.set(folder, skill);
  }
  return (path) => climb(path, (folder) => byFolder.get(folder));
}

/** Deeper paths are ignored. */
const MAX_DEPTH = 128;

export function climb<Found>(path: string, find: (folder: string) => Found | undefined): Found | undefined {
  let current = path;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const found = find(current);
    if (found !== undefined) return found;
    const above = dirname(current);
    if (above === current) return undefined;
    current = above;
  }
  return undefined;
}

/** Far more than ten thousand skills need. */
const MAX_VIEW_BYTES = 64 * 1024 * 1024;

const MAX_NAME_CHARACTERS = 120;

/** A file name for an outside text; loading the module that digests long ones takes as long as an answer. */
export function fileNameOf(text: string): string {
  // A dot or upper case could make it another file's name on some disks.
  const plain = text.replace(/[^a-z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16)}_`);
  if (plain.length <= MAX_NAME_CHARACTERS) return plain;
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("hex");
}

/** The files of a view and of the index of its skills for messages. */
export function viewFiles(home: string, agent: string, workspace: string): Record<"view" | "index", string> {
  const file = join(viewFolder(home), `${agent}-${fileNameOf(workspace)}`);
  return { view: `${file}.json`, index: `${file}.idx` };
}

export function viewFolder(home: string): string {
  return join(home, "cache", "hooks");
}

/** The kept view if it is of this code and its settings are unchanged; a damaged one counts as missing. */
export function readView(file: string, code: string): HookView | undefined {
  try {
    const { head, places, skills, isWhole } = readKept(file);
    if (!isWhole || head?.code !== code || !areUnchanged(head.settings)) return undefined;
    const view = { ...head, places, skills };
    // Parsed on first use, because most tool calls involve no skill.
    for (const [key, bytes] of [
      ["places", places],
      ["skills", skills],
    ] as const)
      Object.defineProperty(view, key, {
        get: () => {
          const value = parseJson(bytes);
          if (!Array.isArray(value)) rmSync(file, { force: true });
          Object.defineProperty(view, key, { value });
          return value;
        },
      });
    return view as unknown as HookView;
  } catch (error) {
    if (SkilletError.isInstance(error) || error instanceof TypeError) return undefined;
    throw error;
  }
}

export async function writeView(file: string, view: HookView): Promise<void> {
  makeFolders(dirname(file), 0o700);
  const { places, skills, ...head } = view;
  const lines = [head, places, skills].map((part) => `${JSON.stringify(part)}\n`);
  await writeAtomic(file, lines.join(""), { mode: 0o600 });
}

type Head = Omit<HookView, "places" | "skills">;

interface Kept {
  readonly head: Head | undefined;
  readonly places: Uint8Array;
  readonly skills: Uint8Array;
  /** All three lines are complete: a part of a line may end in a bracket as well. */
  readonly isWhole: boolean;
}

function readKept(file: string): Kept {
  const bytes = readBoundedFile(file, { maxBytes: MAX_VIEW_BYTES }) ?? Buffer.of();
  const first = bytes.indexOf(0x0a);
  const second = bytes.indexOf(0x0a, first + 1);
  const head = parseJsonObject(bytes.subarray(0, first)) as Head | undefined;
  const isWhole = second > first && bytes.indexOf(0x0a, second + 1) === bytes.length - 1;
  return { head, places: bytes.subarray(first + 1, second), skills: bytes.subarray(second + 1), isWhole };
}

/** The last known policy for failures: if the view cannot be made, its settings cannot be read either. */
export function lastKnownFailure(home: string, agent: string, workspace: string): HookView["ifHooksFail"] {
  try {
    const { head } = readKept(viewFiles(home, agent, workspace).view);
    return head?.ifHooksFail === "deny" ? "deny" : "allow";
  } catch (error) {
    if (SkilletError.isInstance(error)) return "allow";
    throw error;
  }
}
