import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createJudge, judgeReport, scanSkill, type Verdict } from "@skillet/scan";
import { readManifest } from "./scan/manifest.ts";
import { formatRate, rateOf } from "./scan/rate.ts";
import { readFiles } from "./scan/read-files.ts";

const USAGE = `Usage: npm run eval:judge -- --manifest M.jsonl --root DIR --folder DIR [--sample N]

Writes the exact question about each skill to the folder, as NAME.question.txt, where NAME.answer.txt is missing, and
scores the answers that are there. Have a model answer the questions in between; their names say nothing about the labels.

  --manifest FILE   rows of { id, path, label, stratum }, one JSON object a line
  --root DIR        what the paths are relative to
  --folder DIR      for questions and answers
  --sample N        only N rows, chosen by hash`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      manifest: { type: "string" },
      root: { type: "string" },
      folder: { type: "string" },
      sample: { type: "string" },
    },
  });
  const { manifest, root, folder, sample } = values;
  if (manifest === undefined || root === undefined || folder === undefined) {
    console.error(USAGE);
    return 2;
  }
  mkdirSync(folder, { recursive: true });
  const rows = readManifest(manifest)
    .map((row) => ({ ...row, name: hash(`question\n${row.id}`).slice(0, 16) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .slice(0, sample === undefined ? undefined : Number(sample));
  const verdicts: { readonly isAttack: boolean; readonly verdict: Verdict }[] = [];
  let [unanswered, refused] = [0, 0];
  for (const row of rows) {
    const files = readFiles(join(root, row.path));
    let part = 0;
    let isMissing = false;
    const judge = createJudge(
      {
        by: "answers in a folder",
        ask: async ({ system, prompt }) => {
          part += 1;
          const name = join(folder, `${row.name}-${part}`);
          if (existsSync(`${name}.answer.txt`)) return { text: readFileSync(`${name}.answer.txt`, "utf8") };
          isMissing = true;
          writeFileSync(`${name}.question.txt`, `${system}\n\n${prompt}`);
          return { failure: { message: "not answered yet" } };
        },
      },
      { nonce: () => hash(`nonce\n${row.id}`).slice(0, 32) },
    );
    const { report } = await judgeReport({ report: await scanSkill(files), files, judge });
    if (isMissing) unanswered += 1;
    else if (report.opinion === undefined) refused += 1;
    if (!isMissing)
      verdicts.push({ isAttack: row.label === "malicious", verdict: report.opinion?.verdict ?? "safe" });
  }
  const share = (isAttack: boolean, wanted: readonly Verdict[]): string => {
    const those = verdicts.filter((one) => one.isAttack === isAttack);
    return formatRate(rateOf(those.filter(({ verdict }) => wanted.includes(verdict)).length, those.length));
  };
  console.log(
    `${rows.length} skills, ${unanswered} not answered yet, ${refused} whose answer does not count`,
  );
  console.log(
    `attacks called dangerous   ${share(true, ["dangerous"])}, at least caution ${share(true, ["dangerous", "caution"])}`,
  );
  console.log(
    `honest called dangerous    ${share(false, ["dangerous"])}, at least caution ${share(false, ["dangerous", "caution"])}`,
  );
  return 0;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
