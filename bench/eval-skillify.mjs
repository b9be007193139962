// From conversations to skills, and whether messages of other days find them among others:
// npm run eval:skillify -- FOLDER [--set DIR] [--others 500] [--list] [--show NAME] [--half odd|even]
//   [--unrelated FILE]
//   FOLDER: skills to choose from besides. DIR: conversations by another hand in place of bench/skillify/jobs.mjs, each
//   NAME/transcript.* with later.json, plants.json and useful.json, which are lists of strings and may be missing. FILE: messages
//   that are for none of them, one JSON object a line with "message" or "query"; default: bench/messages/messages-dev.jsonl
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "./prepare.mjs";
import { JOBS } from "./skillify/jobs.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    others: { type: "string", default: "500" },
    show: { type: "string" },
    list: { type: "boolean" },
    set: { type: "string" },
    half: { type: "string" },
    unrelated: { type: "string", default: join(import.meta.dirname, "messages", "messages-dev.jsonl") },
  },
});
if (positionals.length !== 1) throw new Error("Name a folder of skills: npm run eval:skillify -- FOLDER");
buildPackages();
const { lintSkill, readTranscript, redactText, skillify } = await import("@skillet/author");
const { MemorySource, openSkills, parseSkill } = await import("@skillet/core");
const { scanSkill } = await import("@skillet/scan");

