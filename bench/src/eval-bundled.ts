import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "./report/render-table.ts";
import { answerTriggers, figuresOf, type TriggerAnswer } from "./select/bundled-triggers.ts";

const USAGE = `Usage: npm run eval:bundled -- [FOLDER] [--list]

  FOLDER  files NAME.jsonl, one for each bundled skill, with rows of { message, expected }; without it, the skills' own
          sets, which they learn from, each message decided by a selector that has not seen it
  --list  list the messages that are answered wrongly at suggest`;

// The built file lies in bench/dist/select.
const REPOSITORY = join(import.meta.dirname, "../../..");

process.exitCode = await main();

async function main(): Promise<number> {
  const options = parseOptions();
  if (options === undefined) {
    console.error(USAGE);
    return 2;
  }
  const answers = await answerTriggers({ skills: join(REPOSITORY, "skills"), sets: options.folder });
  console.log(render(answers));
  if (options.list)
    for (const { skill, message, expected, decision, offered } of answers)
      if (expected !== (decision !== "nothing"))
        console.log(
          `\n${expected ? "missed" : "called"}  ${skill}: ${message}\n        ${offered || "none"}`,
        );
  return 0;
}

function render(answers: readonly TriggerAnswer[]): string {
  const rowOf = (name: string, some: readonly TriggerAnswer[]): readonly string[] => {
    const figures = (["suggest", "activate"] as const).flatMap((at) => {
      const { precision, recall } = figuresOf(some, at);
      return [precision, recall].map((share) => (Number.isNaN(share) ? "–" : share.toFixed(3)));
    });
    return [name, String(some.length), ...figures];
  };
  const names = [...new Set(answers.map(({ skill }) => skill))];
  return renderTable([
    ["skill", "messages", "suggest: precision", "recall", "activate: precision", "recall"],
    ...names.map((name) =>
      rowOf(
        name,
        answers.filter(({ skill }) => skill === name),
      ),
    ),
    rowOf("all", answers),
  ]);
}

function parseOptions(): { readonly folder: string | undefined; readonly list: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { list: { type: "boolean", default: false } },
    });
    if (positionals.length > 1) return undefined;
    const [folder] = positionals;
    return { folder: folder === undefined ? undefined : resolve(folder), list: values.list };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    return undefined;
  }
}
