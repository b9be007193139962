// From conversations to skills, and whether messages of other days find them among others:
// npm run eval:skillify -- FOLDER [--others 500] [--show NAME] [--half odd|even]   FOLDER: skills to choose from besides
//   --set DIR      conversations by another hand in place of bench/skillify/jobs.mjs: NN.* with NN.expect.json
//   --planted DIR  conversations with secrets in them: NN.* with NN.planted.json; counts what is left
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "./prepare.mjs";
import { JOBS } from "./skillify/jobs.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ others: { type: "string", default: "500" }, show: { type: "string" } },
    ...{ set: { type: "string" }, planted: { type: "string" }, half: { type: "string" } },
  },
});
if (positionals.length !== 1) throw new Error("Name a folder of skills: npm run eval:skillify -- FOLDER");
buildPackages();
const { lintSkill, readTranscript, skillify } = await import("@skillet/author");
const { MemorySource, openSkills, parseSkill } = await import("@skillet/core");
const { scanSkill } = await import("@skillet/scan");

if (values.planted === undefined) await findThem();
else await countPlanted();

/** Conversations of a folder, each with what its writer expects; by half where only one may be looked at. */
function* readCases(folder, kind) {
  const files = readdirSync(folder).sort();
  for (const file of files) {
    const [, name] = /^(\d+)\.(?:jsonl|json|md)$/.exec(file) ?? [];
    if (name === undefined || (values.half ?? halfOf(name)) !== halfOf(name)) continue;
    const expected = JSON.parse(readFileSync(join(folder, `${name}.${kind}.json`), "utf8"));
    yield { name, expected, transcript: () => readTranscript(join(folder, file)) };
  }
}

function halfOf(name) {
  return Number(name) % 2 === 0 ? "even" : "odd";
}

function* ownCases() {
  for (const [index, { name, lines, later }] of JOBS.entries()) {
    const records = [neutral, claude, codex][index % 3](lines.split("\n"));
    const bytes = Buffer.from(records.map((line) => `${JSON.stringify(line)}\n`).join(""));
    yield { name, expected: { later }, transcript: () => readTranscript([bytes]) };
  }
}

async function findThem() {
  const others = readOthers();
  const rows = [];
  const ranks = [];
  const wrong = [];
  const cases = values.set === undefined ? ownCases() : readCases(values.set, "expect");
  for (const { name, expected, transcript } of cases) {
    const made = await make(transcript);
    if (made.failure !== undefined) {
      rows.push({ job: name, name: made.failure });
      ranks.push(...expected.later.map(() => 51));
      continue;
    }
    const { text } = made.files[0];
    if (values.show === name) console.log(text);
    const select = await selectorWith(others, made.name, text);
    const own = expected.later.map((message) => {
      const at = select(message).findIndex(({ skill }) => skill.manifest.name === made.name);
      return at === -1 ? 51 : at + 1;
    });
    ranks.push(...own);
    for (const message of expected.not ?? []) {
      const [first] = select(message);
      wrong.push(first?.skill.manifest.name === made.name && first.score >= 0.77);
    }
    rows.push({
      ...{ job: name, name: made.name, ranks: own.join(" ") },
      steps: (text.match(/Success criteria/g) ?? []).length,
      ...shares(text, expected),
      ...(await checks(made, text)),
    });
  }
  if (values.half !== "even") console.table(rows);
  const share = (most) => (ranks.filter((rank) => rank <= most).length / ranks.length).toFixed(3);
  console.log(
    `${rows.length} skills, ${ranks.length} messages among ${others.size} others: Hit@1 ${share(1)}, Recall@10 ${share(10)}`,
  );
  if (wrong.length > 0)
    console.log(`near misses that would activate it: ${wrong.filter(Boolean).length} of ${wrong.length}`);
}

