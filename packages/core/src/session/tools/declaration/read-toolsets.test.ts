import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../../kit/src/testing/temporary-directory.ts";
import { LocalSource } from "../../../source/local/local-source.ts";
import { type TreeContent, writeTree } from "../../../testing/write-tree.ts";
import { openFolder } from "../../testing/open-session.ts";
import type { DeclaredToolset } from "./parse-toolset.ts";
import { type ListedFile, readToolsets } from "./read-toolsets.ts";

const tool = (name: string, script = "scripts/run.sh"): string =>
  `  - { name: ${name}, description: Does it., script: ${script} }\n`;
const SCRIPT = "#!/bin/sh\ncat\n";

interface Place {
  readonly folder: string;
  read(entries: readonly string[], frozen?: readonly ListedFile[]): Promise<readonly DeclaredToolset[]>;
}

function place(tree: Readonly<Record<string, TreeContent>>): Place {
  const folder = writeTree(join(temporaryDirectory(), "forms"), { "scripts/run.sh": SCRIPT, ...tree });
  const source = new LocalSource(folder);
  return {
    folder,
    read: async (entries, frozen) =>
      readToolsets(entries, {
        skillPath: join(folder, "SKILL.md"),
        files: frozen ?? (await source.listFiles("")).files,
        read: (path, options) => source.read(path, options),
        pathOf: (path) => join(folder, path),
      }),
  };
}

const summary = (toolsets: readonly DeclaredToolset[]): unknown[] =>
  toolsets.map(({ file, isSupported, tools, diagnostics }) => [
    file,
    isSupported,
    tools.map(({ name }) => name),
    diagnostics.map(({ code }) => code),
  ]);

test("files are read in the order of the header, each once, and what others understand is left to them", async () => {
  const { read } = place({
    "toolsets/a.yaml": `tools:\n${tool("one")}`,
    "b.json": JSON.stringify({ tools: [{ name: "two", description: "Two.", script: "scripts/run.sh" }] }),
  });
  const entries = ["toolsets/index:Mine", "b.json", "toolsets/a.yaml", "b.json", "x.yaml:Class"];
  expect(summary(await read(entries))).toEqual([
    ["toolsets/index:Mine", false, [], ["toolset-module"]],
    ["b.json", true, ["two"], []],
    ["toolsets/a.yaml", true, ["one"], []],
    ["x.yaml:Class", false, [], ["toolset-module"]],
  ]);
});

test.each([
  "/etc/x.yaml",
  "../x.yaml",
  "./x.yaml",
  "a//x.yaml",
  "a\\x.yaml",
  "C:/x.yaml",
  " x.yaml",
  "\0.yaml",
])("the path %j is refused before anything is read", async (entry) => {
  expect(summary(await place({ "x.yaml": "tools: []\n" }).read([entry]))).toEqual([
    [entry, true, [], ["toolset-path"]],
  ]);
});

test("what is missing, too large, no text, no file or a way out is said, and the rest is read", async () => {
  const outside = writeTree(temporaryDirectory(), { "x.yaml": `tools:\n${tool("out")}` });
  const { read, folder } = place({
    "large.yaml": `tools:\n${tool("a")}#${" ".repeat(64 * 1024)}`,
    "link.yaml": { link: join(outside, "x.yaml") },
    "folder.yaml/x": "",
    "fine.yaml": `tools:\n${tool("a")}`,
  });
  writeFileSync(join(folder, "latin.yaml"), Buffer.from([0x23, 0xe9, 0x0a]));
  const entries = ["none.yaml", "large.yaml", "latin.yaml", "link.yaml", "folder.yaml", "fine.yaml"];
  expect(summary(await read(entries))).toEqual([
    ["none.yaml", true, [], ["toolset-missing"]],
    ["large.yaml", true, [], ["toolset-too-large"]],
    ["latin.yaml", true, [], ["not-utf8"]],
    ["link.yaml", true, [], ["toolset-unreadable"]],
    ["folder.yaml", true, [], ["toolset-missing"]],
    ["fine.yaml", true, ["a"], []],
  ]);
});

