import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseCount } from "./bench-options.ts";
import { type CodeSkill, npmSkills, scriptSkills } from "./scan/code-skills.ts";
import { judgeAll, renderCollection, renderFlagged } from "./scan/collection.ts";

const USAGE = `Usage: npm run eval:scan-code -- [DIR...] [options]

  DIR               folders named node_modules, and folders of scripts
                    (default: this repository's packages, and the scripts of Debian)
  --limit N         at most so many of each kind, spread over all of them (default 2000)
  --caution         also list what asks for caution`;

const SYSTEM_FOLDERS = ["/usr/bin", "/usr/sbin", "/usr/lib/python3", "/usr/share"];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        limit: { type: "string", default: "2000" },
        caution: { type: "boolean", default: false },
      },
    });
    const limit = parseCount("--limit", values.limit);
    const folders =
      positionals.length > 0
        ? positionals
        : [join(import.meta.dirname, "../../../node_modules"), ...SYSTEM_FOLDERS];
    const isPackages = (folder: string): boolean => /(?:^|\/)node_modules\/?$/.test(folder);
    const packages = folders.filter(isPackages).flatMap((folder) => npmSkills(folder.replace(/\/$/, "")));
    const scripts = scriptSkills(folders.filter((folder) => !isPackages(folder)));
    await report("npm packages", spread(packages, limit), values.caution);
    await report("shell and Python scripts", spread(scripts, limit), values.caution);
    return 0;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    return 2;
  }
}

async function report(title: string, skills: readonly CodeSkill[], withCaution: boolean): Promise<void> {
  if (skills.length === 0) return;
  const rows = await judgeAll(skills);
  console.log(`${title}\n\n${renderCollection(rows)}\n\nDangerous\n${renderFlagged(rows, "dangerous")}\n`);
  if (withCaution) console.log(`Caution\n${renderFlagged(rows, "caution")}\n`);
}

// Every so-manieth, so that a bound does not leave out the end of the alphabet.
function spread<Item>(items: readonly Item[], limit: number): readonly Item[] {
  if (items.length <= limit) return items;
  return Array.from(
    { length: limit },
    (_, index) => items[Math.floor((index * items.length) / limit)],
  ).filter((item) => item !== undefined);
}
