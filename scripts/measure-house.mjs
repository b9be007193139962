// Counts the source: every tracked file in packages/*/src except tests, testing/ and escape/, data included.
// npm run measure -- [--json] [--against REV] [--write-budgets]

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

const REPOSITORY = join(import.meta.dirname, "..");
const git = (args, input) => execFileSync("git", args, { cwd: REPOSITORY, input, maxBuffer: 2 ** 29 });

/** The counted files of the work tree, or of a revision, with their text. */
export function readSources(revision) {
  const listing = revision
    ? ["ls-tree", "-r", "--name-only", revision, "packages"]
    : ["ls-files", "--cached", "--others", "--exclude-standard", "packages"];
  const files = git(listing)
    .toString()
    .split("\n")
    .filter((file) => /^packages\/[^/]+\/src\//.test(file))
    .filter((file) => !/\.test\.ts$|\/testing\/|\/escape\//.test(file));
  if (revision) return readBlobs(revision, files);
  const present = [...new Set(files)].filter((file) => existsSync(join(REPOSITORY, file)));
  return new Map(present.map((file) => [file, readFileSync(join(REPOSITORY, file), "utf8")]));
}

function readBlobs(revision, files) {
  const output = git(["cat-file", "--batch"], files.map((file) => `${revision}:${file}\n`).join(""));
  let at = 0;
  const read = (file) => {
    const end = output.indexOf("\n", at);
    const size = Number(output.toString("utf8", at, end).split(" ")[2]);
    at = end + size + 2;
    return [file, output.toString("utf8", end + 1, end + 1 + size)];
  };
  return new Map(files.map(read));
}

/** Lines and files of each package. */
export function countLines(sources) {
  const counts = {};
  for (const [file, text] of sources) {
    const name = packageOf(file);
    counts[name] ??= { lines: 0, files: 0 };
    counts[name].lines += text.split("\n").length - 1;
    counts[name].files++;
  }
  return counts;
}

const packageOf = (file) => file.split("/")[1] ?? "";

/** Imports between the files of one package. `index.ts` is left out: it may list everything. */
export function readImports(sources) {
  return [...sources].flatMap(([from, text]) => {
    if (!from.endsWith(".ts") || from.endsWith("/src/index.ts")) return [];
    return ts
      .preProcessFile(text, true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
      .map(({ fileName }) => ({ from, to: normalize(join(dirname(from), fileName)) }))
      .filter(({ to }) => packageOf(to) === packageOf(from));
  });
}

/** Folders side by side that import each other in a circle; at a package's top level, files count as folders. */
export function findCycles(imports) {
  return [...groupEdges(imports)].flatMap(([folder, edges]) =>
    findCircles(edges).map((circle) => ({ folder, circle, upward: countUpward(edges, circle) })),
  );
}

// folder -> importer -> imported -> how often. `files.ts` is the entry of `files/` and counts as that folder.
function groupEdges(imports) {
  const graphs = new Map();
  for (const { from, to } of imports) {
    const [left, right] = [from, to].map((file) => file.replace(/\.ts$/, "").split("/"));
    let depth = 3;
    while (depth < left.length - 1 && left[depth] === right[depth]) depth++;
    const isBesideFolder = depth === left.length - 1 || depth >= right.length - 1;
    if ((depth > 3 && isBesideFolder) || left[depth] === right[depth]) continue;
    const folder = left.slice(0, depth).join("/");
    const edges = graphs.get(folder) ?? new Map();
    const row = edges.get(left[depth]) ?? new Map();
    row.set(right[depth], (row.get(right[depth]) ?? 0) + 1);
    graphs.set(folder, edges.set(left[depth], row));
  }
  return graphs;
}

function findCircles(edges) {
  const reachedFrom = (start) => {
    const reached = new Set();
    const open = [start];
    while (open.length > 0)
      for (const next of edges.get(open.pop())?.keys() ?? [])
        if (!reached.has(next)) {
          reached.add(next);
          open.push(next);
        }
    return reached;
  };
  const reached = new Map([...edges.keys()].map((name) => [name, reachedFrom(name)]));
  const circles = new Map();
  for (const [name, below] of reached) {
    const circle = [...below].filter((other) => reached.get(other)?.has(name)).sort();
    if (below.has(name)) circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

// Imports that go up in the best order that a greedy pass finds: what has to be turned around at least.
function countUpward(edges, circle) {
  const times = (from, to) => edges.get(from)?.get(to) ?? 0;
  const left = new Set(circle);
  let upward = 0;
  while (left.size > 0) {
    const cost = (name) => [...left].reduce((sum, other) => sum + times(name, other) - times(other, name), 0);
    const [lowest] = [...left].sort((one, other) => cost(one) - cost(other));
    left.delete(lowest);
    for (const other of left) upward += times(lowest, other);
  }
  return upward;
}

function measure(sources) {
  const packages = countLines(sources);
  const cycles = findCycles(readImports(sources));
  for (const [name, counts] of Object.entries(packages)) {
    const parsed = [...sources]
      .filter(([file]) => packageOf(file) === name && file.endsWith(".ts"))
      .map(([file, text]) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
    const exported = parsed.filter(({ fileName }) => isEntry(fileName)).flatMap(readExports);
    const circles = cycles.filter(({ folder }) => packageOf(folder) === name);
    counts.folders = new Set(parsed.map(({ fileName }) => dirname(fileName))).size;
    counts.values = exported.filter((kind) => kind === "value").length;
    counts.types = exported.length - counts.values;
    counts.functions = parsed.reduce((sum, source) => sum + countFunctions(source), 0);
    counts.upward = circles.reduce((sum, { upward }) => sum + upward, 0);
    counts.cycles = circles.length;
  }
  const all = {};
  for (const counts of Object.values(packages))
    for (const [column, count] of Object.entries(counts)) all[column] = (all[column] ?? 0) + count;
  return { packages: { ...packages, all }, cycles };
}

const isEntry = (file) => file.endsWith("/src/index.ts") || /^packages\/kit\/src\/[^/]+$/.test(file);

function readExports({ statements }) {
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement))
      return (statement.exportClause?.elements ?? []).map((element) =>
        statement.isTypeOnly || element.isTypeOnly ? "type" : "value",
      );
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return ["type"];
    return (statement.declarationList?.declarations ?? [statement]).map(() => "value");
  });
}

// Functions with a name, and methods; a callback written in place belongs to the function around it.
function countFunctions(node, parent) {
  const isCallback = (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) && !isNamedBy(parent);
  let count = ts.isFunctionLike(node) && node.body !== undefined && !isCallback ? 1 : 0;
  ts.forEachChild(node, (child) => {
    count += countFunctions(child, node);
  });
  return count;
}

const isNamedBy = (parent) => ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent);

// A budget only falls: one that is exceeded stays, until an allowance is booked for it.
function writeBudgets(packages) {
  const table = join(REPOSITORY, "test/house.json");
  const house = JSON.parse(readFileSync(table, "utf8"));
  for (const [name, budget] of Object.entries(house)) {
    for (const unit of ["lines", "files"])
      budget[unit] = Math.min(packages[name]?.[unit] ?? 0, budget[unit] + (budget.allowance?.[unit] ?? 0));
    delete budget.allowance;
  }
  writeFileSync(table, `${JSON.stringify(house, null, 2)}\n`);
}

if (process.argv[1] === import.meta.filename) {
  const against = process.argv.indexOf("--against");
  const result = measure(readSources(against < 0 ? undefined : process.argv[against + 1]));
  if (process.argv.includes("--write-budgets")) writeBudgets(result.packages);
  if (process.argv.includes("--json")) console.log(JSON.stringify(result, null, 2));
  else {
    console.table(result.packages);
    for (const { folder, circle, upward } of result.cycles)
      console.log(`${folder}: ${circle.join(", ")} import each other; ${upward} imports go up`);
  }
}
