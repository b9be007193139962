import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseCount } from "./bench-options.ts";
import { measureGit } from "./measure/measure-git.ts";
import { removeFolder } from "./measure/remove-folder.ts";
import { renderTable } from "./report/render-table.ts";

const USAGE = `Usage: node bench/run-install-git.mjs [options]

  --skills N      skills of the repository, of ten files each (default 2000)
  --runs N        rounds of the interleaved measurement (default 9)`;

const LIMIT = 1.2;
const REST_LIMIT_MS = 150;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let runs: number;
  let skills: number;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { runs: { type: "string", default: "9" }, skills: { type: "string", default: "2000" } },
    });
    runs = parseCount("--runs", values.runs);
    skills = parseCount("--skills", values.skills);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-bench-")));
  mkdirSync(join(root, "served"));
  try {
    const { rows, install, problems } = await measureGit({ root, skills, runs });
    console.log(
      renderTable([
        [`One skill of ${skills}`, "git by hand ms", "skillet ms", "ratio", "limit"],
        ...rows.map(({ how, byHandMs, skilletMs, ratio }) => [
          `over ${how}`,
          byHandMs.toFixed(0),
          skilletMs.toFixed(0),
          ratio.toFixed(2),
          `<= ${LIMIT} ${ratio <= LIMIT ? "ok" : "EXCEEDED"}`,
        ]),
      ]),
    );
    console.log(
      renderTable([
        ["Around git, ten files", "ms", "limit"],
        ["first install of a process", install.firstMs.toFixed(0), ""],
        [
          "later installs",
          install.restMs.toFixed(0),
          `<= ${REST_LIMIT_MS} ${install.restMs <= REST_LIMIT_MS ? "ok" : "EXCEEDED"}`,
        ],
        ["look up by a folder's name", install.byFolderMs.toFixed(0), ""],
        ["look up by a name that is only in headers", install.byHeaderMs.toFixed(0), ""],
      ]),
    );
    console.log(
      problems.length === 0
        ? "\nResults are right."
        : `\nWRONG RESULTS:\n${[...new Set(problems)].join("\n")}`,
    );
    return problems.length === 0 ? 0 : 1;
  } finally {
    removeFolder(root);
  }
}
