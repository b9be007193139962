import { expect, onTestFinished, test } from "vitest";
import { openMemory, skillText } from "../../session/search/testing/generated-library.ts";
import { MemorySource } from "../../source/memory-source.ts";
import type { SkillFolder, SkillSource } from "../../source/skill-source.ts";
import type { SkillsChange } from "../watch-skills.ts";

interface TestSource extends SkillSource {
  files: Record<string, string>;
  /** What was asked for since the last look. */
  asked(): string[];
  change?: () => void;
}

/** A source whose content can change, and which tells versions as the test wants. */
function testSource(
  files: Record<string, string>,
  own: Partial<SkillSource> & { of?: (folder: SkillFolder) => string } = {},
): TestSource {
  const log: string[] = [];
  const { of, ...rest } = own;
  const inside = (): MemorySource => new MemorySource(source.files, { id: "test:" });
  const source: TestSource = {
    id: "test:",
    files,
    asked: () => log.splice(0),
    listSkills: async () => {
      log.push("list");
      const { folders, diagnostics } = await inside().listSkills();
      return { folders: folders.map((one) => (of ? { ...one, version: of(one) } : one)), diagnostics };
    },
    listFiles: (folder, options) => inside().listFiles(folder, options),
    read: (path, options) => {
      log.push(path);
      return inside().read(path, options);
    },
    toolPath: (path) => `/test/${path}`,
    ...rest,
  };
  return source;
}

const FILES = {
  "csv/SKILL.md": skillText("csv", "Reads CSV files."),
  "pdf/SKILL.md": skillText("pdf", "Reads PDF files."),
};
const open = (source: SkillSource): ReturnType<typeof openMemory> => openMemory({}, { sources: [source] });

test("a folder whose version stays is not read again, and one whose version changes is", async () => {
  const versions: Record<string, string> = { csv: "1", pdf: "1" };
  const source = testSource(FILES, { of: ({ path }) => versions[path] ?? "" });
  const skills = await open(source);
  const { version } = skills.snapshot;
  source.asked();
  expect((await skills.reload()).diff).toEqual({ added: [], removed: [], changed: [] });
  expect(source.asked()).toEqual(["list"]);
  expect(skills.snapshot.version).toBe(version);
  source.files = { ...FILES, "pdf/SKILL.md": skillText("pdf", "Writes PDF files.") };
  versions.pdf = "2";
  expect((await skills.reload()).diff.changed).toEqual(["pdf"]);
  expect(source.asked()).toEqual(["list", "pdf/SKILL.md"]);
  expect(skills.list().map(({ manifest }) => manifest.description)).toEqual([
    "Reads CSV files.",
    "Writes PDF files.",
  ]);
});

test("two files of one folder stay two skills over a reload", async () => {
  const files = {
    "both/SKILL.md": skillText("csv", "Reads CSV files."),
    "both/OTHER.md": skillText("pdf", "Reads PDF files."),
  };
  const folders = ["SKILL.md", "OTHER.md"].map((file) => ({ path: "both", file, version: "1" }));
  const skills = await open(testSource(files, { listSkills: async () => ({ folders, diagnostics: [] }) }));
  expect(skills.list().map(({ name }) => name)).toEqual(["csv", "pdf"]);
  expect((await skills.reload()).diff).toEqual({ added: [], removed: [], changed: [] });
});

test("while the version of a source stays, nothing else of it is asked for", async () => {
  let now = "1";
  const source = testSource(FILES, { version: async () => now });
  const skills = await open(source);
  source.asked();
  await skills.reload();
  expect(source.asked()).toEqual([]);
  source.files = { "csv/SKILL.md": FILES["csv/SKILL.md"] };
  now = "2";
  expect((await skills.reload()).diff.removed).toEqual(["pdf"]);
});

test("a skill that could not be read is tried again, whatever its version says", async () => {
  const source = testSource(FILES, { version: async () => "1" });
  const { read } = source;
  let isDown = true;
  source.read = async (path, options) => {
    if (isDown && path.startsWith("pdf")) throw new Error("connection reset");
    return read(path, options);
  };
  const skills = await open(source);
  expect(skills.list().map(({ name }) => name)).toEqual(["csv"]);
  isDown = false;
  expect((await skills.reload()).diff.added).toEqual(["pdf"]);
});

test("what was decided of a skill in one snapshot is decided anew in the next, also without reading it", async () => {
  const source = testSource(
    { ...FILES, "more/pdf/SKILL.md": skillText("pdf", "Another one.") },
    { of: () => "1" },
  );
  const skills = await open(source);
  const before = skills.snapshot.skills.map(({ qualifiedName, state }) => [qualifiedName, state]);
  const [first] = skills.snapshot.skills;
  source.files = FILES;
  await skills.reload();
  expect(before.filter(([, state]) => state === "shadowed")).toHaveLength(1);
  expect(skills.snapshot.skills.map(({ state }) => state)).toEqual(["enabled", "enabled"]);
  expect(skills.snapshot.skills).not.toContain(first);
});

test("at most sixteen files are read at once, or as many as the source says, in the order of the listing", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, number) => [`s${number}/SKILL.md`, skillText(`s${number}`, "Does it.")]),
  );
  for (const concurrency of [undefined, 3]) {
    let reading = 0;
    let most = 0;
    const source = testSource(files, concurrency === undefined ? {} : { concurrency });
    const { read } = source;
    source.read = async (path, options) => {
      reading += 1;
      most = Math.max(most, reading);
      await new Promise(setImmediate);
      reading -= 1;
      return read(path, options);
    };
    const skills = await open(source);
    expect(skills.list()).toHaveLength(50);
    expect(most).toBe(concurrency ?? 16);
  }
});

test("a watch hears from a source that tells of changes, until it is closed", async () => {
  let listeners = 0;
  const source = testSource({ "csv/SKILL.md": FILES["csv/SKILL.md"] });
  source.watch = (onChange) => {
    listeners += 1;
    source.change = onChange;
    return () => {
      listeners -= 1;
    };
  };
  const skills = await open(source);
  const change = await new Promise<SkillsChange>((resolve, reject) => {
    const watch = skills.watch(resolve, { settleMs: 1, pollMs: 3_600_000, onError: reject });
    expect(listeners).toBe(1);
    source.files = FILES;
    source.change?.();
    // A watch keeps no process alive.
    const alive = setTimeout(() => undefined, 60_000);
    onTestFinished(() => {
      clearTimeout(alive);
      watch.close();
      expect(listeners).toBe(0);
    });
  });
  expect(change.diff.added).toEqual(["pdf"]);
});
