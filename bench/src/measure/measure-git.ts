import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateRepository, type SkillRepository } from "../library/generate-repository.ts";
import { costOf, medianCost } from "./cost.ts";
import { DEFAULT_HUB_LIMITS, GitHttpServer, openGitSource } from "./git-product.ts";
import { interleave } from "./interleave.ts";
import { type InstallTimes, measureInstall } from "./measure-install.ts";
import { removeFolder } from "./remove-folder.ts";

/** How long it took to get one skill of a repository. */
export interface GitRow {
  readonly how: string;
  readonly byHandMs: number;
  readonly skilletMs: number;
  readonly ratio: number;
}

/** Gets one skill of a large repository, with git by hand and with the hub, in turns. */
export async function measureGit(options: {
  readonly root: string;
  readonly skills: number;
  readonly runs: number;
}): Promise<{
  readonly rows: readonly GitRow[];
  readonly install: InstallTimes;
  readonly problems: readonly string[];
}> {
  const { root, skills, runs } = options;
  const repository = generateRepository(join(root, "served", "skills.git"), { skills });
  const server = await GitHttpServer.start(join(root, "served"));
  const problems: string[] = [];
  const rows: GitRow[] = [];
  try {
    for (const [how, url] of [
      ["file", `file://${repository.directory}`],
      ["http", server.url("skills.git")],
    ] as const) {
      rows.push({ how, ...(await measureUrl({ root, url, repository, runs, problems })) });
    }
  } finally {
    await server.stop();
  }
  return { rows, install: await measureInstall({ root, repository, runs }), problems };
}

interface UrlRun {
  readonly root: string;
  readonly url: string;
  readonly repository: SkillRepository;
  readonly runs: number;
  readonly problems: string[];
}

async function measureUrl({ root, url, repository, runs, problems }: UrlRun): Promise<Omit<GitRow, "how">> {
  const folder = repository.folders[Math.floor(repository.folders.length / 2)] ?? "";
  const expected = repository.files.map((file) =>
    execFileSync("git", ["show", `HEAD:${folder}/${file}`], { cwd: repository.directory, encoding: "utf8" }),
  );
  // What one run leaves behind is removed on nobody's time.
  const leftovers: (() => unknown)[] = [];
  const prepare = async (): Promise<void> => {
    for (const remove of leftovers.splice(0)) await remove();
  };
  const check = (who: string, texts: readonly string[]): void => {
    if (texts.join("\0") !== expected.join("\0")) problems.push(`${who} got other bytes over ${url}`);
  };
  const contestants = [
    {
      name: "hand" as const,
      run: async () => {
        const directory = mkdtempSync(join(root, "hand-"));
        leftovers.push(() => removeFolder(directory));
        check("git", await byHand({ url, folder, directory, files: repository.files }));
      },
    },
    {
      name: "skillet" as const,
      run: async () => {
        const opened = await openGitSource(
          { kind: "git", url },
          {
            home: join(root, "home"),
            limits: DEFAULT_HUB_LIMITS,
            environment: process.env,
            allowedPrivateHosts: [],
            askedBy: "person",
          },
        );
        leftovers.push(() => opened.close());
        const files = await opened.read(repository.files.map((file) => `${folder}/${file}`));
        check(
          "skillet",
          files.map(({ bytes }) => Buffer.from(bytes).toString()),
        );
      },
    },
  ];
  for (const { run } of contestants) await run();
  await prepare();
  const turns = contestants.map(({ name, run }) => ({ name, turn: () => costOf(run) }));
  const costs = await interleave(turns, { rounds: runs });
  await prepare();
  const byHandMs = medianCost(costs.get("hand") ?? []).wallMs;
  const skilletMs = medianCost(costs.get("skillet") ?? []).wallMs;
  return { byHandMs, skilletMs, ratio: skilletMs / byHandMs };
}

/** A shallow, partial and sparse clone, as one would type it. */
async function byHand(options: {
  readonly url: string;
  readonly folder: string;
  readonly directory: string;
  readonly files: readonly string[];
}): Promise<readonly string[]> {
  const { url, folder, directory, files } = options;
  const clone = join(directory, "clone");
  await git(["clone", "--quiet", "--depth=1", "--filter=blob:none", "--sparse", "--", url, clone]);
  await git(["-C", clone, "sparse-checkout", "set", folder]);
  return files.map((file) => readFileSync(join(clone, folder, file), "utf8"));
}

// Not by a call that waits: the server lives in this process.
async function git(args: readonly string[]): Promise<void> {
  const child = spawn("git", args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
}
