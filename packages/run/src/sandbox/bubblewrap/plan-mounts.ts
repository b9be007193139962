import { SkilletError } from "@skillet/kit/errors";
import { folderRefusal, folderRefused, homeRefusal, userHomes } from "../folder-refusal.ts";
import { type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import { inMountOrder, type Mount } from "./bubblewrap-arguments.ts";
import { lookAt, planGuards } from "./plan-guards.ts";

// Each costs the kernel a mount and a start some microseconds; nobody grants so many folders.
const MAX_MOUNTS = 500;

/**
 * What a job makes visible of the host, in the order in which it has to be mounted, and what could not be guarded;
 * `programs` are what it needs outside the system's folders.
 */
export async function planMounts(
  job: SandboxJob,
  programs: readonly string[],
): Promise<{ readonly mounts: readonly Mount[]; readonly weaknesses: readonly string[] }> {
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
  const skill = await look(job.skill.directory, "folder");
  const given: Mount[] = [{ ...skill, path: SKILL_PLACE, access: "read-only", purpose: "given" }];
  const homes = userHomes();
  for (const [folder, access] of folders) {
    const reason = folderRefusal(folder) ?? (access === "writable" ? homeRefusal(folder, homes) : undefined);
    if (reason !== undefined) throw folderRefused(folder, reason);
    const found = await look(folder, programs.includes(folder) ? "program" : "folder");
    given.push({ ...found, access, purpose: "given" });
  }
  return given;
}

const MISSING = {
  folder: "there is no folder of that name, or a link leads to it; pass its real path",
  program: "the interpreter is not there, or a link leads to it; run it again",
};

async function look(
  path: string,
  wanted: keyof typeof MISSING,
): Promise<Pick<Mount, "path" | "source" | "stats">> {
  const looked = await lookAt(path);
  if (
    looked.kind === "there" &&
    (looked.stats.isDirectory() || (wanted === "program" && looked.stats.isFile()))
  )
    return { path, source: path, stats: looked.stats };
  throw folderRefused(path, MISSING[wanted]);
}