/** How much of what the writer expects is there, and of what must not be there. */
function shares(text, { commands, failed, rules, edited }) {
  const body = text.slice(text.indexOf("\n---\n") + 5).toLowerCase();
  const found = (list) =>
    list === undefined
      ? {}
      : `${list.filter((one) => body.includes(one.toLowerCase())).length}/${list.length}`;
  return commands === undefined
    ? { rules: (/## Rules\n\n([\s\S]*)/.exec(text)?.[1] ?? "").split("\n").filter(Boolean).length }
    : { commands: found(commands), failed: found(failed), rules: found(rules), edited: found(edited) };
}

async function checks({ name, files }, text) {
  const { diagnostics } = parseSkill(text, { directoryName: name, mode: "strict" });
  const lint = lintSkill({ text, file: "SKILL.md", files: [], others: new Map(), collisions: [] });
  const { verdict } = await scanSkill(
    files.map((file) => ({ path: file.path, bytes: Buffer.from(file.text), executable: false })),
  );
  const faults = diagnostics.filter(({ severity }) => severity !== "info");
  return {
    validate: faults.map(({ code }) => code).join(" "),
    lint: lint.findings.map(({ code }) => code).join(" "),
    verdict,
  };
}

async function make(transcript, ask) {
  try {
    return await skillify(await transcript(), { ask });
  } catch (error) {
    return { failure: error.code ?? String(error) };
  }
}

async function countPlanted() {
  const rows = [];
  for (const { name, expected: given, transcript } of readCases(values.planted, "planted")) {
    const planted = given.planted ?? given.strings.map((one) => one.text);
    const { keep, tools: tooWide = given.tooWide } = given;
    const asked = [];
    const made = await make(transcript, async (question) => {
      asked.push(question);
      return { choice: question.choices[0], taken: question.taken };
    });
    const text = made.failure ?? made.files.map((file) => file.text).join("\n");
    if (values.show === name) console.log(text);
    const shown = JSON.stringify(asked);
    const has = (where, one) => where.includes(one) || where.includes(JSON.stringify(one).slice(1, -1));
    const allowed = parseSkill(text, { directoryName: name }).manifest?.tools.allowed ?? [];
    rows.push({
      ...{ name, planted: planted.length, failure: made.failure ?? "" },
      left: planted.filter((one) => has(text, one)),
      shown: planted.filter((one) => has(shown, one)),
      wide: allowed.filter((rule) => tooWide.includes(rule)),
      lost: keep.filter((one) => !text.includes(one)),
    });
  }
  const sum = (key) => rows.reduce((total, row) => total + row[key].length, 0);
  // Of the half that is kept for the proof, nothing but totals.
  if (values.half === "odd")
    console.table(
      rows.map((row) => ({
        ...row,
        left: row.left.join(" | "),
        shown: row.shown.join(" | "),
        wide: row.wide.join(" "),
        lost: row.lost.join(" | "),
      })),
    );
  const planted = rows.reduce((total, row) => total + row.planted, 0);
  console.log(
    `${rows.length} conversations, ${planted} planted: ${sum("left")} left in skills, ${sum("shown")} in what is shown; ` +
      `over-broad tools ${sum("wide")}; useful strings lost ${sum("lost")}`,
  );
}

function readOthers() {
  const others = new Map();
  for (const { parentPath, name } of readdirSync(positionals[0], { recursive: true, withFileTypes: true })) {
    if (name !== "SKILL.md" || others.size >= Number(values.others)) continue;
    const text = readFileSync(join(parentPath, name), "utf8");
    const { manifest } = parseSkill(text, { directoryName: basename(parentPath) });
    if (manifest !== undefined && !others.has(manifest.name)) others.set(manifest.name, text);
  }
  return others;
}

async function selectorWith(others, name, text) {
  const files = Object.fromEntries([...others, [name, text]].map(([one, main]) => [`${one}/SKILL.md`, main]));
  const skills = await openSkills({
    sources: [new MemorySource(files, { id: "eval" })],
    ...{ config: false, bundledDirectory: false, organisationDirectory: false, cacheDirectory: false },
    roots: [],
  });
  const selector = await skills.selector();
  return (message) => selector.select(message, { limit: 50 });
}

function* events(lines) {
  for (const [index, line] of lines.entries()) {
    const [, mark, text] = /^(>|\$!|\$|e|x|<) (.*)$/.exec(line) ?? [];
    const [command, denied] = (text ?? "").split(" | ");
    const id = `c${index}`;
    if (mark === ">") yield { typed: text };
    else if (mark === "<") yield { said: text };
    else if (mark === "e")
      yield { id, tool: "Edit", input: { file_path: text, old_string: "a", new_string: "b" } };
    else if (mark === "x") yield { id, tool: "Bash", input: { command }, denied };
    else yield { id, tool: "Bash", input: { command: text }, failed: mark === "$!" };
  }
}

function neutral(lines) {
  return Array.from(events(lines), ({ typed, said, tool: name, input, denied, failed }) => {
    if (name === undefined) return { role: typed === undefined ? "assistant" : "user", text: typed ?? said };
    const outcome =
      denied === undefined ? (failed ? { error: "exit code 1" } : { output: "ok" }) : { denied };
    return { role: "assistant", tool: { name, input, ...outcome } };
  });
}

function claude(lines) {
  const line = (type, content, rest = {}) => ({
    type,
    sessionId: "s",
    isSidechain: false,
    message: { role: type, content },
    ...rest,
  });
  return Array.from(events(lines)).flatMap(
    ({ typed, said, id, tool: name, input, denied, failed = false }) => {
      if (typed !== undefined) return [line("user", typed)];
      if (said !== undefined) return [line("assistant", [{ type: "text", text: said }])];
      const result = {
        type: "tool_result",
        tool_use_id: id,
        content: failed ? "exit code 1" : "ok",
        is_error: failed,
      };
      const denial = denied === undefined ? {} : { toolDenialKind: "user-rejected", userFeedback: denied };
      return [line("assistant", [{ type: "tool_use", id, name, input }]), line("user", [result], denial)];
    },
  );
}

function codex(lines) {
  const item = (payload) => ({ type: "response_item", payload });
  const text = (role, one) => item({ type: "message", role, content: [{ type: "input_text", text: one }] });
  return Array.from(events(lines)).flatMap(
    ({ typed, said, id: call_id, tool, input, denied, failed = false }) => {
      if (tool === undefined) return [text(typed === undefined ? "assistant" : "user", typed ?? said)];
      const call =
        tool === "Bash"
          ? {
              type: "function_call",
              name: "shell",
              arguments: JSON.stringify({ command: ["bash", "-lc", input.command] }),
              call_id,
            }
          : {
              type: "custom_tool_call",
              name: "apply_patch",
              input: `*** Begin Patch\n*** Update File: ${input.file_path}`,
              call_id,
            };
      const output =
        denied === undefined
          ? JSON.stringify({ output: "", metadata: { exit_code: failed ? 1 : 0 } })
          : "rejected by user";
      const told = denied === undefined ? [] : [text("user", denied)];
      return [item(call), item({ type: "function_call_output", call_id, output }), ...told];
    },
  );
}
