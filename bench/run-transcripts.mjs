// Speed and memory of readTranscript by format and size: npm run bench:transcripts -- [--megabytes 2,50,200,400]
// Each file is made, read once in a process of its own, and deleted; peak memory is of that
// process, Node included, and what is kept is its heap at the end, after a collection.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FORMATS = {
  "claude-code": claude,
  codex,
  "codex.zst": codex,
  pi,
  "openai messages": openAi,
  opentelemetry: telemetry,
  skillet: own,
  markdown,
  neutral,
};

const [task, file] = process.argv.slice(2);
if (task === "--read") await readOne(file);
else {
  const { buildPackages } = await import("./prepare.mjs");
  buildPackages();
  const at = process.argv.indexOf("--megabytes");
  measure((at === -1 ? "2,50,200,400" : process.argv[at + 1]).split(",").map(Number));
}

async function readOne(path) {
  const { readTranscript } = await import("@skillet/author");
  const started = performance.now();
  const { events, format } = await readTranscript(path);
  const seconds = (performance.now() - started) / 1000;
  const peakMegabytes = process.resourceUsage().maxRSS / 1024;
  globalThis.gc();
  const keptMegabytes = process.memoryUsage().heapUsed / 1024 ** 2;
  console.log(JSON.stringify({ format, events: events.length, seconds, peakMegabytes, keptMegabytes }));
}

