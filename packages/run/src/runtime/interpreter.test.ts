import { expect, test } from "vitest";
import type { RuntimePlan } from "./choose-runtime.ts";
import { chooseInterpreter, type Interpreter, stripsTypes } from "./choose-runtime.ts";
import { planRuntime } from "./plan-runtime.ts";

const plan = planRuntime({
  path: "scripts/x.ts",
  executable: false,
  head: Buffer.from(""),
  network: "none",
}) as RuntimePlan;
const choose = (...present: Interpreter[]) =>
  chooseInterpreter(plan, "scripts/x.ts", {
    find: async (name) => present.find((one) => one.name === name),
    versionOf: async ({ version }) => version,
  });
const at = (name: string, version?: string): Interpreter => ({
  name,
  path: `/usr/bin/${name}`,
  ...(version && { version }),
});

test("TypeScript is run by what is there", async () => {
  expect(await choose(at("bun"), at("node", "24.0.0"))).toMatchObject({ interpreter: { name: "node" } });
  expect(await choose(at("bun"), at("node", "20.19.0"))).toMatchObject({ interpreter: { name: "bun" } });
  expect(await choose(at("node", "24.0.0"), at("deno"))).toMatchObject({ interpreter: { name: "node" } });
  expect(await choose(at("node", "20.19.0"), at("deno"))).toMatchObject({ interpreter: { name: "deno" } });
});

test("without any of them the refusal says what to install", async () => {
  expect(await choose(at("node", "20.19.0"))).toEqual({
    refused:
      "scripts/x.ts cannot be run: node 20.19.0 does not run TypeScript, deno was not found, bun was not found. Install node 22.18 or newer or deno or bun where scripts run.",
  });
  expect(await choose(at("node"))).toMatchObject({
    refused: expect.stringContaining("of an unknown version"),
  });
});

test.each([
  ["20.19.0", false],
  ["22.17.9", false],
  ["22.18.0", true],
  ["23.5.0", false],
  ["23.6.0", true],
  ["24.0.0", true],
  ["100.0.0", true],
  ["nonsense", false],
  [undefined, false],
])("node %s strips types: %s", (version, expected) => {
  expect(stripsTypes(version)).toBe(expected);
});
