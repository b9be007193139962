import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "..");

// Which package may import which; a package that is not here has no room in the house.
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "@skillet/kit": [],
  "@skillet/core": ["@skillet/kit"],
  "@skillet/run": ["@skillet/core", "@skillet/kit"],
  "@skillet/scan": ["@skillet/core", "@skillet/kit"],
  "@skillet/hub": ["@skillet/core", "@skillet/kit", "@skillet/scan"],
  "@skillet/author": ["@skillet/core", "@skillet/kit"],
  skillet: [
    "@skillet/author",
    "@skillet/core",
    "@skillet/hub",
    "@skillet/kit",
    "@skillet/run",
    "@skillet/scan",
  ],
};

// What each may take from outside; everything else needs a decision record.
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  "@skillet/core": ["re2js", "unbash", "yaml"],
  "@skillet/scan": [
    "@lezer/common",
    "@lezer/javascript",
    "@lezer/markdown",
    "@lezer/python",
    "re2js",
    "unbash",
    "yaml",
  ],
  "@skillet/hub": ["fflate"],
  skillet: ["commander", "picocolors"],
};

// The rooms of core from the ground up: a file may import from its own room and from those before it.
const ROOMS = [
  "",
  "format",
  "source",
  "trust",
  "registry",
  "config",
  "catalog",
  "mention",
  "select",
  "audit",
  "policy",
  "behaviour",
  "vetting",
  "session",
  "workspace",
  "open-skills",
];

interface Import {
  readonly from: string;
  readonly to: string;
}

test("packages depend on each other and on the outside only as the design allows, in manifests and in imports", () => {
  expect(findPackageFaults(readPackages())).toEqual([]);
});

test("the rooms of core depend on each other in one direction", () => {
  expect(findRoomFaults(readImports("packages/core/src"))).toEqual([]);
});

test("core and what lies below it start no process", () => {
  const starting = readSpecifiers("packages/core/src").filter(({ to }) => to === "@skillet/kit/process");
  expect(starting).toEqual([]);
});

test("an import that is turned around is found", () => {
  expect(
    findRoomFaults([{ from: "packages/core/src/format/a.ts", to: "packages/core/src/registry/b.ts" }]),
  ).toEqual(["packages/core/src/format/a.ts imports packages/core/src/registry/b.ts"]);
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
      ...(PACKAGES[name] === undefined ? [`${name} is not a room of the house`] : []),
      ...dependencies.filter((other) => !allowed.has(other)).map((other) => `${name} depends on ${other}`),
      ...imports.filter(({ to }) => !allowed.has(to)).map(({ from, to }) => `${from} imports ${to}`),
    ];
  });
}

function findRoomFaults(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, to }) => to.startsWith("packages/core/src/") && !from.endsWith("/index.ts"))
    .filter(({ from, to }) => rankOf(to) > rankOf(from))
    .map(({ from, to }) => `${from} imports ${to}`);
}

function rankOf(file: string): number {
  const path = relative("packages/core/src", file);
  const room = path.includes("/")
    ? (path.split("/")[0] ?? "")
    : path === "open-skills.ts"
      ? "open-skills"
      : "";
  const rank = ROOMS.indexOf(room);
  if (rank < 0) throw new Error(`${file} lies in a room that this test does not know`);
  return rank;
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
