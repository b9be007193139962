import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { makeSkill, writeHeader } from "../../../select/src/testing/make-skill.ts";
import { openSkills } from "../open-skills.ts";
import { openMemory, skillText } from "../session/search/testing/generated-library.ts";
import { selectIn } from "../session/testing/inspect-session.ts";
import { MemorySource } from "../source/memory-source.ts";
import type { SkillSource } from "../source/skill-source.ts";
import { writeTree } from "../testing/write-tree.ts";
import { createSelector } from "./open-selection.ts";
import type { Skills } from "./skills.ts";

const FILES = {
  "bees/SKILL.md": skillText("bees", "Keeps bees.", "", "Varroa mites are treated with oxalic acid."),
  "bread/SKILL.md": skillText("bread", "Bakes bread.", "", "The sourdough rests overnight."),
};

/** A source that counts how often files are read after discovery. */
class CountingSource extends MemorySource {
  reads = 0;

  override async read(...given: Parameters<SkillSource["read"]>): ReturnType<SkillSource["read"]> {
    this.reads += 1;
    return super.read(...given);
  }
}

async function openCounting(
  cacheDirectory: string,
  files: Record<string, string> = FILES,
): Promise<{ readonly skills: Skills; readonly reads: () => number }> {
  const source = new CountingSource(files);
  const skills = await openMemory({}, { sources: [source], cacheDirectory });
  const before = source.reads;
  return { skills, reads: () => source.reads - before };
}

const best = async (skills: Skills, message: string): Promise<string | undefined> =>
  (await skills.select(message))[0]?.skill.name;

test("instructions count, and are read once for a snapshot and once for a cache", async () => {
  const cache = temporaryDirectory();
  const first = await openCounting(cache);
  expect(first.reads()).toBe(0);
  expect(await best(first.skills, "oxalic acid for varroa")).toBe("bees");
  expect(await best(first.skills, "sourdough overnight")).toBe("bread");
  expect(await first.skills.selector()).toBe(await first.skills.selector());
  expect(first.reads()).toBe(2);
  const second = await openCounting(cache);
  expect(await best(second.skills, "oxalic acid for varroa")).toBe("bees");
  expect(second.reads()).toBe(0);
  const changed = { ...FILES, "bread/SKILL.md": skillText("bread", "Bakes bread.", "", "Rye and caraway.") };
  const third = await openCounting(cache, changed);
  expect(await best(third.skills, "rye with caraway")).toBe("bread");
  expect(third.reads()).toBe(1);
});

test("a damaged index is built again, and said to be; a sound one is not", async () => {
  const cache = temporaryDirectory();
  const { skills } = await openCounting(cache);
  expect((await skills.selector()).diagnostics).toEqual([]);
  const [file = ""] = readdirSync(join(cache, "selection"));
  const path = join(cache, "selection", file);
  const bytes = readFileSync(path);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const next = await openCounting(cache);
  const selector = await next.skills.selector();
  expect(selector.diagnostics).toMatchObject([{ code: "selection-cache-damaged", file: path }]);
  expect(selector.select("oxalic acid for varroa")[0]?.skill.name).toBe("bees");
  expect((await (await openCounting(cache)).skills.selector()).diagnostics).toEqual([]);
});

test("many at once keep one whole index", async () => {
  const cache = temporaryDirectory();
  const opened = await Promise.all(Array.from({ length: 8 }, () => openCounting(cache)));
  const found = await Promise.all(opened.map(({ skills }) => best(skills, "oxalic acid for varroa")));
  expect(new Set(found)).toEqual(new Set(["bees"]));
  expect(readdirSync(join(cache, "selection"))).toHaveLength(1);
  expect((await (await openCounting(cache)).skills.selector()).diagnostics).toEqual([]);
});

test("what changed or went since the snapshot is known by its header, and its new text by no digest", async () => {
  const root = temporaryDirectory();
  const home = temporaryDirectory();
  writeTree(root, FILES);
  const open = (): Promise<Skills> =>
    openSkills({
      workspace: root,
      roots: [root],
      home,
      userHome: home,
      bundledDirectory: false,
      environment: {},
    });
  const skills = await open();
  writeFileSync(join(root, "bees/SKILL.md"), skillText("bees", "Keeps bees.", "", "Quantum chromodynamics."));
  rmSync(join(root, "bread/SKILL.md"));
  expect(await best(skills, "quantum chromodynamics")).toBeUndefined();
  expect(await best(skills, "bake bread")).toBe("bread");
  await skills.reload();
  expect(await best(skills, "quantum chromodynamics")).toBe("bees");
});

test("a session goes on with its own snapshot, and the registry with its new one", async () => {
  const root = temporaryDirectory();
  const home = temporaryDirectory();
  writeTree(root, FILES);
  const skills = await openSkills({
    workspace: root,
    roots: [root],
    home,
    userHome: home,
    bundledDirectory: false,
    environment: {},
  });
  const session = await skills.session();
  writeTree(root, { "chess/SKILL.md": skillText("chess", "Plays chess openings.") });
  await skills.reload();
  expect(await best(skills, "play a chess opening")).toBe("chess");
  expect(await selectIn(session, "play a chess opening")).toEqual([]);
});

test("an abort leaves the selector to the others", async () => {
  const { skills } = await openCounting(temporaryDirectory());
  const stop = new AbortController();
  const given = skills.selector({ signal: stop.signal });
  const wanted = skills.selector();
  stop.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  expect((await wanted).select("bees")[0]?.skill.name).toBe("bees");
  await expect(skills.selector({ signal: AbortSignal.abort() })).rejects.toThrow();
});

