// Packs every package that is published, installs them together in an empty folder, and uses them there as a stranger would.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const tsc = join(import.meta.dirname, "../node_modules/typescript/bin/tsc");
const typeRoots = [join(import.meta.dirname, "../node_modules/@types")];
const IN_EVERY_PACKAGE = ["LICENSE", "README.md", "package.json"];

/** The packages of a repository that are published, each after those that it depends on; all, or those named and what they need. */
export function publishedPackages(root, names) {
  const packages = readdirSync(join(root, "packages"))
    .map((folder) => ({
      path: join(root, "packages", folder),
      ...readManifest(join(root, "packages", folder)),
    }))
    .filter(({ private: isPrivate }) => isPrivate !== true);
  const sorted = new Set();
  const add = (one) => {
    for (const name of Object.keys(one.dependencies ?? {}))
      packages.filter((other) => other.name === name).map(add);
    sorted.add(one);
  };
  packages.filter(({ name }) => names === undefined || names.includes(name)).map(add);
  return [...sorted];
}

/** Packs as `npm pack` does what was built; gives what npm says about each tarball. */
export function packAll(paths, destination) {
  if (paths.length === 0) return [];
  mkdirSync(destination, { recursive: true });
  const args = ["pack", "--json", "--offline", "--ignore-scripts", "--pack-destination", destination];
  return JSON.parse(npm([...args, ...paths], { cwd: destination }));
}

/** Throws where the packages, installed together, lack a file, a type, an import or a command. */
export function checkTarballs(root, tarballs, folder, packages = publishedPackages(root)) {
  for (const { name, files } of tarballs)
    for (const file of IN_EVERY_PACKAGE)
      if (!files.some(({ path }) => path === file)) throw new Error(`${name}: the tarball lacks ${file}.`);
  const license = readFileSync(join(root, "LICENSE"));
  for (const { name, path } of packages)
    if (!readFileSync(join(path, "LICENSE")).equals(license))
      throw new Error(`${name}: its LICENSE is not that of the repository.`);
  // The versions of the lock file, and no network: as npm would install them, from tarballs.
  const libraries = packAll(librariesOf(root, packages), join(folder, "libraries"));
  const place = join(folder, "place");
  mkdirSync(place);
  const file =
    (directory) =>
    ({ name, filename }) => [name, `file:../${directory}/${filename}`];
  const dependencies = Object.fromEntries([
    ...tarballs.map(file("tarballs")),
    ...libraries.map(file("libraries")),
  ]);
  // One version of each library, where the lock file has several: nothing else can be had without a network.
  const overrides = Object.fromEntries(libraries.map(({ name }) => [name, `$${name}`]));
  const manifest = { private: true, type: "module", dependencies, overrides };
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
  npm(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: place });
  for (const { name } of packages) {
    const installed = join(place, "node_modules", name);
    checkFiles(root, installed, name);
    checkMaps(installed, name);
  }
  const entries = packages.flatMap((one) => entriesOf(one, join(place, "node_modules", one.name)));
  checkImports(
    place,
    entries,
    packages.map(({ name }) => name),
  );
  for (const { name, version, bin = {} } of packages)
    for (const command of Object.keys(bin)) checkCommand(place, { name, version, command });
  return entries;
}

function checkFiles(root, installed, name) {
  for (const entry of readdirSync(installed, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) throw new Error(`${name}: ${path} is a link.`);
    if (entry.isFile() && readFileSync(path).includes(root))
      throw new Error(`${name}: ${path} holds the path of the machine that built it.`);
  }
}

/** So that an error is read where it was written, and a definition found there: the sources of every map are in the package. */
function checkMaps(installed, name) {
  const dist = join(installed, "dist");
  for (const file of readdirSync(dist).filter((one) => one.endsWith(".map")))
    for (const source of JSON.parse(readFileSync(join(dist, file), "utf8")).sources)
      if (!existsSync(join(dist, source)))
        throw new Error(`${name}: the tarball lacks ${source}, which dist/${file} names.`);
}

