import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseCount } from "./bench-options.ts";
import { generateLibrary } from "./library/generate-library.ts";
import { measureCatalog } from "./measure/measure-catalog.ts";
import { discover } from "./measure/product.ts";
import { LIMITS } from "./report/limits.ts";
import { renderTable } from "./report/render-table.ts";

const USAGE = `Usage: npm run bench:catalog -- [options]

  --skills N      how many skills to generate (default 10000)
  --runs N        rounds of the interleaved measurement (default 9)
  --seed N        another library of the same kind (default 1)`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-bench-")));
  const cleanUp = (): void => rmSync(root, { recursive: true, force: true });
  // A large library must not stay behind because somebody lost patience.
  process.once("SIGINT", () => {
    cleanUp();
    process.exit(130);
  });
  try {
    generateLibrary({ root, count: options.skills, seed: options.seed });
    const { skills } = await discover(root, undefined);
    const { rows, problems } = await measureCatalog(skills, options);
    console.log(
      renderTable([
        [`Catalogue of ${skills.length} skills`, "listed", "characters", "cpu ms", "ratio", "limit"],
        ...rows.map(({ label, listed, characters, cpuMs, ratio, isLimited }) => [
          label,
          String(listed),
          String(characters),
          cpuMs.toFixed(1),
          ratio.toFixed(2),
          isLimited ? `<= ${LIMITS.catalog.toFixed(1)} ${ratio <= LIMITS.catalog ? "ok" : "EXCEEDED"}` : "",
        ]),
      ]),
    );
    console.log(problems.length === 0 ? "\nResults are right." : `\nWRONG RESULTS:\n${problems.join("\n")}`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    cleanUp();
  }
}

function parseOptions(args: readonly string[]): { skills: number; runs: number; seed: number } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      skills: { type: "string", default: "10000" },
      runs: { type: "string", default: "9" },
      seed: { type: "string", default: "1" },
    },
  });
  return {
    skills: parseCount("--skills", values.skills),
    runs: parseCount("--runs", values.runs),
    seed: parseCount("--seed", values.seed),
  };
}
