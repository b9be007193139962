import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";
import { findCycles, readImports as readInnerImports, readSources } from "../scripts/measure-house.mjs";

const REPOSITORY = join(import.meta.dirname, "..");

// Which package may import which; a package that is not here has no room in the house.
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "@skillet/kit": [],
  "@skillet/shell": ["@skillet/kit"],
  "@skillet/select": ["@skillet/kit"],
  "@skillet/core": ["@skillet/kit", "@skillet/select", "@skillet/shell"],
  "@skillet/run": ["@skillet/core", "@skillet/kit"],
  "@skillet/scan": ["@skillet/core", "@skillet/kit", "@skillet/shell"],
  "@skillet/hub": ["@skillet/core", "@skillet/kit", "@skillet/scan"],
  "@skillet/author": ["@skillet/core", "@skillet/kit", "@skillet/scan", "@skillet/select"],
  "@skillet/adapters": ["@skillet/core", "@skillet/kit", "@skillet/select", "@skillet/shell"],
  "@skillet/mcp": ["@skillet/adapters", "@skillet/core", "@skillet/kit"],
  "@skillet/agent": ["@skillet/adapters", "@skillet/core", "@skillet/kit"],
  skillet: [
    "@skillet/adapters",
    "@skillet/agent",
    "@skillet/author",
    "@skillet/core",
    "@skillet/hub",
    "@skillet/kit",
    "@skillet/mcp",
    "@skillet/run",
    "@skillet/scan",
  ],
};

// What each may take from outside; everything else needs a decision record.
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  "@skillet/core": ["unbash", "yaml"],
  "@skillet/select": ["re2js"],
  "@skillet/shell": ["unbash"],
  "@skillet/scan": ["@lezer/common", "@lezer/javascript", "@lezer/python", "re2js", "yaml"],
  "@skillet/hub": ["fflate"],
  "@skillet/adapters": ["@opentelemetry/api"],
  "@skillet/agent": ["@ai-sdk/anthropic", "@ai-sdk/openai-compatible", "ai"],
  skillet: ["commander", "picocolors"],
};

// Each package's folders and top-level files from the ground up: a file may import from its own and from those before it.
const ORDERS = new Map(
  Object.entries<{ readonly order: readonly string[] }>(
    JSON.parse(readFileSync(join(REPOSITORY, "test/house.json"), "utf8")),
  ).map(([name, { order }]) => [name, order] as const),
);

interface Import {
  readonly from: string;
  readonly to: string;
}

test("packages depend on each other and on the outside only as the design allows, in manifests and in imports", () => {
  expect(findPackageFaults(readPackages())).toEqual([]);
});

const sources = readSources();
const innerImports = readInnerImports(sources);

test("the folders of every package import each other in one direction", () => {
  expect(findOrderFaults([...sources.keys()], innerImports)).toEqual([]);
  const present = new Set(Array.from(sources.keys(), roomOf));
  const ordered = [...ORDERS].flatMap(([name, order]) => order.map((room) => `${name}/${room}`));
  expect(ordered.filter((room) => !present.has(room))).toEqual([]);
});

test("folders within a folder do not import each other in a circle", () => {
  expect(findCycles(innerImports)).toEqual([]);
});

test("no adapter reaches another, so that an agent loads the one that it uses", () => {
  const folder = "packages/adapters";
  const { exports } = JSON.parse(readFileSync(join(REPOSITORY, folder, "package.json"), "utf8"));
  const entries = Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => `${folder}/src/${path.slice(2)}.ts`);
  const faults = entries.flatMap((entry) => {
    const reached = new Set([entry]);
    for (const file of reached) for (const { from, to } of innerImports) if (from === file) reached.add(to);
    const others = entries.filter((other) => other !== entry).map(roomOf);
    return [...reached]
      .filter((file) => others.includes(roomOf(file)))
      .map((file) => `${entry} reaches ${file}`);
  });
  expect(entries.filter((entry) => !sources.has(entry))).toEqual([]);
  expect(faults).toEqual([]);
});

test("docs/architecture.md describes every folder, and nothing that is not there", () => {
  const page = readFileSync(join(REPOSITORY, "docs/architecture.md"), "utf8");
  const map = /```text\n(packages\/[\s\S]*?)```/.exec(page)?.[1] ?? "";
  const described = readFolderMap(map);
  const folders = new Set([...sources.keys()].filter((file) => file.split("/").length > 4).map(roomOf));
  expect([...folders].filter((folder) => !described.includes(folder))).toEqual([]);
  const present = new Set(["run/escape"]);
  for (const file of sources.keys()) {
    const [, name, , ...parts] = file.replace(/\.ts$/, "").split("/");
    for (const depth of parts.keys()) present.add([name, ...parts.slice(0, depth + 1)].join("/"));
  }
  expect(described.filter((folder) => !present.has(folder))).toEqual([]);
});

