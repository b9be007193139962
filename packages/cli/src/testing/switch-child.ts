import { existsSync } from "node:fs";
import { join } from "node:path";
import { openHubWith } from "@skillet/hub";
import type { ScanReport } from "@skillet/scan";
import { planSwitch } from "./plan-switch.ts";

/** The task of the process, passed as JSON on its command line. */
export interface SwitchTask {
  readonly folder: string;
  readonly action: "disable" | "enable" | "remove" | "adopt";
  /** At the end of this stage the process kills itself, to simulate a crash. */
  readonly dieAt?: string;
  /** The state that discovery reports. */
  readonly state?: "disabled";
}

const task = JSON.parse(process.argv[2] ?? "{}") as SwitchTask;
if (task.folder !== undefined) await run(task);

async function run({ folder, action, dieAt, state }: SwitchTask): Promise<void> {
  const [home, userHome] = [join(folder, "home"), join(folder, "user")];
  const environment = { PATH: process.env.PATH, HOME: userHome };
  const hub = await openHubWith({
    home,
    userHome,
    workspace: folder,
    clock: () => 0,
    scope: { kind: "user", home, pluginsDirectory: join(home, "plugins") },
    environment,
    // Scan results do not matter here, and the scanner takes longer to load than everything else.
    scan: async () =>
      ({
        verdict: "safe",
        findings: [],
        capabilities: {},
        coverage: [],
        ruleSet: "none",
      }) as unknown as ScanReport,
    onStep: ({ step, what }) => {
      if (step !== "place") return;
      process.stdout.write(`${what}\n`);
      if (what === dieAt) process.kill(process.pid, "SIGKILL");
    },
  });
  const places = [".gemini/skills", ".cursor/skills", ".augment/skills"]
    .map((one) => join(userHome, one, "pdf/SKILL.md"))
    .filter((place) => state === undefined || existsSync(place));
  const [path = "", ...alsoAt] = places;
  const source = { id: "x", folder: "pdf", file: "SKILL.md" };
  const skill = {
    name: "pdf",
    directoryName: "pdf",
    kind: "skill",
    path,
    alsoAt,
    source,
    ...(state && { state }),
  } as const;
  process.stdout.write("begin\n");
  if (action === "adopt") {
    const copies = [".gemini/skills/csv", ".cursor/skills/csv"].map((one) => join(userHome, one));
    const planned = await hub.planAdopt({ places: copies, force: false });
    if (planned.state === "planned") await hub.apply({ items: [planned], refusals: [], diagnostics: [] });
    return;
  }
  const plan = await planSwitch({ home, userHome, environment, hub }, { action, name: "pdf", skill });
  const override = {
    layer: "user",
    name: "pdf",
    scope: "user",
    selectBy: "name",
    takeBackOnly: true,
  } as const;
  const file = join(home, "config.yaml");
  const config = { record: { kind: "config", skill: "pdf", agents: [], file, override } } as const;
  await hub.applySwitch({ action, steps: action === "disable" ? [...plan.steps, config] : plan.steps });
  process.stdout.write("end\n");
}
