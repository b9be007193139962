import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openSkills } from "@skillet/core";
import { countTokens } from "@skillet/core/internal";
import { parseCount } from "./bench-options.ts";
import { generateLibrary, type Library } from "./library/generate-library.ts";
import { renderTable } from "./report/render-table.ts";
import { drawTokens, type TokenRow } from "./report/token-chart.ts";

const MESSAGE = "please summarise the quarterly report and send a draft to the team";
const CONTEXT_WINDOW = 200_000;

const { values } = parseArgs({
  options: {
    skills: { type: "string", default: "10,100,1000,10000" },
    seed: { type: "string", default: "1" },
    chart: { type: "string" },
  },
});

const rows: TokenRow[] = [];
for (const count of values.skills.split(",").map((text) => parseCount("--skills", text)))
  rows.push(await measure(count, parseCount("--seed", values.seed)));
const show = (tokens: number): string => tokens.toLocaleString("en");
console.log(
  renderTable([
    ["Skills", "everything", "names and descriptions", "Skillet at rest", "of it tools", "after one load"],
    ...rows.map((row) => [
      show(row.skills),
      show(row.everything),
      show(row.descriptions),
      show(row.rest),
      show(row.tools),
      show(row.loaded),
    ]),
  ]),
);
if (values.chart !== undefined) writeFileSync(values.chart, drawTokens(rows));

async function measure(count: number, seed: number): Promise<TokenRow> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-tokens-")));
  try {
    const library = generateLibrary({ root, count, seed });
    const skills = await openSkills({ config: {}, roots: [root], cacheDirectory: join(root, ".cache") });
    await using session = await skills.session();
    await using _turn = session.turn();
    const { text, toolbox } = await session.prompt([MESSAGE], { budget: { contextWindow: CONTEXT_WINDOW } });
    const tools = toolbox.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const load = toolbox.tools.find(({ kind }) => kind === "load");
    const result = await load?.execute({ name: skills.list()[0]?.name });
    if (result === undefined || result.isError) throw new Error(`nothing was loaded: ${result?.text}`);
    const rest = countTokens(text) + countTokens(JSON.stringify(tools));
    return {
      skills: count,
      ...withoutSkillet(library),
      rest,
      tools: countTokens(JSON.stringify(tools)),
      loaded: rest + countTokens(result.text),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What a prompt costs that has every file, and one that lists every name and description. */
function withoutSkillet({ skills }: Library): Pick<TokenRow, "everything" | "descriptions"> {
  let everything = 0;
  let descriptions = 0;
  for (const { path, declared } of skills) {
    everything += countTokens(readFileSync(path, "utf8"));
    if (declared !== undefined) descriptions += countTokens(`- ${declared.name}: ${declared.description}\n`);
  }
  return { everything, descriptions };
}