test("tools that share a name, in one file or in two and in either case, are all left out, each with its place", async () => {
  const { read, folder } = place({
    "a.yaml": `tools:\n${tool("one")}${tool("same")}${tool("other")}${tool("Other")}`,
    "b.yaml": `tools:\n${tool("SAME")}${tool("two")}`,
  });
  const toolsets = await read(["a.yaml", "b.yaml"]);
  expect(summary(toolsets)).toEqual([
    ["a.yaml", true, ["one"], ["tool-name-taken", "tool-name-taken", "tool-name-taken"]],
    ["b.yaml", true, ["two"], ["tool-name-taken"]],
  ]);
  expect(toolsets[1]?.diagnostics).toEqual([
    {
      code: "tool-name-taken",
      severity: "error",
      message: "More than one tool of the skill is called SAME, so all of them are left out.",
      file: join(folder, "b.yaml"),
      range: { line: 2, column: 13, endLine: 2, endColumn: 17 },
      hint: "Give each a name of its own; upper and lower case are the same.",
    },
  ]);
});

test("a tool whose script is not there is left out", async () => {
  const { read } = place({ "a.yaml": `tools:\n${tool("one")}${tool("two", "scripts/none.sh")}` });
  expect(summary(await read(["a.yaml"]))).toEqual([["a.yaml", true, ["one"], ["tool-script-missing"]]]);
});

test("links are followed nowhere, neither to a file of the skill nor through a folder of it", async () => {
  const { read } = place({
    "a.yaml": `tools:\n${tool("one")}${tool("two", "scripts/link.sh")}${tool("three", "scripts/more/run.sh")}`,
    "link.yaml": { link: "a.yaml" },
    "scripts/link.sh": { link: "run.sh" },
    "scripts/more": { link: "../scripts" },
    tools: { link: "." },
  });
  const [toolset, ...others] = await read(["a.yaml", "link.yaml", "tools/a.yaml"]);
  expect(toolset?.tools.map(({ name }) => name)).toEqual(["one"]);
  expect(toolset?.diagnostics.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
    'The tool two is left out: "scripts/link.sh" is a link, and links are not run. Put the script itself there.',
    'The tool three is left out: the skill has no script "scripts/more/run.sh". Correct the path, or add the script.',
  ]);
  expect(summary(others)).toEqual([
    ["link.yaml", true, [], ["toolset-unreadable"]],
    ["tools/a.yaml", true, [], ["toolset-missing"]],
  ]);
});

test("of frozen files only those count that were there then and are no links", async () => {
  const { read, folder } = place({
    "SKILL.md": "---\nname: forms\ndescription: Forms.\n---\n",
    "a.yaml": `tools:\n${tool("one")}${tool("two", "scripts/none.sh")}${tool("three", "scripts/link.sh")}`,
    "scripts/link.sh": { link: "run.sh" },
    "link.yaml": { link: "a.yaml" },
  });
  const skills = await openFolder(join(folder, ".."));
  const [skill] = skills.snapshot.skills;
  if (skill === undefined) throw new Error("the skill was written");
  const { resources } = await skills.reader.indexResources(skill);
  const frozen = resources.map(({ path, contentKind, digest }) => ({
    path,
    kind: contentKind === "link" ? ("link" as const) : ("file" as const),
    digest,
  }));
  writeTree(folder, { "scripts/none.sh": SCRIPT });
  expect(summary(await read(["a.yaml", "link.yaml"], frozen))).toEqual([
    ["a.yaml", true, ["one"], ["tool-script-missing", "tool-script-missing"]],
    ["link.yaml", true, [], ["toolset-unreadable"]],
  ]);
  writeTree(folder, { "a.yaml": `tools:\n${tool("three")}`, "new.yaml": "tools: []\n" });
  expect(summary(await read(["a.yaml", "new.yaml"], frozen))).toEqual([
    ["a.yaml", true, [], ["toolset-changed"]],
    ["new.yaml", true, [], ["toolset-missing"]],
  ]);
});

test("no more than eight files are read", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `${index}.yaml`);
  const { read } = place(
    Object.fromEntries(names.map((name, index) => [name, `tools:\n${tool(`t${index}`)}`])),
  );
  const toolsets = await read(names);
  expect(toolsets.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
  expect(toolsets.at(-1)?.diagnostics.map(({ code }) => code)).toEqual(["toolset-limit"]);
});