// `core/select`, and with two more spaces before it `core/select/text`.
function readFolderMap(map: string): string[] {
  const folders: string[] = [];
  let above = { name: "", room: "" };
  for (const line of map.split("\n")) {
    const [, indent = "", head = ""] = /^( *)(\S(?:.*?\S)?)(?= {2}|$)/.exec(line) ?? [];
    const names = Array.from(head.matchAll(/[\w-]+(?=\/|\.ts)/g), ([name]) => name);
    if (indent === "") above = { name: names[1] ?? "", room: "" };
    else if (indent.length === 2) {
      above = { ...above, room: names[0] ?? "" };
      folders.push(...names.map((name) => `${above.name}/${name}`));
    } else folders.push(...names.map((name) => `${above.name}/${above.room}/${name}`));
  }
  return folders;
}

test("core and what lies below it start no process", () => {
  const starting = readSpecifiers("packages/core/src").filter(({ to }) => to === "@skillet/kit/process");
  expect(starting).toEqual([]);
});

test("an import that is turned around is found", () => {
  const [low, high] = ["packages/core/src/format/a.ts", "packages/core/src/registry/b.ts"];
  expect(findOrderFaults([], [{ from: low, to: high }])).toEqual([`${low} imports ${high}`]);
  expect(findOrderFaults([], [{ from: high, to: low }])).toEqual([]);
  expect(findOrderFaults(["packages/core/src/attic/c.ts"], [])).toEqual([
    "core/attic has no place in test/house.json",
  ]);
  const [left, right] = ["packages/hub/src/fetch/git/a.ts", "packages/hub/src/fetch/http/b.ts"];
  const circle = { folder: "packages/hub/src/fetch", circle: ["git", "http"], upward: 1 };
  expect(
    findCycles([
      { from: left, to: right },
      { from: right, to: left },
    ]),
  ).toEqual([circle]);
  expect(
    findPackageFaults([
      { name: "@skillet/core", dependencies: [], imports: [{ from: "core/a.ts", to: "skillet" }] },
    ]),
  ).toEqual(["core/a.ts imports skillet"]);
  expect(findPackageFaults([{ name: "@skillet/core", dependencies: ["left-pad"], imports: [] }])).toEqual([
    "@skillet/core depends on left-pad",
  ]);
});

interface Package {
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly imports: readonly Import[];
}

function readPackages(): Package[] {
  return readdirSync(join(REPOSITORY, "packages")).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(REPOSITORY, "packages", folder, "package.json"), "utf8"));
    return {
      name: manifest.name,
      dependencies: Object.keys(manifest.dependencies ?? {}),
      imports: readImports(`packages/${folder}/src`).filter(({ to }) => !to.startsWith("packages/")),
    };
  });
}

function findPackageFaults(packages: readonly Package[]): string[] {
  return packages.flatMap(({ name, dependencies, imports }) => {
    const allowed = new Set([...(PACKAGES[name] ?? []), ...(OUTSIDE[name] ?? [])]);
    return [
      ...(PACKAGES[name] === undefined ? [`${name} has no place in this test`] : []),
      ...dependencies.filter((other) => !allowed.has(other)).map((other) => `${name} depends on ${other}`),
      ...imports.filter(({ to }) => !allowed.has(to)).map(({ from, to }) => `${from} imports ${to}`),
    ];
  });
}

function findOrderFaults(files: readonly string[], imports: readonly Import[]): string[] {
  const rankOf = (file: string): number => {
    const [name = "", room = ""] = roomOf(file).split("/");
    return ORDERS.get(name)?.indexOf(room) ?? -1;
  };
  const homeless = new Set(
    files.filter((file) => !file.endsWith("/src/index.ts") && rankOf(file) < 0).map(roomOf),
  );
  return [
    ...Array.from(homeless, (room) => `${room} has no place in test/house.json`),
    ...imports
      .filter(({ from, to }) => rankOf(to) > rankOf(from))
      .map(({ from, to }) => `${from} imports ${to}`),
  ];
}

// `files.ts` is the entry of `files/` and belongs to it.
function roomOf(file: string): string {
  const [, name, , room = ""] = file.split("/");
  return `${name}/${room.replace(/\.ts$/, "")}`;
}

// Types count too: what a signature names, a reader must go and look at. Tests may reach further than what they test.
function readImports(folder: string): Import[] {
  return readSpecifiers(folder).map(({ from, to }) => ({ from, to: resolveImport(from, to) }));
}

function readSpecifiers(folder: string): Import[] {
  return listFiles(join(REPOSITORY, folder))
    .map((file) => relative(REPOSITORY, file))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("/testing/"))
    .flatMap((from) => {
      const text = readFileSync(join(REPOSITORY, from), "utf8");
      const specifiers = text.matchAll(
        /(?:\bfrom |\bimport |\bimport\(|\brequire\(|import\.meta\.url\)\()"([^"]+)"/g,
      );
      return Array.from(specifiers, ([, specifier = ""]) => specifier)
        .filter((specifier) => !specifier.startsWith("node:"))
        .map((to) => ({ from, to }));
    });
}

function resolveImport(from: string, specifier: string): string {
  if (specifier.startsWith(".")) return normalize(join(dirname(from), specifier));
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
}

function listFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listFiles(path) : [path];
  });
}
