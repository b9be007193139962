import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { verifyEntry } from "../verify-entry.ts";
import { auditOf, leftovers, lockOf, type SandboxProject } from "./sandbox-project.ts";

/** The state of a project, and everything that is wrong with it. */
export interface ProjectState {
  /** The version of each skill in the lock and in every target. */
  readonly versions: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/** Checks a project after a fault: lock against disk, leftovers, and duplicate records. */
export async function inspectProject(
  project: SandboxProject,
  names: readonly string[],
): Promise<ProjectState> {
  const lock = lockOf(project);
  const versions: Record<string, string> = {};
  const problems = leftovers(project.root).map((path) => `${path} is a leftover`);
  for (const [name, entry] of lock) {
    const drifts = await verifyEntry(project.root, name, entry);
    problems.push(...drifts.map(({ target, file, message }) => `${target}/${file} ${message}`));
    const text = readFileSync(join(project.root, ".agents/skills", name, "SKILL.md"), "utf8");
    versions[name] = /Body (.+)/.exec(text)?.[1] ?? "?";
  }
  for (const name of names) {
    if (lock.has(name)) continue;
    for (const folder of [".agents", ".claude", ".other"])
      if (existsSync(join(project.root, folder, "skills", name)))
        problems.push(`${folder} has ${name}, the lock not`);
  }
  const records = auditOf(project).map(({ transaction, skill }) => `${transaction} ${skill}`);
  if (new Set(records).size !== records.length) problems.push("a change was recorded twice");
  return { versions, problems };
}