/** No rule for one of these alone is narrow. */
const BROAD =
  /^Bash$|^Bash\(\*|^Bash\((?:sudo|su|env|xargs|eval|exec|(?:ba|z|da)?sh|ssh|scp|rsync|rm|dd|curl|wget|(?:python|node|perl|ruby|php)[\d.]*|git|npm|npx|pnpm|yarn|bun|docker|podman|kubectl|helm|terraform|aws|gcloud|az|gh|glab|pip3?|cargo|make|psql|mysql|systemctl)(?::\*|\s*\*)?\)$/;
const LIMIT = 50;
/** Skills of a small home, where less stands between a message and a skill that it is not for. */
const FEW = 20;

await evaluate();

/** Conversations of a folder; by half where only one may be looked at, by the hash of the name. */
function* readCases(folder) {
  for (const name of readdirSync(folder).sort()) {
    const file =
      existsSync(join(folder, name, "later.json")) || existsSync(join(folder, name, "plants.json"))
        ? readdirSync(join(folder, name)).find((one) => one.startsWith("transcript."))
        : undefined;
    const half = createHash("sha256").update(name).digest()[0] % 2 === 0 ? "even" : "odd";
    if (file === undefined || (values.half ?? half) !== half) continue;
    const list = (kind) => {
      const path = join(folder, name, `${kind}.json`);
      return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
    };
    const lists = { later: list("later"), plants: list("plants"), useful: list("useful") };
    yield { name, ...lists, transcript: () => readTranscript(join(folder, name, file)) };
  }
}

function readUnrelated() {
  const lines = readFileSync(values.unrelated, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.map(({ message, query }) => message ?? query);
}

function* ownCases() {
  for (const [index, { name, lines, later }] of JOBS.entries()) {
    const records = [neutral, claude, codex][index % 3](lines.split("\n"));
    const bytes = Buffer.from(records.map((line) => `${JSON.stringify(line)}\n`).join(""));
    yield { name, later, plants: [], useful: [], transcript: () => readTranscript([bytes]) };
  }
}

async function evaluate() {
  const others = readOthers();
  const few = new Map([...others].slice(0, FEW));
  const rows = [];
  const own = [...ownCases()];
  const cases = values.set === undefined ? own : [...readCases(values.set)];
  const pool = [...new Set([...own, ...cases]), { later: readUnrelated() }];
  for (const one of cases) {
    const { name, later, plants, useful } = one;
    const { made, text, told } = await make(one.transcript);
    if (values.show === name) console.log(text);
    const isMade = ({ skill }) => skill.manifest.name === made.name;
    const selector = made && (await selectorWith(others, made.name, text));
    const ranks = later.map((message) => {
      const at = selector?.select(message, { limit: LIMIT }).findIndex(isMade) ?? -1;
      return at === -1 ? LIMIT + 1 : at + 1;
    });
    const small = made && (await selectorWith(few, made.name, text));
    const unrelated = pool.filter((other) => other !== one).flatMap((other) => other.later);
    const actions = unrelated.map((message) => {
      const { activate = [], suggest = [] } = small?.decide(message) ?? {};
      return activate.some(isMade) ? "activate" : suggest.some(isMade) ? "suggest" : "nothing";
    });
    const allowed = parseSkill(text, { directoryName: name }).manifest?.tools.allowed ?? [];
    rows.push({
      name,
      made: made?.name ?? text,
      ranks,
      later,
      unrelated: unrelated.length,
      activated: unrelated.filter((_, at) => actions[at] === "activate"),
      suggested: unrelated.filter((_, at) => actions[at] === "suggest"),
      plants: plants.length,
      useful: useful.length,
      left: plants.filter((plant) => holds(`${text}\n${told}`, plant)),
      wide: allowed.filter((rule) => BROAD.test(rule)),
      lost: useful.filter((one) => !text.includes(one)),
      ...(made && (await checks(made, text))),
    });
  }
  report(rows, others.size);
}

function report(rows, others) {
  console.table(
    rows.map(({ name, made, ranks, activated, suggested, left, wide, lost, faults, verdict }) => ({
      name,
      made,
      ranks: ranks.join(" "),
      wrong: `${activated.length}+${suggested.length}`,
      left: left.length,
      wide: wide.length,
      lost: lost.length,
      faults,
      verdict,
    })),
  );
  if (values.list)
    for (const { name, made, ranks, later, activated, suggested, left, wide, lost } of rows) {
      const missed = later.flatMap((message, at) => (ranks[at] > 1 ? [`${ranks[at]}: ${message}`] : []));
      const told = { missed, activated, suggested, left, wide, lost };
      for (const [kind, list] of Object.entries(told))
        for (const text of list) console.log(`${name} (${made}) ${kind}: ${text}`);
    }
  const ranks = rows.flatMap((row) => row.ranks);
  const sum = (key) => rows.reduce((total, row) => total + (row[key].length ?? row[key]), 0);
  const share = (most) => (ranks.filter((rank) => rank <= most).length / ranks.length).toFixed(3);
  if (ranks.length > 0)
    console.log(
      `${rows.length} skills, ${ranks.length} messages among ${others} others: Hit@1 ${share(1)}, Recall@10 ${share(10)}`,
    );
  const wrong = (kind) => `${sum(kind)} (${((100 * sum(kind)) / sum("unrelated")).toFixed(1)} %)`;
  console.log(
    `${sum("unrelated")} messages for other jobs, among ${FEW} others: activated ${wrong("activated")}, suggested ${wrong("suggested")}`,
  );
  console.log(
    `plants left ${sum("left")} of ${sum("plants")}; over-broad tools ${sum("wide")}; useful strings lost ${sum("lost")} of ${sum("useful")}`,
  );
}

/** As written, escaped in JSON, or as a whole word in another case. */
function holds(where, plant) {
  const exact = plant.replaceAll(/[$()*+.?[\\\]^{|}/]/g, "\\$&");
  const word = new RegExp(`(?<![\\p{L}\\d])${exact}(?![\\p{L}\\d])`, "iu");
  return where.includes(plant) || where.includes(JSON.stringify(plant).slice(1, -1)) || word.test(where);
}

async function checks({ name, files }, text) {
  const { diagnostics } = parseSkill(text, { directoryName: name, mode: "strict" });
  const lint = lintSkill({ text, file: "SKILL.md", files: [], others: new Map(), collisions: [] });
  const { verdict } = await scanSkill(
    files.map((file) => ({ path: file.path, bytes: Buffer.from(file.text), executable: false })),
  );
  const faults = [...diagnostics.filter(({ severity }) => severity !== "info"), ...lint.findings];
  return { faults: faults.map(({ code }) => code).join(" "), verdict };
}

/** A skill with every default, and all that a person and a model see on the way. */
async function make(open) {
  const told = [];
  try {
    const transcript = await open();
    told.push(redactText(transcript.title ?? ""), ...transcript.diagnostics.map(({ message }) => message));
    const made = await skillify(transcript, {
      ask: async (question) => {
        told.push(JSON.stringify(question));
        return { choice: question.choices[0], taken: question.taken };
      },
      model: {
        by: "a model",
        ask: async (messages) => {
          told.push(JSON.stringify(messages));
          return { failure: { kind: "unreachable", message: "not asked" } };
        },
      },
    });
    const [main, ...files] = made.files;
    return { made, text: main.text, told: [...told, ...files.map((file) => file.text)].join("\n") };
  } catch (error) {
    return { text: error.code ?? String(error), told: told.join("\n") };
  }
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
    config: false,
    bundledDirectory: false,
    organisationDirectory: false,
    cacheDirectory: false,
    roots: [],
  });
  return skills.selector();
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