function checkImports(place, entries, names) {
  const imports = entries.map((entry, index) => `import * as entry${index} from ${JSON.stringify(entry)};\n`);
  const uses = entries.map((_, index) => `Object.keys(entry${index}).length`).join(" + ");
  const text = `${imports.join("")}console.log(${uses});\n`;
  writeFileSync(join(place, "imports.mjs"), text);
  writeFileSync(join(place, "imports.mts"), text);
  node(["imports.mjs"], { cwd: place });
  for (const module of [{ module: "nodenext" }, { module: "esnext", moduleResolution: "bundler" }])
    checkTypes(place, { ...module, names });
}

/** Every declaration is read, as `skipLibCheck` does not; what is wrong in a library's own is not ours to mend. */
function checkTypes(place, { names, ...module }) {
  const compilerOptions = {
    ...module,
    target: "es2023",
    strict: true,
    noEmit: true,
    typeRoots,
    types: ["node"],
    skipDefaultLibCheck: true,
  };
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["imports.mts"] }));
  const { stdout } = spawnSync(process.execPath, [tsc, "--project", place], { cwd: place, encoding: "utf8" });
  const faults = stdout
    .split(/\n(?=\S)/)
    .filter((fault) => fault.trim() !== "")
    .filter(
      (fault) => !fault.startsWith("node_modules/") || names.some((name) => fault.includes(`/${name}/`)),
    );
  if (faults.length > 0) throw new Error(`tsc failed.\n${faults.join("\n")}`);
}

function checkCommand(place, { name, version, command }) {
  const home = mkdtempSync(join(place, "home-"));
  const path = join(place, "node_modules/.bin", command);
  const answer = execFileSync(path, ["--version"], { cwd: home, env: strangersEnvironment(home) });
  if (answer.toString().trim() !== version) throw new Error(`${name}: ${command} --version says ${answer}`);
}

function entriesOf({ name, exports = {} }, installed) {
  return Object.keys(exports)
    .filter((key) => key !== "./package.json")
    .flatMap((key) => (key.includes("*") ? expand(exports[key].default, installed, key) : [key]))
    .map((key) => name + key.slice(1));
}

function expand(target, installed, key) {
  const [before, after] = target.split("*");
  return readdirSync(join(installed, before))
    .filter(
      (file) => file.endsWith(after) && existsSync(join(installed, before, file.replace(/js$/, "d.ts"))),
    )
    .map((file) => key.replace("*", file.slice(0, -after.length)));
}

function librariesOf(root, packages) {
  const libraries = new Map();
  const add = (name, dependent) => {
    if (packages.some((one) => one.name === name) || libraries.has(name)) return;
    const path = [dependent, root].map((place) => join(place, "node_modules", name)).find(existsSync);
    if (path === undefined) throw new Error(`${name} is not installed. Run: npm ci`);
    libraries.set(name, path);
    for (const next of neededBy(readManifest(path))) add(next, path);
  };
  for (const one of packages) for (const name of neededBy(one)) add(name, one.path);
  return [...libraries.values()];
}

/** As a stranger has them: an SDK that is an optional peer is not there, unless the package is tested with it. */
function neededBy({
  dependencies = {},
  devDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) {
  const isNeeded = (name) => peerDependenciesMeta[name]?.optional !== true || name in devDependencies;
  return [...Object.keys(dependencies), ...Object.keys(peerDependencies).filter(isNeeded)];
}

function readManifest(path) {
  return JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
}

function npm(args, { cwd }) {
  const home = mkdtempSync(join(tmpdir(), "skillet-npm-"));
  try {
    return run("npm", args, { cwd, env: strangersEnvironment(home) });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function node(args, { cwd }) {
  return run(process.execPath, args, { cwd, env: strangersEnvironment(cwd) });
}

function run(command, args, options) {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
  } catch (error) {
    throw new Error(`${command} ${args[0]} failed.\n${error.stdout}${error.stderr}`, { cause: error });
  }
}

/** Nothing of the person's who releases: neither configuration nor caches. */
function strangersEnvironment(home) {
  return { PATH: process.env.PATH, HOME: home, npm_config_update_notifier: "false" };
}
