import { join } from "node:path";
import { openHubWith } from "../../open-hub.ts";

/** The task of the process, passed as JSON on its command line. */
export interface CleanTask {
  readonly folder: string;
  readonly what: "prune" | "uninstall";
  /** The stage after which the process kills itself, like a crash. */
  readonly dieAt?: string;
}

const task = JSON.parse(process.argv[2] ?? "{}") as Partial<CleanTask>;
if (task.folder !== undefined) await run(task as CleanTask);

async function run({ folder, what, dieAt }: CleanTask): Promise<void> {
  const home = join(folder, "home");
  const userHome = join(folder, "user");
  const hub = await openHubWith({
    home,
    userHome,
    workspace: folder,
    clock: Date.now,
    environment: { HOME: userHome },
    scope: { kind: "user", home, pluginsDirectory: join(home, "plugins") },
    scan: () => Promise.reject(new Error("Nothing is scanned.")),
    onStep: (step) => {
      process.stdout.write(`${step.what}\n`);
      if (step.what === dieAt) process.kill(process.pid, "SIGKILL");
    },
  });
  if (what === "prune") await hub.removeLeftovers(await hub.findUnneeded({ all: false }));
  else await hub.uninstall(await hub.planUninstall(), { discardEdits: false });
}
