import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openHub } from "@skillet/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runChild } from "../../../hub/src/place/testing/run-child.ts";
import { BODIES, skillText, wanted, writeFiles } from "../../../hub/src/testing/hub-sandbox.ts";
import { bundleSource } from "../../../kit/src/testing/bundle-source.ts";
import type { SwitchTask } from "../testing/switch-child.ts";

const SETTINGS = '{\n  // mine\n  "theme": "dark",\n}\n';

let programs: string;
let program: string;
/** A home with a skill of one agent with a switch, one without, and one that Skillet installed. */
let prepared: string;
let original: Readonly<Record<string, string>>;

beforeAll(async () => {
  programs = realpathSync(mkdtempSync(join(tmpdir(), "skillet-switch-")));
  // The config is YAML, whose library is not bundled.
  symlinkSync(resolve("node_modules"), join(programs, "node_modules"));
  [program] = await bundleSource(join(programs, "out"), "cli/src/testing/switch-child.ts");
  prepared = join(programs, "prepared");
  const work = join(programs, "work");
  writeFiles(work, {
    "user/.gemini/skills/pdf/SKILL.md": skillText("pdf"),
    "user/.gemini/settings.json": SETTINGS,
    "user/.cursor/skills/pdf/SKILL.md": skillText("pdf"),
    "user/.cursor/skills/pdf/notes/mine.txt": "mine",
    "user/.augment/settings.json": "{}",
    "user/.gemini/skills/csv/SKILL.md": skillText("csv"),
    "user/.cursor/skills/csv/SKILL.md": skillText("csv"),
    "source/pdf/SKILL.md": skillText("pdf", BODIES.safe),
    "home/config.yaml": "",
  });
  const hub = await hubAt(work);
  const request = wanted(join(work, "source/pdf"), { agents: ["augment"] });
  await hub.apply(await hub.planInstall(request));
  original = contentOf(work);
  cpSync(work, prepared, { recursive: true, verbatimSymlinks: true });
});

afterAll(() => rmSync(programs, { recursive: true, force: true }));

function hubAt(folder: string) {
  const [home, userHome] = [join(folder, "home"), join(folder, "user")];
  return openHub({
    home,
    userHome,
    workspace: folder,
    clock: () => 0,
    scope: { kind: "user", home, pluginsDirectory: join(home, "plugins") },
    environment: { PATH: process.env.PATH, HOME: userHome },
  });
}

