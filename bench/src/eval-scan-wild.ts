import { join } from "node:path";
import { parseArgs } from "node:util";
import { judgeAll, renderCollection, renderFlagged } from "./scan/collection.ts";
import { readFiles } from "./scan/read-files.ts";
import { skillFolders } from "./scan/skill-folders.ts";

const USAGE = `Usage: npm run eval:scan-wild -- DIR [--list]

  DIR      a folder of skills; every folder with a SKILL.md is one
  --list   list what was flagged, with the rules`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { list: { type: "boolean", default: false } },
    });
    const [root] = positionals;
    if (root === undefined || positionals.length > 1) throw new TypeError("One folder is wanted.");
    const folders = skillFolders(root);
    const memory: number[] = [memoryMegabytes()];
    const skills = folders.map((folder) => ({
      name: folder,
      files: () => readFiles(join(root, folder)),
    }));
    const rows = await judgeAll(skills, (done) => {
      if (done === Math.floor(skills.length / 2)) memory.push(memoryMegabytes());
    });
    memory.push(memoryMegabytes());
    console.log(renderCollection(rows));
    const [start = 0, middle = 0, end = 0] = memory.map(Math.round);
    console.log(
      `Heap after a collection: ${start} MB at the start, ${middle} MB in the middle, ${end} MB at the end`,
    );
    if (values.list)
      console.log(
        `\nDangerous\n${renderFlagged(rows, "dangerous")}\n\nCaution\n${renderFlagged(rows, "caution")}`,
      );
    return 0;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    return 2;
  }
}

function memoryMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
