import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AllowedPlugin, memoryJournal, type Session, type SessionOptions } from "@skillet/core";
import { type FakeScript, fakeRunner, type TestSkillsOptions, testSkills } from "@skillet/core/testing";
import { afterEach, expect, test } from "vitest";
import type { Step } from "../examples/scripted-model.ts";

/** What a model is sent. */
export interface SeenRequest {
  readonly system: string;
  /** Each as it is sent, in this order. */
  readonly tools: readonly { readonly name: string; readonly json: string }[];
  /** Each as it is sent, without the system prompt. */
  readonly messages: readonly string[];
}

/** A tool that the agent has anyway. */
interface OwnTool {
  readonly name: string;
  run(input: unknown): Promise<string>;
}

export interface StartOptions {
  readonly session: Session;
  readonly tools: readonly OwnTool[];
  /** Gives the model files as they are, where the SDK can. */
  readonly sendFiles?: boolean;
  /** Switches on a skills feature of the SDK beside ours. */
  readonly native?: string;
}

interface SayOptions {
  readonly signal?: AbortSignal;
  /** A person's answer to what the SDK asks before a call; default: no one is asked. */
  readonly answer?: (call: { readonly name: string; readonly reason: string }) => boolean;
  /** What a running script has written so far, whenever the SDK shows it. */
  readonly onShown?: (text: string) => void;
  /** The run ends after so many answers of the model. */
  readonly maxSteps?: number;
}

/** A conversation in the terms of one SDK, with that SDK's own double of a model. */
export interface Conversation {
  readonly requests: readonly SeenRequest[];
  /** One message of a person; the model answers with these steps. Gives the results of the calls, in order. */
  say(message: string, steps: readonly Step[], options?: SayOptions): Promise<readonly string[]>;
  refresh?(): Promise<void>;
  compacted?(): Promise<string>;
  close?(): Promise<void>;
}

export interface Driver {
  readonly host: string;
  start(options: StartOptions): Promise<Conversation>;
  /** The SDK's own skills features, each of which must be refused beside ours. */
  readonly natives: readonly string[];
  /** Cases that do not apply, with the reason. */
  readonly leftOut?: Readonly<Record<string, string>>;
  /** The SDK has no way to wait for a person: the session's own `ask` is asked. */
  readonly asksBySession?: boolean;
  /** Cases of which the SDK cannot do all, and what. */
  readonly partly?: Readonly<Record<string, string>>;
}

const PNG = Buffer.from("89504e470d0a1a0a00ff00", "hex");
const TOOLSET = { tools: [{ name: "count", description: "Counts.", script: "scripts/count.sh" }] };
const NOTES = `---
name: notes
description: Writes notes. Use it for meetings.
allowed-tools: Read
toolsets: [tools.json]
---
Take notes on $ARGUMENTS.
`;
const FILES: Readonly<Record<string, string | Buffer>> = {
  "notes/SKILL.md": NOTES,
  "notes/tools.json": JSON.stringify(TOOLSET),
  "notes/references/guide.md": "At most ten lines.\n",
  "notes/assets/logo.png": PNG,
  "notes/scripts/count.sh": "echo 3\n",
  "payroll/SKILL.md": "---\nname: payroll\ndescription: Pays people.\n---\nPay.\n",
};
const DENY_PAYROLL = { policy: { rules: [{ skill: "payroll", action: "deny" as const }] } };
const SCRIPT = { skill: "notes", path: "scripts/count.sh" };

const LINTER: AllowedPlugin = {
  name: "linter",
  digest: `sha256:${"0".repeat(64)}`,
  root: "/linter",
  files: [],
  mcpServers: [],
  hooks: [
    { event: "SessionStart", command: "start", timeoutMs: 1000 },
    { event: "PostToolUse", command: "lint", timeoutMs: 1000 },
  ],
};

const folders: string[] = [];

interface Place extends Conversation {
  readonly root: string;
  readonly session: Session;
  /** The host's own tools that ran. */
  readonly ran: readonly string[];
  /** Those that the session was asked about. */
  readonly judged: readonly string[];
  records(): Record<string, unknown>[];
}

