import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { selectIn, usableIn } from "./testing/inspect-session.ts";
import { openSession, type TestSession } from "./testing/open-session.ts";
import { recordingRunner } from "./testing/recording-runner.ts";
import { catalogIn, decisionOf } from "./testing/unwrap.ts";

const TOOLSET = `tools:
  - name: fill
    description: Fills.
    script: scripts/main.sh
    inputSchema:
      type: object
      properties:
        field: { type: string }
        choice: { type: [string, "null"] }
        rows: { type: array, items: { type: object, properties: { note: { type: string } } } }
      required: [field]
      additionalProperties: false
`;

let session: TestSession;
let inputs: (string | undefined)[];
beforeEach(async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md":
      "---\nname: pdf\ndescription: Fills forms.\ntoolsets: [tools.yaml]\n---\nFill $ARGUMENTS.\n",
    "pdf/tools.yaml": TOOLSET,
    "pdf/scripts/main.sh": "#!/bin/sh\n",
    "pdf/fields.md": "fields",
    "notes/SKILL.md": skillText("notes", "Takes notes."),
  });
  inputs = [];
  const runner = recordingRunner({
    allow: ["pdf:scripts/main.sh"],
    onRun: async ({ stdin }) => {
      inputs.push(stdin && Buffer.from(stdin).toString());
      return { stdout: "{}" };
    },
  });
  session = await openSession(folder, { runner });
  await session.activate("pdf");
});

/** Every method that a host hands a model's words, tool calls or messages to, with the one or two values it passes on. */
const METHODS: Readonly<Record<string, (one: never, other: never) => unknown>> = {
  activate: (name, options) => session.activate(name, options),
  "activate a skill": (_, options) => session.activate("pdf", options),
  resources: (name) => session.resources(name),
  read: (name, path) => session.read(name, path),
  "read a file": (_, options) => session.read("pdf", "fields.md", options),
  run: (name, path) => session.run(name, path),
  "run a script": (args, options) => session.run("pdf", "scripts/main.sh", args, options),
  select: (message, options) => selectIn(session, message, options),
  decide: (message, options) => session.decide(message, options),
  mentions: (message) => session.mentions(message),
  catalogFor: (conversation, options) => catalogIn(session.prompt(conversation, options)),
  checkToolCall: (call) => decisionOf(session.guard(call)),
  "checkToolCall of a tool": (tool, input) => decisionOf(session.guard({ tool, input })),
  "checkToolCall of Bash": (input) => decisionOf(session.guard({ tool: "Bash", input })),
  "checkToolCall of Read": (input) => decisionOf(session.guard({ tool: "Read", input })),
  afterToolCall: (call, response) => session.afterToolCall(call, response),
  askForDependencies: (names) => session.askForDependencies(names),
  observe: (event) => session.observe(event),
  outcome: (said) => session.outcome(said),
  compact: (options) => session.compact(options),
  fork: (options) => session.fork(options),
  finish: async (summary) => (await session.fork({})).finish(summary),
  find: (name) => session.skills.find(name),
};

const KEYS =
  "skill skills name path args arguments source repeat maxBytes cwd timeoutMs stdin limit context files tool input command kind event outcome message query scripts tools profile budgetTokens toString";

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(
    fc.constantFrom(...KEYS.split(" ")),
    fc.oneof(fc.constantFrom("pdf", "model"), fc.jsonValue({ maxDepth: 1 })),
    {
      noNullPrototype: true,
    },
  ),
  fc.constantFrom(undefined, Number.NaN, Symbol("odd"), 10n, () => undefined),
);

test.each(Object.keys(METHODS))(
  "%s: whatever a model sends is answered or refused, never a raw TypeError",
  async (name) => {
    const call = METHODS[name];
    await fc.assert(
      fc.asyncProperty(odd, odd, async (one, other) => {
        try {
          await call?.(one as never, other as never);
        } catch (error) {
          if (!SkilletError.isInstance(error)) throw error;
        }
      }),
      { numRuns: 60 },
    );
  },
);

describe("what is not of its type is refused by name", () => {
  test.each([
    ["activate", () => session.activate(5 as never)],
    ["activate", () => session.activate(null as never)],
    ["arguments", () => session.activate("notes", { arguments: 5 as never })],
    ["fork", () => session.fork({ skills: 5 as never })],
    ["fork", () => session.fork({ tools: ["Read", 5 as never] })],
    ["resources", () => session.resources({} as never)],
    ["mentions", async () => session.mentions(5 as never)],
    ["find", async () => session.skills.find(5 as never)],
  ])("%s", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ code: "call-invalid", message: /pass/ });
  });

  test("a tool call without a tool's name is denied, and on record", async () => {
    expect(await decisionOf(session.guard({ tool: 5 as never }))).toMatchObject({ outcome: "deny" });
    expect(await decisionOf(session.guard(null as never))).toMatchObject({ outcome: "deny" });
    expect((await session.recorded()).at(-1)).toMatchObject({ kind: "refusal", what: "tool" });
  });
});

describe("null for an optional field counts as left out, as OpenAI's strict mode sends it", () => {
  test("by a session's methods", async () => {
    const options = { arguments: null, source: null, repeat: true } as never;
    expect((await session.activate("pdf", options)).source).toBe("model");
    expect(await session.read("pdf", "fields.md", { maxBytes: null } as never)).toMatchObject({
      content: "fields",
    });
    const run = { cwd: null, timeoutMs: null, stdin: null, signal: null, onOutput: null } as never;
    expect(await session.run("pdf", "scripts/main.sh", null as never, run)).toMatchObject({
      status: "executed",
    });
    const fork = { skills: ["pdf"], scripts: null, profile: null, tools: null, context: null } as never;
    expect(usableIn(await session.fork(fork)).map(({ name }) => name)).toEqual(["pdf"]);
    await session.outcome({ skill: "pdf", outcome: "used", message: null } as never);
    expect(await session.askForDependencies(null as never)).toMatchObject({ missing: [] });
    expect((await session.compact(null as never)).text).not.toBe("");
  });

  test("in the input of a host's tool", async () => {
    const child = await session.fork({ tools: ["Bash(ls:*)", "Read(./**)"] });
    const decide = async (tool: string, input: unknown): Promise<string> =>
      (await decisionOf(child.guard({ tool, input }))).outcome;
    expect(await decide("Bash", { command: "ls", cwd: null, timeout: null })).toBe("allow");
    expect(await decide("Read", { file_path: "a.md", path: null })).toBe("allow");
    expect(await decide("Bash", { command: "rm x", cwd: null })).toBe("deny");
  });

  test("in the input of a skill's tool, unless the schema has null for it", async () => {
    const tool = (await session.toolbox()).tools.find(({ kind }) => kind === "skill");
    const input = { field: "a", choice: null, rows: [{ note: null }] };
    expect(await tool?.execute(input)).toMatchObject({ isError: false });
    expect(JSON.parse(inputs.at(-1) ?? "")).toEqual({ field: "a", choice: null, rows: [{}] });
    expect(await tool?.execute({ field: null })).toMatchObject({ code: "tool-input-invalid" });
  });
});
