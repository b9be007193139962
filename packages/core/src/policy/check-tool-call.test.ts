import { describe, expect, test } from "vitest";
import type { PolicyMode } from "../config/config.ts";
import { type ConfigPlace, createPlace } from "../config/testing/config-place.ts";
import { checkToolCall } from "./check-tool-call.ts";
import type { Decision } from "./decision.ts";
import { type Narrowing, narrowingOf, narrowingTo } from "./narrowing.ts";
import { discoverSkill } from "./testing/discover-skill.ts";

const directories = { project: "/project", home: "/home/me" };

async function active(
  name: string,
  header: string,
  origin: "local" | "community" = "local",
): Promise<Narrowing> {
  return narrowingOf(await discoverSkill(name, header, { origin }), { source: "model", ...directories })
    .narrowing;
}

interface Options {
  readonly narrowing?: readonly (readonly Narrowing[])[];
  readonly place?: ConfigPlace;
  readonly mode?: PolicyMode;
  readonly interactive?: boolean;
}

function check(tool: string, input: unknown, options: Options = {}): Decision {
  const { narrowing = [], place, mode = "default", interactive = true } = options;
  const layers = place?.load({ projectTrusted: true }).layers ?? [];
  return checkToolCall({ tool, input }, { narrowing, layers, mode, interactive, directories });
}

describe("active skills", () => {
  test("narrow nothing as long as none has rules", async () => {
    const reason = "no active skill narrows it, and no rule mentions it";
    expect(check("Bash", "rm -rf x")).toEqual({ outcome: "allow", reason });
    expect(check("Bash", "rm -rf x", { narrowing: [[await active("one", "")]] })).toEqual({
      outcome: "allow",
      reason,
    });
  });

  test("let through what they cover, and name the rules", async () => {
    const narrowing = [[await active("one", "allowed-tools: Bash(git log:*) Bash(wc:*) Read")]];
    expect(check("Bash", "git log | wc -l", { narrowing, interactive: false, mode: "locked" })).toEqual({
      outcome: "allow",
      reason: "one covers it",
      rule: "Bash(git log:*), Bash(wc:*) in allowed-tools of one",
    });
  });

  test("turn the rest into a question, or a denial where no one can be asked", async () => {
    const narrowing = [[await active("one", "allowed-tools: Bash(git log:*)")]];
    const reason = "one does not cover it: `rm x` fits no rule";
    expect(check("Bash", "git log; rm x", { narrowing })).toEqual({ outcome: "ask", reason });
    expect(check("Bash", "git log; rm x", { narrowing, interactive: false })).toEqual({
      outcome: "deny",
      reason: `${reason}; there is no one to ask`,
    });
    expect(check("Bash", "git log; rm x", { narrowing, mode: "locked" })).toEqual({
      outcome: "deny",
      reason: `${reason}; locked mode asks no questions`,
    });
    expect(check("Write", "x", { narrowing })).toMatchObject({ outcome: "ask" });
  });

  test("name every part of a call that no rule covers, up to four", async () => {
    const narrowing = [[await active("one", "allowed-tools: Bash(git log:*)")]];
    const of = (command: string) => check("Bash", command, { narrowing }).reason;
    const both = "one does not cover it: `rm x` fits no rule, `make` fits no rule";
    expect(of("rm x && git log && make && rm x")).toBe(both);
    expect(of("a; b; c; d; e; f")).toMatch(/`d` fits no rule and 2 more$/);
  });

  test("cover a call when one of them does, whole", async () => {
    const git = await active("git-skill", "allowed-tools: Bash(git log:*)");
    const make = await active("make-skill", "allowed-tools: Bash(make:*)");
    const plain = await active("plain", "");
    const narrowing = [[git, plain, make]];
    expect(check("Bash", "make test", { narrowing })).toMatchObject({
      outcome: "allow",
      reason: "make-skill covers it",
    });
    expect(check("Bash", "git log && make", { narrowing })).toEqual({
      outcome: "ask",
      reason:
        "git-skill does not cover it: `make` fits no rule; make-skill does not cover it: `git log` fits no rule",
    });
  });

  test("whose rules are all unclear cover nothing", async () => {
    const narrowing = [[await active("one", "allowed-tools: Bash(a | b)")]];
    expect(check("Bash", "a | b", { narrowing })).toMatchObject({ outcome: "ask" });
  });

  test("deny what they disallow, whatever else covers it", async () => {
    const one = await active("one", "allowed-tools: Bash\ndisallowed-tools: Bash(git push:*) Write");
    const two = await active("two", "allowed-tools: Bash Write");
    const narrowing = [[two, one]];
    expect(check("Bash", "git status; git -C x push", { narrowing })).toEqual({
      outcome: "deny",
      reason: "one disallows it",
      rule: "Bash(git push:*) in disallowed-tools of one",
    });
    expect(check("Bash", "git log > x", { narrowing })).toMatchObject({
      outcome: "deny",
      rule: "Write in disallowed-tools of one",
    });
    expect(check("Bash", "git log", { narrowing })).toMatchObject({ outcome: "allow" });
  });
});