/** Every file and link of the user's. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const user = join(folder, "user");
  const paths = readdirSync(user, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const stats = lstatSync(join(user, path));
      return [
        path,
        stats.isFile() ? readFileSync(join(user, path), "utf8") : stats.isDirectory() ? "/" : "link",
      ];
    }),
  );
}

const run = (folder: string, task: Omit<SwitchTask, "folder">, options = {}) =>
  runChild(program, { folder, ...task } as unknown as Parameters<typeof runChild>[1], options);

/** What Skillet's own config says; a config with nothing in it is deleted. */
function configOf(folder: string): string {
  const file = join(folder, "home/config.yaml");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** A copy in the same place each time: locks and links know where they are. */
function fresh(): string {
  const folder = join(programs, "work");
  rmSync(folder, { recursive: true, force: true });
  cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}

/** Wherever it was killed: each skill is in its place or in the store, whole, and the settings are one text or the other. */
async function expectNothingLost(folder: string, stage: string): Promise<void> {
  const hub = await hubAt(folder);
  const drift = (await hub.verify([])).flatMap((one) => one.drift);
  expect([stage, drift]).toEqual([stage, []]);
  const records = join(folder, "home/disabled.json");
  const kept: { kind: string; to?: string }[] = existsSync(records)
    ? JSON.parse(readFileSync(records, "utf8")).records
    : [];
  const stored = kept.flatMap(({ to }) =>
    to !== undefined && existsSync(join(to, "notes/mine.txt")) ? [to] : [],
  );
  const inPlace = existsSync(join(folder, "user/.cursor/skills/pdf/notes/mine.txt"));
  expect([stage, stored.length + Number(inPlace)]).toEqual([stage, 1]);
  const settings = readFileSync(join(folder, "user/.gemini/settings.json"), "utf8");
  expect([stage, [true, false]]).toEqual([stage, expect.arrayContaining([settings === SETTINGS])]);
  if (settings !== SETTINGS) expect(settings).toContain('"disabled": ["pdf"]');
  expect(existsSync(join(folder, "user/.gemini/skills/pdf/SKILL.md"))).toBe(true);
}

test("disable and enable that are killed at every stage lose nothing, and enable brings everything back", async () => {
  const stagesOf = (lines: readonly string[]) =>
    new Set(lines.filter((line) => line !== "begin" && line !== "end"));
  const trial = fresh();
  const there = stagesOf((await run(trial, { action: "disable" })).lines);
  expect(Object.keys(contentOf(trial))).not.toContain(".cursor/skills/pdf");
  expect(configOf(trial)).toContain("user:pdf");
  const back = stagesOf((await run(trial, { action: "enable" })).lines);
  expect(contentOf(trial)).toEqual(original);
  expect([...there]).toEqual(expect.arrayContaining(["recorded", "changed 2", "committed", "settled"]));
  for (const [action, stages] of [
    ["disable", there],
    ["enable", back],
  ] as const)
    for (const dieAt of stages) {
      const folder = fresh();
      if (action === "enable") await run(folder, { action: "disable" });
      expect([dieAt, (await run(folder, { action, dieAt })).signal]).toEqual([dieAt, "SIGKILL"]);
      await expectNothingLost(folder, `${action}, ${dieAt}`);
      await run(folder, { action: "enable" });
      expect([action, dieAt, contentOf(folder)]).toEqual([action, dieAt, original]);
      expect([action, dieAt, configOf(folder)]).toEqual([action, dieAt, ""]);
    }
});

test("removing that is killed lets enable bring everything back", async () => {
  const folder = fresh();
  const before = contentOf(folder);
  await run(folder, { action: "remove", dieAt: "changed 0" });
  await run(folder, { action: "enable" });
  expect(contentOf(folder)).toEqual(before);
});

test("removing a disabled skill that is killed at every stage never enables it, and enable brings everything back", async () => {
  const remove = { action: "remove", state: "disabled" } as const;
  const disabled = (): Promise<string> => {
    const folder = fresh();
    return run(folder, { action: "disable" }).then(() => folder);
  };
  const { lines } = await run(await disabled(), remove);
  const stages = new Set(lines.filter((line) => line !== "begin" && line !== "end"));
  expect([...stages]).toEqual(expect.arrayContaining(["recorded", "changed 2", "settled"]));
  for (const dieAt of stages) {
    const folder = await disabled();
    expect([dieAt, (await run(folder, { ...remove, dieAt })).signal]).toEqual([dieAt, "SIGKILL"]);
    const isThere = existsSync(join(folder, "user/.gemini/skills/pdf/SKILL.md"));
    const settings = readFileSync(join(folder, "user/.gemini/settings.json"), "utf8");
    expect([dieAt, isThere && settings === SETTINGS]).toEqual([dieAt, false]);
    for (let times = 0; times < 2; times++) await run(folder, { action: "enable" });
    expect([dieAt, contentOf(folder)]).toEqual([dieAt, original]);
  }
});

test("adopting that is killed at every stage leaves every folder as it was, and can be repeated", async () => {
  const stages = new Set((await run(fresh(), { action: "adopt" })).lines.filter((line) => line !== "begin"));
  expect([...stages]).toEqual(expect.arrayContaining(["journalled", "swapped 0", "committed"]));
  for (const dieAt of stages) {
    const folder = fresh();
    expect([dieAt, (await run(folder, { action: "adopt", dieAt })).signal]).toEqual([dieAt, "SIGKILL"]);
    const hub = await hubAt(folder);
    expect([dieAt, contentOf(folder)]).toEqual([dieAt, original]);
    expect([dieAt, (await hub.verify([])).flatMap(({ drift }) => drift)]).toEqual([dieAt, []]);
    await run(folder, { action: "adopt" });
    expect([dieAt, (await hub.list()).skills.get("csv")?.targets.map(({ path }) => path)]).toEqual([
      dieAt,
      [join(folder, "user/.gemini/skills/csv"), join(folder, "user/.cursor/skills/csv"), "plugins/csv"],
    ]);
    expect([dieAt, contentOf(folder)]).toEqual([dieAt, original]);
  }
});
