// From twenty conversations to skills, and whether messages of other days find them among others:
// npm run eval:skillify -- FOLDER [--others 500] [--show NAME]   FOLDER: skills to choose from besides
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "./prepare.mjs";
import { JOBS } from "./skillify/jobs.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { others: { type: "string", default: "500" }, show: { type: "string" } },
});
if (positionals.length !== 1) throw new Error("Name a folder of skills: npm run eval:skillify -- FOLDER");
buildPackages();
const { lintSkill, readTranscript, skillify } = await import("@skillet/author");
const { MemorySource, openSkills, parseSkill } = await import("@skillet/core");
const { scanSkill } = await import("@skillet/scan");

const others = new Map();
for (const { parentPath, name } of readdirSync(positionals[0], { recursive: true, withFileTypes: true })) {
  if (name !== "SKILL.md" || others.size >= Number(values.others)) continue;
  const text = readFileSync(join(parentPath, name), "utf8");
  const { manifest } = parseSkill(text, { directoryName: basename(parentPath) });
  if (manifest !== undefined && !others.has(manifest.name)) others.set(manifest.name, text);
}

const results = [];
for (const [index, job] of JOBS.entries()) {
  const write = [neutral, claude, codex][index % 3];
  const bytes = Buffer.from(
    write(job.lines.split("\n"))
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  const made = await skillify(await readTranscript([bytes]), {});
  const [main] = made.files;
  if (values.show === job.name) console.log(main.text);
  const { diagnostics } = parseSkill(main.text, { directoryName: made.name, mode: "strict" });
  const lint = lintSkill({ text: main.text, file: "SKILL.md", files: [], others: new Map(), collisions: [] });
  const { verdict } = await scanSkill(
    made.files.map(({ path, text }) => ({ path, bytes: Buffer.from(text), executable: false })),
  );
  const files = Object.fromEntries(
    [...others, [made.name, main.text]].map(([name, text]) => [`${name}/SKILL.md`, text]),
  );
  const skills = await openSkills({
    sources: [new MemorySource(files, { id: "eval" })],
    config: false,
    bundledDirectory: false,
    organisationDirectory: false,
    cacheDirectory: false,
    roots: [],
  });
  const selector = await skills.selector();
  const ranks = job.later.map((message) => {
    const found = selector.select(message, { limit: 50 });
    const at = found.findIndex(({ skill }) => skill.manifest.name === made.name);
    return at === -1 ? 51 : at + 1;
  });
  results.push({
    ...{
      job: job.name,
      name: made.name,
      ranks: ranks.join(" "),
      steps: (main.text.match(/Success criteria/g) ?? []).length,
    },
    ...{ rules: (/## Rules\n\n([\s\S]*)/.exec(main.text)?.[1] ?? "").split("\n").filter(Boolean).length },
    ...{
      validate: diagnostics.map(({ code }) => code).join(" "),
      lint: lint.findings.map(({ code }) => code).join(" "),
      verdict,
    },
  });
}
console.table(results);
const ranks = results.flatMap((row) => row.ranks.split(" ").map(Number));
const share = (most) => (ranks.filter((rank) => rank <= most).length / ranks.length).toFixed(3);
console.log(
  `${results.length} skills, ${ranks.length} messages among ${others.size} others: Hit@1 ${share(1)}, Recall@10 ${share(10)}`,
);

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
