import { dirname, join, resolve } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import { folderRefused } from "../folder-refusal.ts";
import type { SandboxJob } from "../sandbox.ts";
import { SKILL_PLACE } from "../sandbox-places.ts";
import { homesSeenIn, INSTRUCTIONS, OBEYED_PATHS, secretPaths } from "../sensitive-paths.ts";
import { userHomes } from "../user-homes.ts";
import { findRepositories } from "./find-repositories.ts";
import { GuardList } from "./guard-list.ts";
import { homeEntries } from "./home-entries.ts";
import { isWithin, type Mount, nearestMount } from "./mount.ts";

/** What is taken away from what is given, and what could not be looked after. */
export interface PlannedGuards {
  readonly guards: readonly Mount[];
  readonly weaknesses: readonly string[];
}

/** What stays read-only inside writable folders, and what stays out of sight in any. */
export async function planGuards(job: SandboxJob, given: readonly Mount[]): Promise<PlannedGuards> {
  const guards = new GuardList(given);
  const weaknesses: string[] = [];
  for (const { path } of given) await guards.pinAbove(path);
  for (const path of job.protect) await protect(path, { guards, given });
  for (const { path } of given.filter(({ access }) => access === "writable")) {
    for (const name of OBEYED_PATHS)
      await guards.add(join(path, name), "read-only", { mayBeLink: INSTRUCTIONS.includes(name) });
    const { paths, closed, isComplete } = await findRepositories(path);
    for (const repository of paths) await guards.add(repository, "read-only");
    for (const folder of closed) await guards.close(folder);
    if (!isComplete)
      weaknesses.push(
        `${path} has folders deeper than is searched for repositories: hooks of those further down are not protected.`,
      );
  }
  // With the staged copies of other skills, records and trust.
  await guards.add(job.home ?? dirname(job.skill.directory), "hidden");
  const homes = userHomes();
  for (const { path } of given.filter(({ path }) => path !== SKILL_PLACE)) {
    const entries = await Promise.all(homesSeenIn(path, homes).map(homeEntries));
    for (const secret of new Set([...entries.flat(), ...secretPaths(path, homes)]))
      await guards.add(secret, "hidden");
  }
  return { guards: guards.mounts(), weaknesses };
}

async function protect(
  asked: string,
  { guards, given }: { readonly guards: GuardList; readonly given: readonly Mount[] },
): Promise<void> {
  const path = canonicalPath(resolve(asked));
  const granted = given.find((mount) => mount.access === "writable" && isWithin(mount.path, path));
  if (granted !== undefined)
    throw folderRefused(granted.path, `${path} has to stay as it is; grant another folder`);
  await guards.add(path, "read-only");
  const above = nearestMount(path, given);
  if (
    above?.access === "writable" &&
    !guards.mounts().some((mount) => isWithin(path, mount.path) && mount.access !== "writable")
  )
    throw folderRefused(
      above.path,
      `${path} has to stay as it is, and is not there yet; make it first, or grant another folder`,
    );
}