interface PlaceOptions extends SessionOptions {
  readonly tree?: Readonly<Record<string, string | Buffer>>;
  readonly config?: NonNullable<TestSkillsOptions["open"]>["config"];
  readonly script?: FakeScript;
  readonly tools?: readonly string[];
  readonly sendFiles?: boolean;
  readonly native?: string;
  readonly plugins?: readonly AllowedPlugin[];
  readonly onWrite?: (place: Place) => Promise<void>;
}

async function open(driver: Driver, options: PlaceOptions = {}): Promise<Place> {
  const { tree = FILES, config = DENY_PAYROLL, script = () => "3\n", onWrite, ...rest } = options;
  const { tools = ["read", "write"], sendFiles, native, plugins, ...given } = rest;
  const root = mkdtempSync(join(tmpdir(), "skillet-contract-"));
  folders.push(root);
  write(root, tree);
  const journal = memoryJournal();
  const session = await testSkills(
    {},
    {
      records: journal,
      runner: fakeRunner({ "notes:scripts/count.sh": script }),
      ...given,
      open: {
        roots: [root],
        sources: [],
        config,
        ...(plugins && { workspace: root, plugins: async () => plugins }),
      },
    },
  );
  const judged: string[] = [];
  const guard: Session["guard"] = (call, how) => {
    judged.push(call.tool);
    return session.guard(call, how);
  };
  const ran: string[] = [];
  const own = tools.map((name) => ({
    name,
    run: async (input: unknown) => {
      ran.push(`${name} ${JSON.stringify(input)}`);
      if (name === "write") await onWrite?.(place);
      return `${name} is done`;
    },
  }));
  const conversation = await driver.start({
    session: Object.assign(Object.create(session), { guard }),
    tools: own,
    ...(sendFiles !== undefined && { sendFiles }),
    ...(native !== undefined && { native }),
  });
  const records = () => journal.read().map((line) => JSON.parse(line).record);
  const place: Place = { ...conversation, root, session, ran, judged, records };
  return place;
}

