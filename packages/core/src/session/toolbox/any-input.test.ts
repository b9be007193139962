import fc from "fast-check";
import { expect, test } from "vitest";
import { toJson } from "../model-input.ts";
import { openPlace } from "./testing/open-toolbox.ts";

const KEYS =
  "name arguments file_path skill path maxBytes query limit args stdin cwd timeoutMs text loud map __proto__ constructor toString";
const VALUES = [
  "forms",
  "notes",
  "scripts/echo.sh",
  "references/guide.md",
  "SKILL.md",
  "../../etc/passwd",
  "",
  "\ud800",
];

const value = fc.oneof(
  fc.constantFrom<unknown>(...VALUES, null, -1, 1e308, "x".repeat(100_000)),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom<unknown>("-", 5, null), { maxLength: 3 }),
);

const fields = fc
  .array(fc.tuple(fc.constantFrom(...KEYS.split(" ")), value), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));

const deep = fc.constantFrom(10, 50_000).map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`);

const input = fc.oneof(
  fields,
  fields.map((given) => JSON.stringify(given)),
  fc.jsonValue(),
  deep,
  deep.map((text) => JSON.parse(text)),
  fc.constantFrom<unknown>(
    undefined,
    Number.NaN,
    10n,
    Symbol("odd"),
    () => 1,
    "{",
    new Map(),
    new Date(Number.NaN),
    {
      get name(): string {
        throw new Error("never for a model");
      },
    },
    {
      toJSON: () => {
        throw "not an error";
      },
    },
  ),
);

const MAX_CHARACTERS = 400_000;

test.each([
  "load_skill",
  "read_skill_resource",
  "search_skills",
  "run_skill_script",
  "forms__echo",
  "forms__open",
])("%s: whatever a model writes is answered with a bounded text, before the call and by it", async (name) => {
  const { session } = await openPlace({ interactive: true });
  const { tools } = await session.toolbox({ search: true });
  const tool = tools.find((one) => one.name === name);
  await session.activate("forms", { source: "user" });
  await fc.assert(
    fc.asyncProperty(input, async (given) => {
      const decision = await tool?.preflight(given);
      expect(["allow", "ask", "deny"]).toContain(decision?.outcome);
      const result = await tool?.execute(given);
      expect(result?.text.length).toBeLessThan(MAX_CHARACTERS);
      expect(result?.text).not.toMatch(/\p{Surrogate}/u);
      if (decision?.outcome === "deny") expect(result?.isError).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("ten megabytes are refused by every tool, as text and as an object", async () => {
  const { session } = await openPlace({ interactive: true });
  const { tools } = await session.toolbox({ search: true });
  const long = "x".repeat(10_000_000);
  for (const tool of tools)
    for (const given of [long, JSON.stringify({ name: long }), { [long]: 1 }, { query: long, skill: long }]) {
      expect(await tool.preflight(given)).toMatchObject({ outcome: "deny" });
      const { code, text } = await tool.execute(given);
      expect([code, text.length < 1000]).toEqual(["tool-input-invalid", true]);
    }
});

test("guard: whatever a model calls is allowed or refused with a bounded text", async () => {
  const { session } = await openPlace({ interactive: true });
  await session.activate("notes");
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom("Bash", "Read", "Write", "mcp__a__b"), fc.string()),
      // Hosts parse what a model wrote, so no value has code of its own.
      input.filter((given) => toJson(given) !== undefined || typeof given !== "object"),
      async (tool, given) => {
        const guarded = await session.guard({ tool, input: given });
        if (!guarded.allowed) expect(guarded.text.length).toBeLessThan(10_000);
      },
    ),
    { numRuns: 100 },
  );
});
