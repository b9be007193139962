import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SkillRepository } from "../library/generate-repository.ts";
import { DEFAULT_HUB_LIMITS, findOffers, openGitSource, openHub } from "./git-product.ts";
import { median } from "./median.ts";
import { removeFolder } from "./remove-folder.ts";

/** How long everything around git took. */
export interface InstallTimes {
  /** Validate, scan, decide, place, lock and audit one skill of ten files: the first time in a process, and later. */
  readonly firstMs: number;
  readonly restMs: number;
  /** Find a skill among all of them: by its folder's name, and by a name that is only in its header. */
  readonly byFolderMs: number;
  readonly byHeaderMs: number;
}

/** Installs a skill from a folder, where git has no part, and looks names up in the whole repository. */
export async function measureInstall(options: {
  readonly root: string;
  readonly repository: SkillRepository;
  readonly runs: number;
}): Promise<InstallTimes> {
  const { root, repository, runs } = options;
  const folder = repository.folders[Math.floor(repository.folders.length / 2)] ?? "";
  const skill = copySkill(join(root, "one"), repository, folder);
  const times: number[] = [];
  for (let run = 0; run <= runs; run++) times.push(await installOnce(root, skill));
  const [firstMs = 0, ...later] = times;
  const byFolderMs = await lookUp(root, repository, folder.slice(folder.lastIndexOf("/") + 1));
  const byHeaderMs = await lookUp(root, repository, "a name that no folder has");
  return { firstMs, restMs: median(later), byFolderMs, byHeaderMs };
}

function copySkill(target: string, repository: SkillRepository, folder: string): string {
  for (const file of repository.files) {
    const path = join(target, file);
    mkdirSync(dirname(path), { recursive: true });
    const text = execFileSync("git", ["show", `HEAD:${folder}/${file}`], { cwd: repository.directory });
    writeFileSync(path, text);
  }
  return target;
}

async function installOnce(root: string, skill: string): Promise<number> {
  const place = mkdtempSync(join(root, "install-"));
  const home = join(place, "home");
  const start = performance.now();
  const hub = await openHub({
    home,
    userHome: place,
    workspace: place,
    scope: { kind: "user", home, pluginsDirectory: join(home, "plugins") },
    environment: process.env,
    clock: Date.now,
  });
  const request = {
    names: [],
    all: false,
    agents: [],
    agentTargets: "link",
    link: false,
    force: true,
  } as const;
  const [result] = await hub.apply(await hub.planInstall({ ...request, source: skill }));
  const milliseconds = performance.now() - start;
  if (result?.outcome !== "installed") throw new Error(`The skill was not installed: ${result?.reason}`);
  removeFolder(place);
  return milliseconds;
}

async function lookUp(root: string, repository: SkillRepository, name: string): Promise<number> {
  const opened = await openGitSource(
    { kind: "git", url: `file://${repository.directory}` },
    {
      home: join(root, "home"),
      limits: DEFAULT_HUB_LIMITS,
      environment: process.env,
      allowedPrivateHosts: [],
    },
  );
  try {
    const start = performance.now();
    await findOffers(opened, { folder: "", names: [name], rootName: "skills" });
    return performance.now() - start;
  } finally {
    await opened.close();
  }
}
