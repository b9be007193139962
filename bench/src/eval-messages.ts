import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "./report/render-table.ts";
import { createSelector, type SelectionDecision, type Skill } from "./select/product.ts";
import { findSkillFiles, readSkill } from "./select/trigger-set.ts";

const USAGE = `Usage: npm run eval:messages -- [FILE] [--list]

  FILE    rows of { id, kind, message, expected }, one JSON object a line, about the skills in the folder \`skills\`
          beside it; without it, both halves of bench/messages
  --list  list the messages that are answered wrongly`;

/** A message and the skills that should be offered for it; none where the list is empty. */
interface Row {
  readonly id: string;
  readonly kind: string;
  readonly message: string;
  readonly expected: readonly string[];
}

interface Answer {
  readonly row: Row;
  /** Nothing is offered where nothing is expected; otherwise the first that is offered is expected. */
  readonly isRight: boolean;
  /** A skill that is not expected is activated. */
  readonly isActivatedWrongly: boolean;
  readonly offered: string;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const options = parseOptions();
  if (options === undefined) {
    console.error(USAGE);
    return 2;
  }
  for (const file of options.files) {
    const answers = await answerAll(file);
    console.log(`${basename(file)}: ${answers.length} messages\n\n${render(answers)}\n`);
    if (options.list)
      for (const { row, offered } of answers.filter(({ isRight }) => !isRight))
        console.log(`${row.id} ${row.message}\n     expected ${row.expected.join() || "none"}; ${offered}`);
  }
  return 0;
}

async function answerAll(file: string): Promise<readonly Answer[]> {
  const bodies = new Map<Skill, string>();
  for (const path of findSkillFiles(join(dirname(file), "skills"))) {
    const folder = basename(dirname(path));
    const read = readSkill(path, { folder, qualifiedName: folder });
    if (read === undefined) throw new Error(`${path} is not a skill.`);
    bodies.set(read.skill, read.body);
  }
  const selector = await createSelector([...bodies.keys()], { readBody: (skill) => bodies.get(skill) });
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Row)
    .map((row) => toAnswer(row, selector.decide(row.message)));
}

function toAnswer(row: Row, { activate, suggest }: SelectionDecision<Skill>): Answer {
  const isExpected = ({ skill }: { readonly skill: Skill }): boolean => row.expected.includes(skill.name);
  const [first] = [...activate, ...suggest];
  const show = (list: typeof activate): string =>
    list.map(({ skill, score }) => `${skill.name} ${score.toFixed(2)}`).join(", ") || "none";
  return {
    row,
    isRight: first === undefined ? row.expected.length === 0 : isExpected(first),
    isActivatedWrongly: activate.some((one) => !isExpected(one)),
    offered: `activated ${show(activate)}; suggested ${show(suggest)}`,
  };
}

function render(answers: readonly Answer[]): string {
  const kinds = [...new Set(answers.map(({ row }) => row.kind))];
  const rowOf = (name: string, some: readonly Answer[]): readonly string[] => {
    const strangers = some.filter(({ row }) => row.expected.length === 0);
    const own = some.filter(({ row }) => row.expected.length > 0);
    return [
      name,
      `${some.filter(({ isRight }) => isRight).length} of ${some.length}`,
      `${own.filter(({ isRight }) => isRight).length} of ${own.length}`,
      `${strangers.filter(({ isRight }) => !isRight).length} of ${strangers.length}`,
      String(some.filter(({ isActivatedWrongly }) => isActivatedWrongly).length),
    ];
  };
  return renderTable([
    ["kind", "right", "found", "offered for nothing", "activated wrongly"],
    ...kinds.map((kind) =>
      rowOf(
        kind,
        answers.filter(({ row }) => row.kind === kind),
      ),
    ),
    rowOf("all", answers),
  ]);
}

function parseOptions(): { readonly files: readonly string[]; readonly list: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { list: { type: "boolean", default: false } },
    });
    // The built file lies in bench/dist/select.
    const folder = join(import.meta.dirname, "../../messages");
    const both = ["messages-dev.jsonl", "messages-test.jsonl"].map((name) => join(folder, name));
    return { files: positionals.length > 0 ? positionals : both, list: values.list };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    return undefined;
  }
}