describe("a child", () => {
  test("needs every level to cover a call", async () => {
    const parent = [await active("parent", "allowed-tools: Bash(git:*) Read")];
    const child = [narrowingTo(["Bash", "Write"], { by: "the fork", ...directories }).narrowing];
    const narrowing = [parent, child];
    expect(check("Bash", "git log", { narrowing })).toMatchObject({ outcome: "allow" });
    expect(check("Bash", "make", { narrowing })).toMatchObject({
      outcome: "ask",
      reason: expect.stringMatching(/^parent does not cover it/),
    });
    expect(check("Read", "x", { narrowing })).toMatchObject({
      outcome: "deny",
      reason: expect.stringMatching(/^the fork does not cover it/),
    });
    expect(check("Write", "x", { narrowing, interactive: false })).toMatchObject({ outcome: "deny" });
  });

  test("that was given no tools has none", () => {
    const narrowing = [[], [narrowingTo([], { by: "the fork", ...directories }).narrowing]];
    expect(check("Read", "x", { narrowing })).toMatchObject({ outcome: "deny" });
  });

  test("keeps what its parent disallows", async () => {
    const parent = [await active("parent", "disallowed-tools: Bash(rm:*)")];
    const child = [await active("child", "allowed-tools: Bash")];
    expect(check("Bash", "rm x", { narrowing: [parent, child] })).toMatchObject({ outcome: "deny" });
  });
});

