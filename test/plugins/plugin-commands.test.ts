import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPluginPlace, type PluginPlace } from "./plugin-place.ts";

const DOCMD = "---\ndescription: Writes the docs.\n---\nWrite docs about $ARGUMENTS.\n";

const wanted = (place: PluginPlace) => ({
  source: join(place.root, "source"),
  names: ["plugin:kit"],
  all: false,
  agents: [],
  link: false,
  ...({ agentTargets: "link", force: true } as const),
});

async function invoked(place: PluginPlace, name: string): Promise<string | undefined> {
  const session = await (await place.open()).session();
  return (await session.activate(name, { source: "user", arguments: "parsers" })).text;
}

test("the commands of an installed plugin are found by its name after an update, a restore and under another name", async () => {
  const place = await createPluginPlace({ "commands/docmd.md": DOCMD });
  const { hub } = place;
  place.write("source/commands/docmd.md", DOCMD.replace("docs about", "more about"));
  await hub.apply(await hub.planUpdate({ names: [], force: false }));
  expect(await invoked(place, "kit:docmd")).toContain("Write more about parsers.");
  rmSync(place.folder, { recursive: true });
  await hub.apply(await hub.planRestore({ names: [], force: false, frozen: true }));
  expect(await invoked(place, "kit:docmd")).toContain("Write more about parsers.");
  await hub.remove({ names: ["kit"], discardEdits: false, dryRun: false });
  await hub.apply(await hub.planInstall({ ...wanted(place), as: "toolbox" }));
  expect(await invoked(place, "toolbox:docmd")).toContain("Write more about parsers.");
});

test("a command that cannot be invoked, because its file lies outside commands/, is told before the install", async () => {
  const place = await createPluginPlace({
    ".claude-plugin/plugin.json": { name: "kit", commands: ["./prompts/review.md"] },
    "commands/docmd.md": DOCMD,
    "prompts/review.md": DOCMD,
  });
  const { diagnostics } = await place.hub.planInstall(wanted(place));
  expect(diagnostics.filter(({ code }) => code === "plugin-command-unreachable")).toEqual([
    {
      code: "plugin-command-unreachable",
      severity: "warning",
      message: "prompts/review.md is a command outside the folder commands/, so it cannot be invoked here.",
      file: ".claude-plugin/plugin.json",
      hint: "Ask the plugin's author to move such files into commands/.",
    },
  ]);
});