function write(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

const load = (name: string): Step => [{ name: "load_skill", input: { name, arguments: "the budget" } }];
const names = (request: SeenRequest | undefined): string[] => request?.tools.map(({ name }) => name) ?? [];

type Case = readonly [id: string, title: string, run: (driver: Driver) => Promise<void>];

const CASES: readonly Case[] = [
  [
    "1",
    "without a skill to offer there are no tools and no text",
    async (driver) => {
      const { say, requests } = await open(driver, { tree: {} });
      await say("Hello", ["Hello."]);
      expect(names(requests[0])).toEqual(["read", "write"]);
      expect(requests[0]?.system).not.toMatch(/skill/i);
    },
  ],
  [
    "2",
    "equal skills give an equal beginning, in whatever order tools were added; a skill's own come last, once loaded",
    async (driver) => {
      const beginnings: string[] = [];
      for (const tools of [
        ["read", "write"],
        ["write", "read"],
      ]) {
        const { say, requests, root } = await open(driver, { tools });
        await say("Take notes", [load("notes"), "Done."]);
        const [first, second] = requests;
        expect(first?.system).toContain("notes");
        beginnings.push(JSON.stringify([first?.system, first?.tools]).replaceAll(root, ""));
        expect(second?.system).toBe(first?.system);
        if (names(first).includes("notes__count")) expect(second?.tools).toEqual(first?.tools);
        else {
          expect(second?.tools.slice(0, -1)).toEqual(first?.tools);
          expect(names(second).at(-1)).toBe("notes__count");
        }
      }
      expect(beginnings[0]).toBe(beginnings[1]);
    },
  ],
  [
    "3",
    "instructions come wrapped, once, and only as they were found",
    async (driver) => {
      const { say, root } = await open(driver, { interactive: false });
      const [loaded = "", again = ""] = await say("Take notes", [load("notes"), load("notes"), "Done."]);
      expect(loaded).toMatch(/<skill[\s\S]*Take notes on the budget\.[\s\S]*<\/skill/);
      expect(again).not.toContain("Take notes on");
      write(root, { "notes/SKILL.md": NOTES.replace("Take", "Steal") });
      const [changed = ""] = await say("Again", [
        [{ name: "load_skill", input: { name: "notes", arguments: "x" } }],
        "Done.",
      ]);
      expect(changed).not.toContain("Steal");
    },
  ],
  [
    "4",
    "a binary file arrives as it is, or is described",
    async (driver) => {
      const read: Step = [
        { name: "read_skill_resource", input: { skill: "notes", path: "assets/logo.png" } },
      ];
      const text: Step = [
        { name: "read_skill_resource", input: { skill: "notes", path: "references/guide.md" } },
      ];
      const plain = await open(driver);
      const [described, guide] = await plain.say("Show", [read, text, "Done."]);
      expect(described).toContain(`image/png, ${PNG.length} bytes`);
      expect(guide).toContain("At most ten lines.");
      const whole = await open(driver, { sendFiles: true });
      await whole.say("Show", [read, "Done."]);
      const sent = whole.requests[1]?.messages.join("\n") ?? "";
      expect(sent).toMatch(/image\/png/);
      if (driver.partly?.["4"] === undefined) expect(sent).toContain(PNG.toString("base64"));
    },
  ],
  [
    "5",
    "names that are denied, missing or left out are answered alike",
    async (driver) => {
      const { say } = await open(driver, { skills: ["notes", "payroll"] });
      const results = await say("Pay", [load("payroll"), load("xylophone"), "Done."]);
      const [denied, missing] = results.map((text) => text.replace(/payroll|xylophone/g, "NAME"));
      expect(denied).toBe(missing);
      expect(denied).toContain("There is no skill");
    },
  ],
  [
    "6",
    "a tool of the host's that a loaded skill does not cover is refused by the SDK's own means, with the reason",
    async (driver) => {
      const { say, ran, judged, records } = await open(driver);
      const calls: Step = [
        { name: "read", input: { path: "a.md" } },
        { name: "write", input: { path: "b.md" } },
      ];
      const [, allowed, refused] = await say("Take notes", [load("notes"), calls, "Done."]);
      expect(allowed).toContain("read is done");
      expect(refused).toContain("notes does not cover it");
      expect(ran).toEqual(['read {"path":"a.md"}']);
      // Approvals and the call itself go by one judgement, and a refusal is recorded once.
      expect(judged).toEqual(["read", "write"]);
      expect(records().filter(({ kind }) => kind === "refusal").length).toBe(1);
      await say("Something else", [[{ name: "write", input: { path: "c.md" } }], "Done."]);
      expect(ran).toContain('write {"path":"c.md"}');
    },
  ],
  [
    "6b",
    "what a rule asks about waits for a person, by the SDK's own means, and is asked about and recorded once",
    async (driver) => {
      const rules = [
        { tool: "write", action: "ask" as const },
        { tool: "run_skill_script", action: "ask" as const },
      ];
      const config = { policy: { rules } };
      for (const isAllowed of [true, false]) {
        const asked: string[] = [];
        const answer = ({ name, reason }: { name: string; reason: string }): boolean => {
          asked.push(`${name}: ${reason}`);
          return isAllowed;
        };
        const ask: SessionOptions["ask"] = async ({ call, reason }) => ({
          choice: answer({ name: call?.tool ?? "", reason }) ? "allow" : "deny",
        });
        const asks = driver.asksBySession === true ? { ask } : { interactive: true };
        const place = await open(driver, { config, ...asks });
        const steps = [
          [{ name: "write", input: { path: "b.md" } }],
          load("payroll"),
          [{ name: "load_skill", input: { name: "notes" } }],
          [{ name: "run_skill_script", input: SCRIPT }],
          "Done.",
        ];
        const results = await place.say("Write", steps, { answer });
        expect(asked.map((text) => text.split(":")[0])).toEqual(["write", "run_skill_script"]);
        if (driver.partly?.["6b"] === undefined) expect(asked[0]).toMatch(/rule/);
        expect(place.ran.length).toBe(isAllowed ? 1 : 0);
        expect(results.at(-1)?.includes("stdout:\n3")).toBe(isAllowed);
        const ends = place.records().filter(({ kind }) => kind === "script-execution");
        expect(ends.filter(({ status }) => status === "executed").length).toBe(isAllowed ? 1 : 0);
      }
    },
  ],
  [
    "7",
    "an abort ends a running script",
    async (driver) => {
      const stop = new AbortController();
      const script: FakeScript = ({ signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener("abort", () => resolve({ status: "cancelled" }));
          stop.abort(new Error("The user pressed stop."));
        });
      const { say, records } = await open(driver, { script });
      const run: Step = [{ name: "run_skill_script", input: SCRIPT }];
      await say("Count", [load("notes"), run, "Done."], { signal: stop.signal }).catch(() => undefined);
      await expect
        .poll(() => records().find(({ kind }) => kind === "script-execution"))
        .toMatchObject({ outcome: "cancelled" });
    },
  ],
  [
    "8",
    "what a script writes is shown while it runs",
    async (driver) => {
      const shown: string[] = [];
      let proceed = (): void => undefined;
      const seen = new Promise<void>((resolve) => {
        proceed = resolve;
      });
      const script: FakeScript = async ({ onOutput }) => {
        onOutput?.("stdout", Buffer.from("one\n"));
        await seen;
        return "one\ntwo\n";
      };
      const { say } = await open(driver, { script });
      const onShown = (text: string): void => {
        shown.push(text);
        proceed();
      };
      const run: Step = [{ name: "notes__count", input: {} }];
      const steps = [load("notes"), run, "Done."];
      await say("Count", steps, { onShown });
      expect(shown[0]).toBe("one\n");
    },
  ],
  [
    "9",
    "changed skills reach the model once, in one message, and what was sent before stays as it was",
    async (driver) => {
      const added = { "minutes/SKILL.md": "---\nname: minutes\ndescription: Writes minutes.\n---\nWrite.\n" };
      const { say, requests } = await open(driver, {
        onWrite: async ({ root, refresh }) => {
          write(root, added);
          await refresh?.();
        },
      });
      const edit: Step = [{ name: "write", input: { path: "a" } }];
      const look: Step = [{ name: "read", input: { path: "a" } }];
      await say("Add one", [edit, look, load("minutes"), "Done."]);
      for (const [index, request] of requests.entries()) {
        const before = requests[index - 1];
        if (before === undefined) continue;
        expect([request.system, request.tools]).toEqual([before.system, before.tools]);
        expect(request.messages.slice(0, before.messages.length)).toEqual(before.messages);
        expect(request.messages.filter((text) => text.includes("Writes minutes.")).length).toBe(1);
      }
      // A list of names would keep the model from a skill that came later.
      expect(requests[0]?.tools.find(({ name }) => name === "load_skill")?.json).not.toContain('"enum"');
      const last = requests.at(-1)?.messages.join("\n");
      expect(last).toContain("Write.");
      await say("And now", ["Done."]);
      expect(requests.at(-1)?.messages.filter((text) => text.includes("Writes minutes.")).length).toBe(1);
    },
  ],
  [
    "10",
    "after the history was shortened, the catalogue and what loaded skills say can be put back",
    async (driver) => {
      const { say, compacted } = await open(driver);
      await say("Take notes", [load("notes"), "Done."]);
      const text = await compacted?.();
      expect(text).toContain("Writes notes.");
      expect(text).toContain("Take notes on the budget.");
    },
  ],
  [
    "11",
    "records name the host, the call, the skill and its digest",
    async (driver) => {
      const { say, records } = await open(driver);
      await say("Take notes", [
        load("notes"),
        [{ name: "read_skill_resource", input: { skill: "notes", path: "references/guide.md" } }],
        [{ name: "run_skill_script", input: SCRIPT }],
        [{ name: "write", input: { path: "b.md" } }],
        "Done.",
      ]);
      const { host } = driver;
      const [loaded, read, ran, refused, ...more] = records().filter(({ kind }) => kind !== "policy");
      const callId = expect.stringMatching(/^call_\d_0$/);
      const digest = expect.stringMatching(/^sha256:/);
      expect(loaded).toMatchObject({ kind: "activation", name: "notes", digest, host, callId });
      expect(read).toMatchObject({
        kind: "resource-read",
        skillName: "notes",
        observedDigest: digest,
        host,
        callId,
      });
      expect(ran).toMatchObject({
        kind: "script-execution",
        skillName: "notes",
        treeDigest: digest,
        host,
        callId,
      });
      expect(refused).toMatchObject({ kind: "refusal", what: "tool", host, callId });
      expect(more).toEqual([]);
      const calls = [loaded, read, ran, refused].map((record) => record?.callId);
      expect(new Set(calls).size).toBe(4);
    },
  ],
  [
    "12",
    "a skills feature of the SDK's own beside ours is refused",
    async (driver) => {
      for (const native of driver.natives)
        await expect(open(driver, { native }), native).rejects.toMatchObject({
          code: "native-skills-active",
        });
    },
  ],
  [
    "13",
    "what the operator must fix ends the call, and no model is told",
    async (driver) => {
      const { say, session, requests } = await open(driver, {
        onWrite: async (place) => place.session.close(),
      });
      const steps: Step[] = [[{ name: "write", input: { path: "a" } }], load("notes"), "Done."];
      await expect(say("Take notes", steps)).rejects.toThrow(/session has ended/i);
      expect(requests.flatMap(({ messages }) => messages).join("\n")).not.toMatch(/session has ended/i);
      await session.close();
    },
  ],
  [
    "13b",
    "what the operator must fix after a run's last step comes out when the skills are closed, once",
    async (driver) => {
      const { say, close } = await open(driver, { onWrite: async (place) => place.session.close() });
      const steps: Step[] = [[{ name: "write", input: { path: "a" } }], load("notes")];
      await say("Take notes", steps, { maxSteps: 2 }).catch(() => undefined);
      await expect(close?.()).rejects.toThrow(/session has ended/i);
      await close?.();
    },
  ],
  [
    "14",
    "what hooks of allowed plugins say at the start is in the instructions, and after a call it reaches the model once",
    async (driver) => {
      const told: Record<string, unknown>[] = [];
      const hooks: SessionOptions["hooks"] = async ({ input }) => {
        const event = JSON.parse(input);
        if (event.hook_event_name === "SessionStart") return { exitCode: 0, stdout: "use tabs", stderr: "" };
        told.push(event);
        const hookSpecificOutput = { hookEventName: "PostToolUse", additionalContext: "lint: 2 faults" };
        return { exitCode: 0, stdout: JSON.stringify({ hookSpecificOutput }), stderr: "" };
      };
      const { say, requests } = await open(driver, { hooks, plugins: [LINTER] });
      const edit: Step = [{ name: "write", input: { path: "a" } }];
      const read: Step = [
        { name: "read_skill_resource", input: { skill: "notes", path: "references/guide.md" } },
      ];
      await say("Write twice", [edit, edit, read, "Done."]);
      expect(requests[0]?.system).toContain("use tabs");
      const times = requests.map(({ messages }) => messages.join("\n").split("lint: 2 faults").length - 1);
      expect(times).toEqual([0, 1, 2, 3]);
      for (const [index, { messages }] of requests.slice(1).entries())
        expect(messages.slice(0, requests[index]?.messages.length)).toEqual(requests[index]?.messages);
      expect(told.map(({ tool_name }) => tool_name)).toEqual(["Write", "Write", "read_skill_resource"]);
      expect(JSON.stringify(told[0]?.tool_response)).toContain("write is done");
      expect(JSON.stringify(told[2]?.tool_response)).toContain("At most ten lines.");
    },
  ],
];

/** The same cases for every adapter. */
export function contract(driver: Driver): void {
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  for (const [id, title, run] of CASES) {
    const without = driver.partly?.[id];
    const reason = driver.leftOut?.[id];
    const name = `${id}. ${title}${without === undefined ? "" : `; here ${without}`}`;
    if (reason === undefined) test(name, () => run(driver));
    else test.skip(`${name} (${reason})`, () => undefined);
  }
}