test("examples make a selector of their own, and leave the common one as it is", async () => {
  const { skills } = await openCounting(temporaryDirectory());
  const examples = new Map([["bread", [{ message: "the oven is cold", shouldTrigger: true }]]]);
  const own = await skills.selector({ examples });
  const common = await skills.selector();
  expect(own).not.toBe(common);
  expect(await skills.selector()).toBe(common);
});

test("bundled skills learn from the trigger sets in their folders, other skills do not", async () => {
  const folder = temporaryDirectory();
  const messages = ["the oven is cold", "light the oven", "is the oven hot yet"];
  const rows = messages.map((message) => JSON.stringify({ message, expected: true }));
  writeTree(folder, { ...FILES, "bread/evals/triggers.jsonl": [...rows, "", "{ not JSON"].join("\n") });
  const home = temporaryDirectory();
  const scoreOf = async (place: object): Promise<number> => {
    const skills = await openSkills({
      workspace: home,
      home,
      userHome: home,
      bundledDirectory: false,
      ...place,
    });
    const found = await skills.select("please light the oven, then bake bread");
    return found.find(({ skill }) => skill.name === "bread")?.score ?? 0;
  };
  expect(await scoreOf({ bundledDirectory: folder })).toBeGreaterThan(await scoreOf({ roots: [folder] }));
});

test("what is wrong with the learned file is told by every selector that goes by it", async () => {
  const home = temporaryDirectory();
  writeFileSync(join(home, "selection.yaml"), "skills: [\n");
  const skills = await openMemory(FILES, { home });
  const selector = await skills.selector();
  const fault = { severity: "error", file: join(home, "selection.yaml") };
  expect(selector.diagnostics).toMatchObject([fault]);
  expect(selector.among(({ name }) => name === "bees").diagnostics).toMatchObject([fault]);
  expect(selector.taught({ skills: new Map() }).diagnostics).toEqual([]);
});

test("everybody who waits hears of the skills that are read for the index", async () => {
  const { skills } = await openCounting(temporaryDirectory());
  const heard: string[] = [];
  const listen = (who: string) => (read: number, atMost: number) => heard.push(`${who} ${read}/${atMost}`);
  await Promise.all([
    skills.selector({ onProgress: listen("a") }),
    skills.selector({ onProgress: listen("b") }),
  ]);
  expect(heard).toEqual(["a 1/2", "b 1/2", "a 2/2", "b 2/2"]);
  await skills.selector({ onProgress: listen("late") });
  expect(heard).toHaveLength(4);
});

test("only enabled skills are offered", async () => {
  const [pdf, tax] = ["pdf-forms", "tax-forms"].map((name) =>
    makeSkill(writeHeader(name, "Fills in PDF forms.")),
  );
  const skills = [{ ...pdf!, state: "disabled" as const }, tax!];
  const selector = await createSelector({ version: "sha256:test", roots: [], skills, diagnostics: [] });
  expect(selector.select("fill in this PDF form").map(({ skill }) => skill.name)).toEqual(["tax-forms"]);
});

const SOURCE = fileURLToPath(new URL("..", import.meta.url));

/** The modules that are loaded with one, before anything is called. */
function loadedWith(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  for (const [, clause = "", to = ""] of text.matchAll(/^(?:import|export) ([^;]*?)from "(\.[^"]+)";/gms))
    if (!clause.startsWith("type ") && !/^\{(?:\s*type [^,}]+,?)+\s*\}\s*$/.test(clause))
      loadedWith(join(dirname(path), to), seen);
  return seen;
}

test("the library loads nothing that ranks skills until it is asked for", () => {
  const loaded = [...loadedWith(join(SOURCE, "index.ts"))].map((path) => relative(SOURCE, path));
  expect(loaded).toContain("open-skills.ts");
  expect(loaded).toContain("workspace/open-selection.ts");
  expect(loaded.filter((path) => path.startsWith("learned/"))).toEqual([]);
  // Of the package that ranks, only the parts that need no index.
  const imports = loaded.flatMap((path) => {
    const text = readFileSync(join(SOURCE, path), "utf8");
    const lines = text.match(/^(?:import|export) [^;]*?from "@skillet\/select";/gms) ?? [];
    return lines.filter((line) => !/^(?:import|export) type /.test(line)).map(() => path);
  });
  expect(imports).toEqual([]);
  const parts = [...loadedWith(join(SOURCE, "../../select/src/parts.ts"))].map((path) =>
    relative(SOURCE, path),
  );
  expect(parts).toContain("../../select/src/text/find-mentions.ts");
  expect(parts.filter((path) => /\/(?:index|rank)\/|create-selector/.test(path))).toEqual([]);
});

test("a registry and its sessions load neither the detector nor the learned file until they are needed", () => {
  const loaded = [...loadedWith(join(SOURCE, "open-skills.ts"))].map((path) => relative(SOURCE, path));
  expect(loaded).toContain("session/outcome/session-outcomes.ts");
  expect(loaded.filter((path) => /^(?:behaviour|learned)\//.test(path))).toEqual([]);
  const detecting = [...loadedWith(join(SOURCE, "behaviour/create-use-detector.ts"))];
  expect(detecting.map((path) => relative(SOURCE, path))).toContain("behaviour/read-agent-command.ts");
});
