import { type Change, commitChanges } from "../commit-changes.ts";
import { recover } from "../recover.ts";
import { lockOf, recordOf, sandboxProject, skillEntry, skillFiles } from "./sandbox-project.ts";

/** The task of the process, passed as JSON on its command line. */
export interface ChildTask {
  readonly folder: string;
  /** Skills by name: the version to put, or null to remove. */
  readonly wanted: Readonly<Record<string, string | null>>;
  /** The version of the entry that the change is planned on. Default: the lock's current one. */
  readonly plannedOn?: Readonly<Record<string, string>>;
  /** The stage after which the process kills itself, like a crash. */
  readonly dieAt?: string;
  readonly recoverOnly?: boolean;
}

/** Where the child's skills are: a copy, and a link for another agent. */
function childTargets(name: string): Parameters<typeof skillEntry>[2] {
  return [
    { path: `.agents/skills/${name}`, how: "copy" },
    { path: `.claude/skills/${name}`, how: "link", agent: "claude-code" },
    { path: `.other/skills/${name}`, how: "copy", agent: "other" },
  ];
}

const task = JSON.parse(process.argv[2] ?? "{}") as ChildTask;
if (task.folder !== undefined) await run(task);

async function run({ folder, wanted, plannedOn, dieAt, recoverOnly }: ChildTask): Promise<void> {
  const project = sandboxProject(folder);
  const onStage = (stage: string): void => {
    process.stdout.write(`${stage}\n`);
    if (stage === dieAt) process.kill(process.pid, "SIGKILL");
  };
  if (recoverOnly === true) {
    await recover({ ...project, onStage });
    return;
  }
  process.stdout.write("begin\n");
  const lock = lockOf(project);
  const changes = Object.entries(wanted).map(([name, version]): Change => {
    const planned = plannedOn?.[name];
    const before =
      planned === undefined
        ? lock.get(name)
        : skillEntry(name, skillFiles(name, planned), childTargets(name));
    if (version === null) {
      if (before === undefined) throw new Error(`${name} is not there`);
      return { kind: "remove", record: recordOf("remove", name), name, before, discardEdits: false };
    }
    const files = skillFiles(name, version);
    const entry = skillEntry(name, files, childTargets(name));
    return {
      kind: "put",
      record: recordOf("install", name),
      name,
      files,
      entry,
      discardEdits: false,
      ...(before && { before }),
    };
  });
  try {
    await commitChanges({ ...project, changes, onStage });
    process.stdout.write("end\n");
  } catch (error) {
    process.stdout.write(`failed ${(error as { code?: string }).code}\n`);
    process.exitCode = 1;
  }
}
