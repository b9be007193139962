import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./scan/judged.ts";
import { type ManifestRow, type Part, partOf, readManifest } from "./scan/manifest.ts";
import { createProgress } from "./scan/progress.ts";
import { readFiles } from "./scan/read-files.ts";
import { renderMisses, renderScore } from "./scan/render-score.ts";
import { renderPasses, renderSpeed, speedOf } from "./scan/render-speed.ts";
import { type JudgedRow, score } from "./scan/score.ts";

const USAGE = `Usage: npm run eval:scan -- --manifest M.jsonl --root DIR [options]

  --manifest FILE   rows of { id, path, label, stratum, group?, twin? }, one JSON object a line
  --root DIR        what the paths are relative to
  --part tune|held  only the groups that rules are tuned on, or only the third held out
  --misses          list what was missed and what was flagged wrongly, with the rules
  --json            print one JSON document`;

interface EvalOptions {
  readonly manifest: string;
  readonly root: string;
  readonly part?: Part;
  readonly misses: boolean;
  readonly json: boolean;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined) {
    console.error(USAGE);
    return 2;
  }
  const { manifest, root, part } = options;
  const rows = readManifest(manifest).filter(({ group }) => part === undefined || partOf(group) === part);
  const judged = await judgeAll(rows, root);
  const speed = speedOf(judged);
  // The engine compiles what runs often while the first pass runs; the second shows what the work itself costs.
  const secondPass = speedOf(await judgeAll(rows, root));
  const result = score(judged);
  if (options.json)
    console.log(
      JSON.stringify({ rows: judged.length, score: result, speed, secondPass, judged }, undefined, 2),
    );
  else {
    console.log(renderScore(result));
    console.log(renderSpeed(speed));
    console.log(renderPasses(speed, secondPass));
    if (options.misses) console.log(`\n${renderMisses(judged)}`);
  }
  return 0;
}

async function judgeAll(rows: readonly ManifestRow[], root: string): Promise<readonly JudgedRow[]> {
  const progress = createProgress(rows.length);
  const judged: JudgedRow[] = [];
  for (const row of rows) {
    judged.push({ ...row, ...(await judge(readFiles(join(root, row.path)))) });
    progress.step();
  }
  progress.end();
  return judged;
}

function parseOptions(args: readonly string[]): EvalOptions | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        manifest: { type: "string" },
        root: { type: "string" },
        part: { type: "string" },
        misses: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    const { manifest, root, part, misses, json } = values;
    if (manifest === undefined || root === undefined) return undefined;
    if (part !== undefined && part !== "tune" && part !== "held") return undefined;
    return { manifest, root, misses, json, ...(part !== undefined && { part }) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    return undefined;
  }
}