function measure(sizes) {
  const folder = mkdtempSync(join(tmpdir(), "bench-transcripts-"));
  const rows = [];
  try {
    for (const [name, line] of Object.entries(FORMATS))
      for (const megabytes of sizes) rows.push(measureFile(join(folder, "session"), name, line, megabytes));
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.table(rows);
}

function measureFile(path, name, line, megabytes) {
  const descriptor = openSync(path, "w");
  for (let bytes = 0, turn = 0; bytes < megabytes * 1e6; turn += 1)
    bytes += writeSync(
      descriptor,
      line(turn)
        .map((one) => `${one}\n`)
        .join(""),
    );
  closeSync(descriptor);
  const isPacked = name.endsWith(".zst");
  if (isPacked) execFileSync("zstd", ["-q", "-f", "--rm", path, "-o", `${path}.zst`]);
  const { size } = statSync(isPacked ? `${path}.zst` : path);
  const read = ["--expose-gc", fileURLToPath(import.meta.url), "--read", isPacked ? `${path}.zst` : path];
  const { stdout, stderr } = spawnSync(process.execPath, read, { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  const { events, seconds, peakMegabytes, keptMegabytes } = JSON.parse(stdout);
  rmSync(isPacked ? `${path}.zst` : path);
  return {
    format: name,
    MB: megabytes,
    "MB on disk": Math.round(size / 1e6),
    events,
    "MB/s": Math.round(megabytes / seconds),
    "peak MB": Math.round(peakMegabytes),
    "kept MB": Math.round(keptMegabytes),
  };
}

/** One turn each: a message, a call, and a result of 1 to 20 KB. */
function parts(turn) {
  return {
    typed: `Please change file ${turn} and run its tests again.`,
    command: `npm test -- file-${turn}.test.ts && git diff --stat`,
    output: `${"ok 1 - a line of output that says what passed\n".repeat(20 + ((turn * 37) % 400))}`,
  };
}

function claude(turn) {
  const { typed, command, output } = parts(turn);
  const line = (type, rest) =>
    JSON.stringify({
      type,
      sessionId: "s",
      cwd: "/work/shop",
      timestamp: "2026-01-01T00:00:00.000Z",
      ...rest,
    });
  const use = { type: "tool_use", id: `t${turn}`, name: "Bash", input: { command } };
  const result = { type: "tool_result", tool_use_id: `t${turn}`, content: output };
  return [
    line("user", { message: { role: "user", content: typed } }),
    line("attachment", { attachment: { type: "hook_success", content: output.slice(0, 300) } }),
    line("assistant", { message: { id: `m${turn}`, content: [use] } }),
    line("user", { message: { role: "user", content: [result] }, toolUseResult: { stdout: output } }),
  ];
}

function codex(turn) {
  const { typed, command, output } = parts(turn);
  const line = (type, payload) => JSON.stringify({ timestamp: "2026-01-01T00:00:00.000Z", type, payload });
  const call = {
    name: "shell",
    arguments: JSON.stringify({ command: ["bash", "-lc", command] }),
    call_id: `c${turn}`,
  };
  return [
    ...(turn === 0 ? [line("session_meta", { id: "c", cwd: "/work/shop" })] : []),
    line("event_msg", { type: "user_message", message: typed }),
    line("response_item", { type: "function_call", ...call }),
    line("event_msg", {
      type: "exec_command_end",
      call_id: `c${turn}`,
      exit_code: 0,
      aggregated_output: output,
    }),
    line("response_item", { type: "function_call_output", call_id: `c${turn}`, output }),
  ];
}

function pi(turn) {
  const { typed, command, output } = parts(turn);
  const entry = (part, parent, message) =>
    JSON.stringify({
      type: "message",
      id: `${part}${turn}`,
      parentId: parent,
      timestamp: "2026-01-01T00:00:00Z",
      message,
    });
  const call = { type: "toolCall", id: `c${turn}`, name: "bash", arguments: { command } };
  return [
    ...(turn === 0 ? [JSON.stringify({ type: "session", version: 3, id: "p", cwd: "/work/shop" })] : []),
    entry("u", turn === 0 ? null : `r${turn - 1}`, { role: "user", content: typed }),
    entry("a", `u${turn}`, { role: "assistant", content: [call] }),
    entry("r", `a${turn}`, {
      role: "toolResult",
      toolCallId: `c${turn}`,
      content: [{ type: "text", text: output }],
    }),
  ];
}

function openAi(turn) {
  const { typed, command, output } = parts(turn);
  const call = { id: `c${turn}`, function: { name: "shell", arguments: JSON.stringify({ command }) } };
  return [
    JSON.stringify({ role: "user", content: typed }),
    JSON.stringify({ role: "assistant", content: null, tool_calls: [call] }),
    JSON.stringify({ role: "tool", tool_call_id: `c${turn}`, content: output }),
  ];
}

function telemetry(turn) {
  const { typed, command, output } = parts(turn);
  const input = [{ role: "user", parts: [{ type: "text", content: typed }] }];
  const call = { type: "tool_call", id: `c${turn}`, name: "shell", arguments: { command } };
  const attributes = {
    "gen_ai.input.messages": JSON.stringify(input),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [call] }]),
  };
  const tool = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.call.id": `c${turn}`,
    "gen_ai.tool.call.result": output,
  };
  return [JSON.stringify({ attributes }), JSON.stringify({ attributes: tool })];
}

function own(turn) {
  const { typed, command, output } = parts(turn);
  const call = { type: "tool-call", toolCallId: `c${turn}`, toolName: "run_command", input: { command } };
  const result = { type: "tool-result", toolCallId: `c${turn}`, output: { type: "text", value: output } };
  const messages = [
    { role: "assistant", content: [call] },
    { role: "tool", content: [result] },
  ];
  return [
    JSON.stringify({ type: "said", text: typed, messages: [{ role: "user", content: typed }] }),
    JSON.stringify({ type: "step", messages }),
  ];
}

function markdown(turn) {
  const { typed, command, output } = parts(turn);
  return [`## User\n\n${typed}\n\n## Assistant\n\n\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`\n${output}\`\`\``];
}

function neutral(turn) {
  const { typed, command, output } = parts(turn);
  const tool = { name: "Bash", input: { command }, output };
  return [JSON.stringify({ role: "user", text: typed }), JSON.stringify({ role: "assistant", tool })];
}
