import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { readTranscript } from "./read-transcript.ts";

const TIME = "2026-01-01T00:00:00.000Z";

function lines(...records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

async function* stream(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const read = (text: string) => readTranscript(stream(text));

const codes = ({ diagnostics }: Awaited<ReturnType<typeof read>>): readonly string[] =>
  diagnostics.map(({ code }) => code);

/** Kinds with what matters of each, without times. */
function shown({ events }: Awaited<ReturnType<typeof read>>): readonly string[] {
  return events.map((event) => {
    const by = event.agent === undefined ? "" : `${event.agent}: `;
    if (event.kind === "typed") return `${by}typed ${event.text}${event.whileWorking ? " (working)" : ""}`;
    if (event.kind === "said") return `${by}said ${event.text}`;
    if (event.kind === "call") return `${by}${event.tool} ${JSON.stringify(event.input)} ${event.outcome}`;
    if (event.kind === "skill") return `${by}skill ${event.name} by ${event.by} ${event.outcome}`;
    if (event.kind === "sub-agent") return `${by}${event.name} does ${event.task} ${event.outcome}`;
    return by + event.kind;
  });
}

describe("Claude Code", () => {
  const line = (type: string, rest: object): object => ({
    type,
    sessionId: "s1",
    cwd: "/work/shop",
    timestamp: TIME,
    isSidechain: false,
    ...rest,
  });
  const user = (content: unknown, rest: object = {}): object =>
    line("user", { message: { role: "user", content }, ...rest });
  const assistant = (...content: readonly object[]): object =>
    line("assistant", { message: { id: "m", content } });
  const call = (id: string, name: string, input: object): object => ({ type: "tool_use", id, name, input });
  const answer = (id: string, content: string, rest: object = {}): object =>
    user(
      [{ type: "tool_result", tool_use_id: id, content, ...("is_error" in rest && { is_error: true }) }],
      rest,
    );

  test("what was typed is told from what was injected", async () => {
    const transcript = await read(
      lines(
        { type: "summary", summary: "An old title", leafUuid: "x" },
        { type: "custom-title", customTitle: "Ship it", sessionId: "s1" },
        { type: "ai-title", aiTitle: "Shipping", sessionId: "s1" },
        user("Deploy the shop<system-reminder>Be brief.</system-reminder>"),
        user([{ type: "text", text: "The body of a skill" }], { isMeta: true, sourceToolUseID: "t" }),
        user("<task-notification>done</task-notification>", { origin: { kind: "task-notification" } }),
        user("<local-command-stdout>ok</local-command-stdout>"),
        user("<command-name>/deploy</command-name>\n<command-args>to staging</command-args>"),
        user("<command-name>/clear</command-name>"),
        line("attachment", { attachment: { type: "hook_success", content: "hook" } }),
        line("attachment", {
          attachment: { type: "queued_command", prompt: "not on Friday", commandMode: "prompt" },
        }),
        line("attachment", {
          attachment: { type: "queued_command", prompt: "from a peer", origin: { kind: "peer" } },
        }),
      ),
    );
    expect(transcript).toMatchObject({
      format: "claude-code",
      id: "s1",
      title: "Ship it",
      workspace: "/work/shop",
    });
    expect(shown(transcript)).toEqual([
      "typed Deploy the shop",
      "typed /deploy to staging",
      "skill deploy by person ok",
      "typed not on Friday (working)",
    ]);
  });

  test("calls have the outcome that the person and the tool gave them", async () => {
    const transcript = await read(
      lines(
        user("Deploy"),
        assistant({ type: "thinking", thinking: "hm" }, { type: "text", text: "On it." }),
        assistant(call("1", "Bash", { command: "make" }), call("2", "Bash", { command: "make deploy" })),
        assistant(call("3", "Skill", { skill: "deploy" }), call("4", "Edit", { file_path: "/a" })),
        assistant(
          call("5", "Bash", { command: "cat skills/pdf/SKILL.md" }),
          call("6", "Bash", { command: "sleep" }),
        ),
        answer("1", "Exit code 2", { is_error: true, toolUseResult: "Error" }),
        answer("2", "rejected", {
          is_error: true,
          toolDenialKind: "user-rejected",
          userFeedback: "Use make ship",
        }),
        answer("3", "Launching", { toolUseResult: { success: true, commandName: "deploy" } }),
        answer(
          "4",
          "The user doesn't want to proceed with this tool use. To proceed, the user said:\nNot that file.",
        ),
        answer("5", "# PDF"),
        user([{ type: "text", text: "[Request interrupted by user for tool use]" }]),
        line("system", { subtype: "compact_boundary" }),
        user("This session is being continued", { isCompactSummary: true }),
      ),
    );
    expect(shown(transcript)).toEqual([
      "typed Deploy",
      "said On it.",
      'Bash {"command":"make"} failed',
      'Bash {"command":"make deploy"} denied',
      "skill deploy by model ok",
      'Edit {"file_path":"/a"} denied',
      'Bash {"command":"cat skills/pdf/SKILL.md"} ok',
      "skill pdf by model ok",
      'Bash {"command":"sleep"} interrupted',
      "interruption",
      "compaction",
    ]);
    const feedback = transcript.events.map((event) => "feedback" in event && event.feedback).filter(Boolean);
    expect(feedback).toEqual(["Use make ship", "Not that file."]);
  });

  test("sub-agents in the file and in files beside it are told apart, in the order of time", async () => {
    const folder = temporaryDirectory();
    const file = join(folder, "s1.jsonl");
    mkdirSync(join(folder, "s1/subagents"), { recursive: true });
    const task = call("1", "Task", { subagent_type: "reviewer", prompt: "Review it" });
    const later = { timestamp: "2026-01-01T00:00:02.000Z" };
    writeFileSync(
      file,
      lines(user("Review"), assistant(task), answer("1", "fine", later), user("Thanks", later)),
    );
    const inner = { isSidechain: true, agentId: "a1", timestamp: "2026-01-01T00:00:01.000Z" };
    writeFileSync(
      join(folder, "s1/subagents/agent-a1.jsonl"),
      lines(user("Review it", inner), { ...assistant(call("x", "Read", { file_path: "b.ts" })), ...inner }),
    );
    expect(shown(await readTranscript(file))).toEqual([
      "typed Review",
      "reviewer does Review it ok",
      'a1: Read {"file_path":"b.ts"} unknown',
      "typed Thanks",
    ]);
  });

  test("torn, unknown and very long lines are counted, and the rest is read", async () => {
    const long = answer("1", "x".repeat(10_000_000));
    const text = lines(
      user("Go"),
      assistant(call("1", "Bash", { command: "make" })),
      long,
      line("novelty", {}),
    );
    const transcript = await read(
      `o":"torn"}\n${text}${" ".repeat(17_000_000)}\n${lines(user("Stop"))}{"type":"us`,
    );
    expect(shown(transcript)).toEqual(["typed Go", 'Bash {"command":"make"} ok', "typed Stop"]);
    expect(codes(transcript)).toEqual([
      "transcript-line-damaged",
      "transcript-line-too-long",
      "transcript-line-unknown",
    ]);
    expect(JSON.stringify(transcript).length).toBeLessThan(5_000);
  });

  test("of a conversation that is too long the beginning and the end are kept", async () => {
    const transcript = await read(
      lines(...Array.from({ length: 30_000 }, (_, index) => user(`Message ${index}`))),
    );
    expect(transcript.events.length).toBe(20_000);
    expect([shown(transcript)[0], shown(transcript).at(-1)]).toEqual([
      "typed Message 0",
      "typed Message 29999",
    ]);
    expect(transcript.diagnostics).toMatchObject([
      { code: "transcript-cut", message: expect.stringContaining("10000 events") },
    ]);
  });
});

describe("Codex", () => {
  const line = (type: string, payload: object): object => ({ timestamp: TIME, type, payload });
  const item = (payload: object): object => line("response_item", payload);
  const message = (role: string, ...texts: readonly string[]): object =>
    item({ type: "message", role, content: texts.map((text) => ({ type: "input_text", text })) });
  const shell = (id: string, command: unknown): object =>
    item({ type: "function_call", name: "shell", arguments: JSON.stringify({ command }), call_id: id });
  const output = (id: string, text: string): object =>
    item({ type: "function_call_output", call_id: id, output: text });
  const ROLLOUT = lines(
    line("session_meta", { id: "c1", cwd: "/work/shop", cli_version: "1" }),
    message("developer", "<permissions instructions>x</permissions instructions>"),
    message("user", "# AGENTS.md instructions for /work", "<environment_context>x</environment_context>"),
    message("user", "Fix the build"),
    line("event_msg", { type: "user_message", message: "Fix the build" }),
    message("user", "<skill><name>build</name>Text</skill>"),
    item({ type: "reasoning", summary: [] }),
    shell("1", ["bash", "-lc", "make"]),
    line("event_msg", { type: "exec_command_end", call_id: "1", exit_code: 2, aggregated_output: "no rule" }),
    output("1", "no rule"),
    shell("2", ["git", "status"]),
    output("2", '{"output":"clean","metadata":{"exit_code":0}}'),
    shell("3", ["bash", "-lc", "rm -r x"]),
    output("3", "exec command rejected by user"),
    item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch", call_id: "4" }),
    shell("5", ["bash", "-lc", "sleep 9"]),
    line("event_msg", { type: "turn_aborted", reason: "interrupted" }),
    line("compacted", { message: "summary" }),
    message("assistant", "Done."),
    line("event_msg", { type: "agent_message", message: "Done." }),
  );
  const EVENTS = [
    "typed Fix the build",
    "skill build by host ok",
    'shell {"command":"make"} failed',
    'shell {"command":"git status"} ok',
    'shell {"command":"rm -r x"} denied',
    'apply_patch {"input":"*** Begin Patch"} interrupted',
    'shell {"command":"sleep 9"} interrupted',
    "interruption",
    "compaction",
    "said Done.",
  ];

  test("two logs that repeat each other are one conversation", async () => {
    const transcript = await read(ROLLOUT);
    expect(transcript).toMatchObject({
      format: "codex",
      id: "c1",
      workspace: "/work/shop",
      title: "Fix the build",
    });
    expect(shown(transcript)).toEqual(EVENTS);
    expect(transcript.diagnostics).toEqual([]);
  });

  test("lines of the first versions, without an envelope, are read in the same file", async () => {
    const old = lines(
      { id: "c0", timestamp: TIME, instructions: null },
      { record_type: "state" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
    );
    const transcript = await read(old + lines(message("assistant", "Hi.")));
    expect(shown(transcript)).toEqual(["typed Hello", "said Hi."]);
  });

  test("a compressed rollout is unpacked as it is read, and refused with the command where nothing can", async () => {
    const file = join(temporaryDirectory(), "rollout-1.jsonl");
    writeFileSync(file, ROLLOUT);
    execFileSync("zstd", ["-q", file]);
    expect(shown(await readTranscript(`${file}.zst`))).toEqual(EVENTS);
    if (!("createZstdDecompress" in (await import("node:zlib"))))
      await expect(readTranscript(`${file}.zst`, { environment: {} })).rejects.toMatchObject({
        code: "transcript-compressed",
      });
    writeFileSync(`${file}.zst`, readFileSync(`${file}.zst`).subarray(0, 200));
    await expect(readTranscript(`${file}.zst`)).rejects.toMatchObject({ code: "transcript-compressed" });
  });
});

describe("messages", () => {
  const EXPECTED = ["typed Weather?", 'weather {"city":"Bern"} ok', "said Rain."];

  test.each([
    [
      "the AI SDK's for the screen, over several lines",
      JSON.stringify(
        [
          { id: "1", role: "user", parts: [{ type: "text", text: "Weather?" }] },
          {
            id: "2",
            role: "assistant",
            parts: [
              { type: "step-start" },
              {
                type: "tool-weather",
                toolCallId: "c",
                state: "output-available",
                input: { city: "Bern" },
                output: "rain",
              },
              { type: "text", text: "Rain." },
            ],
          },
        ],
        undefined,
        2,
      ),
    ],
    [
      "the AI SDK's for the model",
      lines(
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "c", toolName: "weather", input: { city: "Bern" } }],
        },
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "c", output: { type: "text", value: "rain" } }],
        },
        { role: "assistant", content: "Rain." },
      ),
    ],
    [
      "OpenAI's, in a request",
      JSON.stringify({
        model: "m",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Weather?" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c", function: { name: "weather", arguments: '{"city":"Bern"}' } }],
          },
          { role: "tool", tool_call_id: "c", content: "rain" },
          { role: "assistant", content: "Rain." },
        ],
      }),
    ],
    [
      "Anthropic's",
      lines(
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "c", name: "weather", input: { city: "Bern" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "rain" }] },
        { role: "assistant", content: [{ type: "text", text: "Rain." }] },
      ),
    ],
    [
      "the neutral ones",
      lines(
        { role: "user", text: "Weather?", time: TIME },
        { role: "assistant", tool: { name: "weather", input: { city: "Bern" }, output: "rain" } },
        { role: "assistant", text: "Rain." },
      ),
    ],
  ])("%s are read", async (_title, text) => {
    const transcript = await read(text);
    expect(shown(transcript)).toEqual(EXPECTED);
    expect([transcript.format, transcript.diagnostics]).toEqual(["messages", []]);
  });

  test("a denied call keeps what the person said", async () => {
    const approval = { id: "p", approved: false, reason: "Not in production" };
    const call = { type: "tool-call", toolCallId: "b", toolName: "drop", input: {} };
    const transcript = await read(
      lines(
        { role: "user", parts: [{ type: "text", text: "Clean up" }] },
        {
          role: "assistant",
          parts: [{ type: "tool-drop", toolCallId: "a", state: "output-denied", input: {}, approval }],
        },
        {
          role: "assistant",
          content: [call, { type: "tool-approval-request", approvalId: "q", toolCallId: "b" }],
        },
        {
          role: "tool",
          content: [{ type: "tool-approval-response", approvalId: "q", approved: false, reason: "Never" }],
        },
        { role: "assistant", tool: { name: "drop", input: {}, denied: "Stop it" } },
      ),
    );
    const denied = transcript.events.map(
      (event) => "outcome" in event && `${event.outcome}: ${event.feedback}`,
    );
    expect(denied.filter(Boolean)).toEqual(["denied: Not in production", "denied: Never", "denied: Stop it"]);
  });
});

