import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { skillEntry } from "../../../packages/hub/src/place/testing/sandbox-project.ts";
import { verifyEntry } from "../../../packages/hub/src/place/verify-entry.ts";
import { createRandom } from "../library/random.ts";
import { costOf, medianCost } from "./cost.ts";
import { interleave } from "./interleave.ts";

/** The median processor time of one way, against that of the plain loop in the same rounds. */
export interface VerifyRow {
  readonly label: string;
  readonly cpuMs: number;
  readonly ratio: number;
}

const TARGET = ".agents/skills/large";

/** Times `verifyEntry` on one large skill against a loop that reads and hashes the same files. */
export async function measureVerify(options: {
  readonly root: string;
  readonly runs: number;
  readonly files: number;
}): Promise<{ readonly rows: readonly VerifyRow[]; readonly problems: string[] }> {
  const files = makeFiles(options.files);
  const folder = join(options.root, TARGET);
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const entry = skillEntry("large", files, [{ path: TARGET, how: "copy" }]);
  const problems: string[] = [];
  const loop = (): void => {
    if (hashFolder(folder) !== files.length) problems.push("the loop did not see every file");
  };
  const verify = async (): Promise<void> => {
    const drifts = await verifyEntry(options.root, "large", entry);
    if (drifts.length > 0)
      problems.push(`verify found differences where there are none: ${drifts[0]?.message}`);
  };
  loop();
  await verify();
  const contestants = [
    { name: "plain hash loop", turn: () => costOf(loop) },
    { name: "verify", turn: () => costOf(verify) },
  ];
  const costs = await interleave(contestants, { rounds: options.runs });
  const base = medianCost(costs.get("plain hash loop") ?? []).cpuMs;
  const rows = [...costs].map(([label, values]) => {
    const { cpuMs } = medianCost(values);
    return { label, cpuMs, ratio: cpuMs / base };
  });
  return { rows, problems };
}

/** As small and as many as the files of skills are: a few hundred bytes to some kilobytes, a hundred to a folder. */
function makeFiles(count: number): readonly TreeFile[] {
  const random = createRandom(1);
  return Array.from({ length: count }, (_, index) => ({
    path: `references/${Math.floor(index / 100)}/file-${index}.md`,
    mode: "644" as const,
    bytes: Buffer.alloc(200 + Math.floor(random.next() * 6_000), `${index} `),
  }));
}

function hashFolder(folder: string): number {
  let count = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) count += hashFolder(path);
    else if (createHash("sha256").update(readFileSync(path)).digest("hex") !== "") count += 1;
  }
  return count;
}
