import { SkilletError } from "@skillet/kit/errors";
import { folderRefusal, folderRefused, homeRefusal, userHomes } from "../folder-refusal.ts";
import { type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import { inMountOrder, type Mount } from "./bubblewrap-arguments.ts";
import { lookAt, planGuards } from "./plan-guards.ts";

/** What a script sees of the host, and what could not be looked after. */
export interface PlannedMounts {
  /** In the order in which they have to be mounted: what lies deeper comes later. */
  readonly mounts: readonly Mount[];
  readonly weaknesses: readonly string[];
}

// Each costs the kernel a mount and a start some microseconds; nobody grants so many folders.
const MAX_MOUNTS = 500;

/** What a job makes visible of the host; `programs` are what it needs outside the system's folders. */
export async function planMounts(job: SandboxJob, programs: readonly string[]): Promise<PlannedMounts> {
  const given = await planGiven(job, programs);
  const { guards, weaknesses } = await planGuards(job, given);
  const mounts = [...given, ...guards];
  if (mounts.length > MAX_MOUNTS)
    throw new SkilletError(
      "sandbox-folder-refused",
      `A script was to be given, or kept from, ${mounts.length} files and folders; at most ${MAX_MOUNTS} can be. Grant a folder above them, and no home.`,
    );
  mounts.sort(inMountOrder);
  return { mounts, weaknesses };
}

async function planGiven(job: SandboxJob, programs: readonly string[]): Promise<Mount[]> {
  const folders = new Map<string, Mount["access"]>();
  if (job.workspace !== undefined) folders.set(job.workspace, "read-only");
  for (const folder of job.writable) folders.set(folder, "writable");
  for (const program of programs) {
    if (folders.get(program) === "writable")
      throw folderRefused(program, "the interpreter lies there; grant writing to another folder");
    folders.set(program, "read-only");
  }
  const skill = await lookAtFolder(job.skill.directory);
  const given: Mount[] = [{ ...skill, path: SKILL_PLACE, access: "read-only", purpose: "given" }];
  const homes = userHomes();
  for (const [folder, access] of folders) {
    const reason = folderRefusal(folder) ?? (access === "writable" ? homeRefusal(folder, homes) : undefined);
    if (reason !== undefined) throw folderRefused(folder, reason);
    const found = programs.includes(folder) ? await lookAtProgram(folder) : await lookAtFolder(folder);
    given.push({ ...found, access, purpose: "given" });
  }
  return given;
}

type Found = Pick<Mount, "path" | "source" | "stats">;

async function lookAtFolder(folder: string): Promise<Found> {
  const found = await look(folder);
  if (found?.stats.isDirectory()) return found;
  throw folderRefused(folder, "there is no folder of that name, or a link leads to it; pass its real path");
}

async function lookAtProgram(path: string): Promise<Found> {
  const found = await look(path);
  if (found !== undefined) return found;
  throw folderRefused(path, "the interpreter is not there, or a link leads to it; run it again");
}

async function look(path: string): Promise<Found | undefined> {
  const looked = await lookAt(path);
  return looked.kind === "there" && (looked.stats.isFile() || looked.stats.isDirectory())
    ? { path, source: path, stats: looked.stats }
    : undefined;
}