describe("pi", () => {
  const entry = (id: string, parentId: string | null, message: object, type = "message"): object => ({
    type,
    id,
    parentId,
    timestamp: TIME,
    ...(type === "message" ? { message } : message),
  });
  const user = (text: string): object => ({ role: "user", content: [{ type: "text", text }] });

  test("of a tree the way to the last entry is the conversation", async () => {
    const call = { type: "toolCall", id: "c1", name: "bash", arguments: { command: "make" } };
    const transcript = await read(
      lines(
        { type: "session", version: 3, id: "p1", cwd: "/work/shop", timestamp: TIME },
        entry("a", null, user("Build it")),
        entry("b", "a", { role: "assistant", content: [{ type: "text", text: "Wrong." }] }),
        entry("c", "b", user("No, go back")),
        entry("d", "a", { role: "assistant", content: [call] }),
        entry("e", "d", {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "bash",
          content: [],
          isError: true,
        }),
        entry("f", "e", { summary: "so far" }, "compaction"),
        entry("g", "f", { customType: "x", content: "injected" }, "custom_message"),
        entry("h", "c", { role: "assistant", content: [{ type: "text", text: "Back." }] }),
        entry("i", "f", { role: "assistant", stopReason: "aborted", content: [] }),
        entry("j", "i", { name: "The build" }, "session_info"),
      ),
    );
    expect(transcript).toMatchObject({ format: "pi", id: "p1", title: "The build", diagnostics: [] });
    expect(shown(transcript)).toEqual([
      "typed Build it",
      'bash {"command":"make"} failed',
      "compaction",
      "interruption",
    ]);
  });
});

