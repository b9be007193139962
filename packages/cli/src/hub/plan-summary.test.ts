import type { PlannedItem, PluginParts } from "@skillet/hub";
import { expect, test } from "vitest";
import { planSummary } from "./plan-summary.ts";

const plain = (text: string): string => text;
const colours = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };
const DIGEST = `sha256:${"a".repeat(64)}`;

/** The summary of an update of a plugin, in 60 columns. */
function summary(
  parts: Partial<PluginParts>,
  gained: readonly string[] = [],
  more: { readonly signers?: readonly string[]; readonly takenFrom?: string } = {},
) {
  const { signers, takenFrom } = more;
  const entry = {
    kind: "plugin",
    source: "./p",
    resolved: { kind: "local", path: "./p" },
    digest: DIGEST,
    targets: [],
  };
  const changes = {
    added: [],
    removed: [],
    changed: [],
    gained: gained.map((text) => ({ kind: "network", value: text, text })),
    lost: [],
  };
  const none = {
    skills: [],
    commands: [],
    agents: [],
    instructions: [],
    settings: [],
    hooks: [],
    mcpServers: [],
  };
  const whole = { name: "p", ...none, ...parts };
  const item = {
    name: "p",
    action: "update",
    entry,
    installed: { entry, changes, drift: [], doubts: [], overridden: [] },
    kind: "skill",
    parts: whole,
    ...(signers && { signed: { signers } }),
    report: { verdict: "safe", findings: [] },
    origin: "community",
    decision: { outcome: "allow" },
    questions: [],
    ...(takenFrom !== undefined && { takenFrom }),
  } as unknown as PlannedItem;
  const layout = { width: 60, colours, environment: {}, root: "/r" } as unknown as Parameters<
    typeof planSummary
  >[1];
  return planSummary({ items: [item] }, layout);
}

const many = (count: number, word: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${word}-${index}.example`);

test("every power that an update gains is shown, however many, in lines that fit", () => {
  const gained = many(80, "contacts host");
  const lines = summary({}, gained);
  expect(lines.every((line) => line.length <= 60)).toBe(true);
  const text = lines.join(" ").replace(/\s+/g, " ");
  for (const power of gained) expect(text).toContain(power);
  expect(text).not.toMatch(/…|more/);
});

test("every skill, hook and server of a plugin is named", () => {
  const names = many(60, "skill");
  const text = summary({
    skills: names.map((name) => ({ name, folder: name })),
    hooks: many(20, "hook").map((command) => ({ event: "Stop", command })),
    mcpServers: many(20, "server").map((name) => ({ name, command: "run" })),
  })
    .join(" ")
    .replace(/\s+/g, " ");
  for (const name of [...names, ...many(20, "hook"), ...many(20, "server")]) expect(text).toContain(name);
});

test("the agents that a plugin brings are listed", () => {
  const lines = summary({ agents: ["agents/helper.md", "agents/other.md"] });
  expect(lines).toContain("    agents    agents/helper.md, agents/other.md");
});

test("what a plugin tells agents at all times, and what it sets, is listed whole", () => {
  const settings = many(20, "key").map((key) => `${key}: true`);
  const lines = summary({ instructions: ["output-styles/s.md"], settings });
  expect(lines).toContain("    tells     output-styles/s.md");
  const text = lines.join(" ").replace(/\s+/g, " ");
  for (const setting of settings) expect(text).toContain(setting);
});

test("who signed is named by the beginning of the key's id, and nobody where none is known", () => {
  const id = `sha256:${"0123456789abcdef".repeat(4)}`;
  expect(summary({}, [], { signers: [id] })).toContain("    signed by 0123456789ab");
  expect(summary({}).join("\n")).not.toContain("signed");
});

test("what a marketplace takes from elsewhere is shown with where that is, and nothing else is", () => {
  const takenFrom = "https://mallory.example/kit.zip";
  expect(summary({}, [], { takenFrom })).toContain(`    lies at   ${takenFrom}`);
  expect(summary({}).join("\n")).not.toContain("lies at");
});