describe("rules of the configuration", () => {
  const rules = (...lines: readonly string[]): ConfigPlace => {
    const place = createPlace();
    place.user(`policy:\n  rules:\n${lines.map((line) => `    - { ${line} }\n`).join("")}`);
    return place;
  };

  test("decide about tools by what a call does, and name themselves", () => {
    const place = rules('tool: "Bash(git push:*)", action: deny', "tool: Write, action: ask");
    expect(check("Bash", "git status && git push", { place })).toEqual({
      outcome: "deny",
      reason: "a rule denies it",
      rule: `{ tool: "Bash(git push:*)", action: deny } in ${place.userFile}:3`,
    });
    expect(check("Write", "x", { place })).toMatchObject({ outcome: "ask", reason: "a rule asks about it" });
    expect(check("Write", "x", { place, interactive: false })).toMatchObject({ outcome: "deny" });
    expect(check("Bash", "git status > x", { place })).toMatchObject({ outcome: "ask" });
    expect(check("Bash", "git status", { place })).toMatchObject({ outcome: "allow" });
  });

  test("within a layer the last that fits decides, for each command on its own", () => {
    const place = rules(
      "tool: Bash, action: deny",
      'tool: "Bash(git log:*)", action: allow',
      'tool: "Bash(wc:*)", action: allow',
      'tool: "Bash(git log -p:*)", action: ask',
    );
    expect(check("Bash", "git log | wc -l", { place })).toMatchObject({ outcome: "allow" });
    expect(check("Bash", "git log | sh", { place })).toMatchObject({ outcome: "deny" });
    expect(check("Bash", "git log --output=x", { place })).toMatchObject({ outcome: "deny" });
    expect(check("Bash", "git log -p | wc", { place })).toMatchObject({ outcome: "ask" });
    expect(check("Bash", "git log $(", { place })).toMatchObject({ outcome: "ask" });
  });

  test.each([
    "echo git push | sh",
    "printf 'git push' | sudo bash -s -- x",
    "sh <<'END'\ngit push\nEND",
    "bash <<< 'git push'",
    "sh /dev/stdin < x",
    "zsh",
  ])("a denial of a command holds for a shell that may be told to run it: %j", async (command) => {
    const place = rules('tool: "Bash(git push:*)", action: deny', 'tool: "Bash(sh)", action: ask');
    expect(check("Bash", command, { place })).toMatchObject({ outcome: "deny" });
    const allowing = rules('tool: "Bash(git push:*)", action: deny', "tool: Bash, action: allow");
    expect(check("Bash", command, { place: allowing })).toMatchObject({ outcome: "allow" });
    const narrowing = [[await active("one", "disallowed-tools: Bash(git push:*)")]];
    expect(check("Bash", command, { place: rules(), narrowing })).toMatchObject({ outcome: "deny" });
  });

  test.each(["sh build.sh", "bash --version", "echo sh | cat", "sh -c 'git log'"])(
    "and not for one that runs something else: %j",
    (command) => {
      const place = rules('tool: "Bash(git push:*)", action: deny');
      expect(check("Bash", command, { place })).toMatchObject({ outcome: "allow" });
    },
  );

  test("across layers the strictest decides", () => {
    const place = rules("tool: Bash, action: allow");
    place.project("policy: { rules: [{ tool: Bash, action: deny }] }");
    expect(check("Bash", "ls", { place })).toMatchObject({
      outcome: "deny",
      rule: expect.stringContaining(place.projectFile),
    });
    place.project("policy: { rules: [{ tool: Bash, action: allow }] }");
    place.organisation("policy: { rules: [{ tool: Bash, action: ask }] }");
    expect(check("Bash", "ls", { place })).toMatchObject({ outcome: "ask" });
  });

  test("never lift what a skill narrows, nor does a skill lift them", async () => {
    const narrowing = [[await active("one", "allowed-tools: Read Bash(rm:*)")]];
    const place = rules("tool: Write, action: allow", 'tool: "Bash(rm:*)", action: deny');
    expect(check("Write", "x", { place, narrowing })).toMatchObject({ outcome: "ask" });
    expect(check("Bash", "rm x", { place, narrowing })).toMatchObject({ outcome: "deny" });
  });

  test("of two denials the skill's own is named", async () => {
    const narrowing = [[await active("one", "disallowed-tools: Write")]];
    const place = rules("tool: Write, action: deny");
    expect(check("Write", "x", { place, narrowing })).toMatchObject({
      outcome: "deny",
      reason: "one disallows it",
    });
  });

  test("for certain skills hold while such a skill is active", async () => {
    const place = rules(
      "skill: two, tool: Write, action: deny",
      "origin: community, tool: Bash, action: ask",
      "source: model, mode: plan, tool: Edit, action: deny",
    );
    const one = await active("one", "");
    const two = await active("two", "", "community");
    expect(check("Write", "x", { place })).toMatchObject({ outcome: "allow" });
    expect(check("Write", "x", { place, narrowing: [[one]] })).toMatchObject({ outcome: "allow" });
    expect(check("Write", "x", { place, narrowing: [[one, two]] })).toMatchObject({ outcome: "deny" });
    expect(check("Bash", "ls", { place, narrowing: [[one]] })).toMatchObject({ outcome: "allow" });
    expect(check("Bash", "ls", { place, narrowing: [[two], [one]] })).toMatchObject({ outcome: "ask" });
    expect(check("Edit", "x", { place, narrowing: [[one]] })).toMatchObject({ outcome: "allow" });
    expect(check("Edit", "x", { place, narrowing: [[one]], mode: "plan" })).toMatchObject({
      outcome: "deny",
    });
  });

  test("for paths are relative to the project of the call", () => {
    const place = rules('tool: "Read(./secrets/**)", action: deny', 'tool: "Read(~/.ssh/**)", action: deny');
    expect(check("Read", "secrets/a", { place })).toMatchObject({ outcome: "deny" });
    expect(check("Read", "docs/../SECRETS/a", { place })).toMatchObject({ outcome: "deny" });
    expect(check("Read", "~/.ssh/id", { place })).toMatchObject({ outcome: "deny" });
    expect(check("Bash", "cat < /project/secrets/a", { place })).toMatchObject({ outcome: "deny" });
    expect(check("Read", "docs/a", { place })).toMatchObject({ outcome: "allow" });
    expect(check("Read", { odd: true }, { place })).toMatchObject({ outcome: "deny" });
  });
});