test("spans of OpenTelemetry tell a conversation once, though each repeats what went before", async () => {
  const message = (role: string, ...parts: readonly object[]): object => ({ role, parts });
  const text = (content: string): object => ({ type: "text", content });
  const call = { type: "tool_call", id: "c", name: "weather", arguments: { city: "Bern" } };
  const first = [message("system", text("Be brief.")), message("user", text("yes"))];
  const second = [
    ...first,
    message("assistant", call),
    message("tool", { type: "tool_call_response", id: "c", response: "rain" }),
    message("user", text("yes")),
  ];
  const span = (startTimeUnixNano: number, input: readonly object[], output: object): object => ({
    startTimeUnixNano: `${startTimeUnixNano}000000000`,
    attributes: Object.entries({ "gen_ai.input.messages": input, "gen_ai.output.messages": [output] }).map(
      ([key, value]) => ({ key, value: { stringValue: JSON.stringify(value) } }),
    ),
  });
  const tool = {
    startTimeUnixNano: "1800000001500000000",
    status: { code: 2 },
    attributes: [
      { key: "gen_ai.operation.name", value: { stringValue: "execute_tool" } },
      { key: "gen_ai.tool.call.id", value: { stringValue: "c" } },
    ],
  };
  const done = { ...message("assistant", text("Rain.")), finish_reason: "stop" };
  const asked = { ...message("assistant", call), finish_reason: "tool_calls" };
  const spans = [tool, span(1_800_000_002, second, done), span(1_800_000_001, first, asked)];
  const transcript = await read(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  expect(transcript.format).toBe("opentelemetry");
  expect(shown(transcript)).toEqual([
    "typed yes",
    'weather {"city":"Bern"} failed',
    "typed yes",
    "said Rain.",
  ]);
});

test("a run of Skillet's own agent is read, with what children did and without what compaction repeats", async () => {
  const call = { type: "tool-call", toolCallId: "c", toolName: "run_command", input: { command: "make" } };
  const result = { type: "tool-result", toolCallId: "c", output: { type: "text", value: "ok" } };
  const step = { role: "assistant", content: [call] };
  const transcript = await read(
    lines(
      { type: "said", text: "Build it", messages: [{ role: "user", content: "<skill>x</skill>Build it" }] },
      { type: "step", messages: [step, { role: "tool", content: [result] }] },
      {
        type: "step",
        child: 1,
        messages: [
          { role: "user", content: "Look" },
          { role: "assistant", content: "Seen." },
        ],
      },
      { type: "compacted", messages: [{ role: "user", content: "Build it" }] },
    ),
  );
  expect(transcript.format).toBe("skillet");
  expect(shown(transcript)).toEqual([
    "typed Build it",
    'run_command {"command":"make"} ok',
    "child 1: said Seen.",
    "compaction",
  ]);
});

test.each([
  ["headings", "# Deploy\n\n## User\n\nDeploy it\n\n## Assistant\n\nOn it.\n\n"],
  ["labels", "Exported today\n\n**User:** Deploy it\n\n**Assistant:** On it.\n\n"],
])("Markdown with %s is read, and its shell code is what was run", async (_title, start) => {
  const code = "```bash\n$ make ship\n```\n\n```\nfatal: no rule\n```\n\nUser: try make deploy\n\n";
  const transcript = await read(`${start}${code}Assistant:\n\`\`\`sh\nmake deploy\n\`\`\`\n`);
  expect(transcript.format).toBe("markdown");
  expect(shown(transcript)).toEqual([
    "typed Deploy it",
    "said On it.",
    'Bash {"command":"make ship"} failed',
    "typed try make deploy",
    'Bash {"command":"make deploy"} ok',
  ]);
});

test.each(["[", '{"model":"m","tools":[],"messages":[', '{"meta":{"tags":["a"]},"messages":['])(
  "of a document that begins with %s and was cut the whole messages are read",
  async (start) => {
    const texts = ['Build "it" {', "then [ship]", "and then"];
    const list = texts.map((content) => JSON.stringify({ role: "user", content })).join(",\n");
    const transcript = await read(`${start}\n${list.slice(0, -4)}`);
    expect(shown(transcript)).toEqual(texts.slice(0, 2).map((text) => `typed ${text}`));
    expect(codes(transcript)).toContain("transcript-line-damaged");
  },
);

test("what is not a conversation is refused, and so is a folder", async () => {
  await expect(read(lines({ a: 1 }, { b: 2 }))).rejects.toMatchObject({ code: "transcript-unknown" });
  await expect(read("")).rejects.toMatchObject({ code: "transcript-unknown" });
  const folder = temporaryDirectory();
  await expect(readTranscript(folder)).rejects.toMatchObject({ code: "not-a-file" });
  await expect(readTranscript(join(folder, "none"))).rejects.toMatchObject({
    code: "file-not-found",
  });
});
