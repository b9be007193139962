#!/usr/bin/env node
// Summarises a git diff for a reviewer: what kind of file changed, by how much, and what deserves a closer look.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const USAGE = `Usage: summarise-diff.mjs [--repo DIR] [--staged | --base REV [--head REV]] [--limit N] [--json]

Summarises a change for review. Reads only; never writes to the repository.

  (default)      uncommitted work: working tree against HEAD, and untracked files
  --staged       what the next commit would hold: index against HEAD
  --base REV     what --head (default HEAD) adds since it left REV (merge base, as "REV...HEAD")
  --repo DIR     repository to read (default: the current folder)
  --limit N      list at most N files (default 200); totals and signals always cover all
  --json         one JSON document instead of text

Exit status: 0 summary printed, 2 used wrongly or git failed.
`;

const MAX_GIT_BYTES = 256 * 1024 * 1024;
const LARGE_CHANGE_LINES = 400;
const MAX_PLACES_PER_SIGNAL = 20;

const GITLINK = "160000";
const SYMLINK = "120000";
const EXECUTABLE = "100755";

const DIFF = [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "--find-renames",
  "--ignore-submodules=dirty",
];

// The order is the reading order: what decides the risk first, what follows from it last.
const KINDS = [
  "ci",
  "dependencies",
  "migration",
  "build",
  "source",
  "test",
  "config",
  "docs",
  "lockfile",
  "generated",
];

const LOCKFILES = new Set(
  `bun.lock bun.lockb cargo.lock composer.lock flake.lock gemfile.lock go.sum mix.lock npm-shrinkwrap.json
   package-lock.json package.resolved pdm.lock pipfile.lock pnpm-lock.yaml podfile.lock poetry.lock uv.lock yarn.lock`.split(
    /\s+/,
  ),
);
const MANIFESTS = new Set(
  `build.gradle build.gradle.kts cargo.toml composer.json gemfile go.mod mix.exs package.json package.swift pipfile
   podfile pom.xml pyproject.toml setup.cfg setup.py`.split(/\s+/),
);

const SIGNALS = {
  "bidi-control": "an added line holds a bidirectional control: what you read is not what runs",
  "conflict-marker": "a merge conflict marker was added",
  "suspicious-path": "the path holds control, invisible or undecodable characters",
  "secret-file": "the name suggests credentials; read it, and ask whether it belongs in git",
  "ci-changed": "code that runs with the pipeline's credentials changed",
  submodule: "a submodule pointer moved; the change is in another repository",
  symlink: "a symbolic link was added or changed; check where it points",
  executable: "a file became executable",
  binary: "content cannot be read in the diff",
  "test-deleted": "a test file was removed",
  "test-weakened": "an added line focuses or skips tests",
  "lockfile-alone": "a lockfile changed without its manifest",
  migration: "a schema or data migration: check locking, back-filling and the way back",
  "no-tests": "source changed, no test did",
  large: `more than ${LARGE_CHANGE_LINES} lines outside generated files and lockfiles; review in passes or ask for a split`,
};

// A reader that has seen enough ("| head") is no fault.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  process.stdout.write(main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`summarise-diff: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

function main(argv) {
  const options = readOptions(argv);
  if (options === undefined) return USAGE;
  const { git, range, label, untracked } = openComparison(options);
  const files = readFiles(git, range);
  for (const path of untracked)
    files.push({
      status: "?",
      path,
      oldMode: "000000",
      newMode: "untracked",
      added: 0,
      deleted: 0,
      binary: false,
    });
  const generated = readGenerated(git, files);
  for (const file of files) file.kind = generated.has(file.path) ? "generated" : kindOf(display(file.path));
  files.sort(byReadingOrder);
  const summary = summarise({ label, files, places: readAddedLines(git, range), limit: options.limit });
  return options.json ? `${JSON.stringify(summary, null, 2)}\n` : asText(summary);
}

function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      repo: { type: "string" },
      staged: { type: "boolean", default: false },
      base: { type: "string" },
      head: { type: "string" },
      limit: { type: "string", default: "200" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return undefined;
  if (values.staged && values.base !== undefined)
    throw new Error("--staged and --base exclude each other; pass one");
  if (values.head !== undefined && values.base === undefined) throw new Error("--head needs --base REV");
  if (!/^\d{1,6}$/.test(values.limit)) throw new Error(`--limit takes a whole number, not "${values.limit}"`);
  return { ...values, limit: Number(values.limit) };
}

function openComparison({ repo, staged, base, head }) {
  const environment = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  // Inside a hook these point at the hook's repository; an explicit --repo must win over them.
  if (repo !== undefined)
    for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"]) delete environment[name];
  let folder = repo ?? ".";
  const git = (args, input = "") => {
    // core.fsmonitor may name a program; a summary must not start one that the repository chose.
    const argv = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=true", "--no-pager", ...args];
    try {
      return execFileSync("git", argv, {
        cwd: folder,
        env: environment,
        input,
        maxBuffer: MAX_GIT_BYTES,
        stdio: ["pipe", "pipe", "pipe"],
      });
    } catch (error) {
      throw new Error(explain(error, args[0]), { cause: error });
    }
  };
  // Attributes are looked up relative to the current folder, so work from the top.
  folder = join(folder, git(["rev-parse", "--show-cdup"]).toString("utf8").replace(/\n$/, ""));
  const commit = (revision) => {
    try {
      return text(git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]));
    } catch (error) {
      if (error.cause?.status === 1) return undefined;
      throw error;
    }
  };

  if (base !== undefined) {
    const from = commit(base);
    const to = commit(head ?? "HEAD");
    if (from === undefined) throw new Error(`--base ${base}: no such commit`);
    if (to === undefined) throw new Error(`--head ${head ?? "HEAD"}: no such commit`);
    const fork = text(git(["merge-base", from, to]));
    return { git, range: [fork, to], label: `${fork.slice(0, 12)}..${to.slice(0, 12)}`, untracked: [] };
  }
  environment.GIT_INDEX_FILE = copyIndex(
    resolve(folder, git(["rev-parse", "--git-path", "index"]).toString("utf8").replace(/\n$/, "")),
  );
  // Before the first commit everything is new: compare with the empty tree, in the repository's own hash.
  const tip = commit("HEAD") ?? text(git(["hash-object", "-t", "tree", "--stdin"]));
  if (staged) return { git, range: ["--cached", tip], label: "index against HEAD", untracked: [] };
  const others = git(["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"]);
  return { git, range: [tip], label: "working tree against HEAD", untracked: splitNul(others) };
}

// "git diff" writes refreshed times back to the index, whatever GIT_OPTIONAL_LOCKS says; let it write to a copy.
function copyIndex(index) {
  const scratch = mkdtempSync(join(tmpdir(), "summarise-diff-"));
  process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  const copy = join(scratch, "index");
  if (existsSync(index)) {
    copyFileSync(index, copy);
    // Git compares content only for files at least as new as the index; a younger copy would hide quick edits.
    const seconds = Math.floor(statSync(index).mtimeMs / 1000);
    utimesSync(copy, seconds, seconds);
  }
  return copy;
}

function text(buffer) {
  return buffer.toString("latin1").trim();
}

function explain(error, command) {
  if (error.code === "ENOENT") return "git was not found, or --repo is not a folder";
  if (error.code === "ENOBUFS")
    return `git ${command} printed more than ${MAX_GIT_BYTES} bytes; compare a smaller range`;
  const reason = error.stderr?.toString("utf8").trim();
  return `git ${command} failed: ${reason || (command === "merge-base" ? "the two have no common ancestor" : `exit status ${error.status}`)}`;
}

function readFiles(git, range) {
  const fields = splitNul(git([...DIFF, "--raw", "--numstat", "--no-abbrev", "-z", ...range, "--"]));
  const files = new Map();
  let index = 0;
  while (index < fields.length) {
    const field = fields[index++];
    if (field.startsWith(":")) {
      const [oldMode, newMode, , , status] = field.slice(1).split(" ");
      const from = fields[index++];
      const path = /^[RC]/.test(status) ? fields[index++] : from;
      files.set(path, {
        status: status[0],
        path,
        ...(path === from ? {} : { from }),
        oldMode,
        newMode,
        added: 0,
        deleted: 0,
        binary: false,
      });
    } else {
      const [added, deleted, name] = split3(field);
      const path = name === "" ? fields[(index += 2) - 1] : name;
      const file = files.get(path);
      if (file === undefined) throw new Error("git diff printed counts for a file that it did not list");
      if (added === "-") file.binary = true;
      else Object.assign(file, { added: Number(added), deleted: Number(deleted) });
    }
  }
  return [...files.values()];
}

// Paths are bytes; latin1 keeps each byte apart, so that two undecodable names never become one.
function splitNul(buffer) {
  return buffer.toString("latin1").split("\0").slice(0, -1);
}

function split3(field) {
  const first = field.indexOf("\t");
  const second = field.indexOf("\t", first + 1);
  return [field.slice(0, first), field.slice(first + 1, second), field.slice(second + 1)];
}

function readGenerated(git, files) {
  const input = Buffer.from(files.map((file) => `${file.path}\0`).join(""), "latin1");
  const fields = splitNul(
    git(["check-attr", "--stdin", "-z", "linguist-generated", "linguist-vendored"], input),
  );
  const generated = new Set();
  for (let index = 0; index + 2 < fields.length; index += 3) {
    if (fields[index + 2] === "set" || fields[index + 2] === "true") generated.add(fields[index]);
  }
  return generated;
}

function kindOf(path) {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (LOCKFILES.has(name)) return "lockfile";
  if (/(^|\/)(node_modules|vendor|third_party|__generated__)\//.test(lower)) return "generated";
  if (/\.(min\.(js|css)|pb\.go|snap)$|_pb2(_grpc)?\.pyi?$|\.generated\./.test(name)) return "generated";
  if (
    /(^|\/)\.(github\/(workflows|actions)|circleci|buildkite|gitlab)\/|(^|\/)(\.gitlab-ci\.ya?ml|jenkinsfile|azure-pipelines\.ya?ml)$/.test(
      lower,
    )
  )
    return "ci";
  if (MANIFESTS.has(name) || /^requirements[^/]*\.(txt|in)$|\.(csproj|gemspec)$/.test(name))
    return "dependencies";
  if (
    /(^|\/)(tests?|__tests__|specs?|e2e|testdata|fixtures)\/|(^|\/)test_[^/]*\.py$|[._-](test|spec)\.[a-z]+$/.test(
      lower,
    )
  )
    return "test";
  if (/(Tests?|IT)\.(java|kt|cs|scala)$/.test(path)) return "test";
  if (/(^|\/)(migrations?|migrate)\/|\.sql$/.test(lower)) return "migration";
  if (
    /^(dockerfile|containerfile|makefile|justfile)|\.(tf|nix|mk|cmake|dockerfile)$|^(docker-)?compose[^/]*\.ya?ml$|^cmakelists\.txt$/.test(
      name,
    )
  )
    return "build";
  if (/(^|\/)docs?\/|\.(md|mdx|rst|adoc|txt)$|^(license|notice|authors|changelog)$/.test(lower))
    return "docs";
  if (/^\.[^/]+$|\.(json|jsonc|ya?ml|toml|ini|cfg|conf|properties|env|xml)$/.test(name)) return "config";
  return "source";
}

function byReadingOrder(a, b) {
  return (
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    b.added + b.deleted - (a.added + a.deleted) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  );
}

// Hunk lengths are counted, so that a line of content that looks like a header cannot pose as one.
function readAddedLines(git, range) {
  const places = [];
  let path = "";
  let line = 0;
  let removedLeft = 0;
  let addedLeft = 0;
  const patch = git([...DIFF, "--unified=0", "--src-prefix=a/", "--dst-prefix=b/", ...range, "--"]);
  for (const row of patch.toString("utf8").split("\n")) {
    if (removedLeft > 0 && row.startsWith("-")) removedLeft -= 1;
    else if (addedLeft > 0 && row.startsWith("+")) {
      const signal = signalOfLine(row.slice(1), path);
      if (signal !== undefined) places.push({ signal, place: `${path}:${line}` });
      addedLeft -= 1;
      line += 1;
    } else if (row.startsWith("+++ "))
      path = row
        .slice(4)
        .replace(/\t$/, "")
        .replace(/^("?)b\//, "$1");
    else {
      const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(row);
      if (hunk !== null) {
        removedLeft = Number(hunk[1] ?? 1);
        line = Number(hunk[2]);
        addedLeft = Number(hunk[3] ?? 1);
      }
    }
  }
  return places;
}

function signalOfLine(text, path) {
  if (/[\u202A-\u202E\u2066-\u2069]/.test(text)) return "bidi-control";
  if (/^(<{7}|>{7}|\|{7})( |$)/.test(text)) return "conflict-marker";
  if (kindOf(path) !== "test") return undefined;
  const weakened =
    /\b(describe|context|suite|it|test)\.(only|skip|todo)\b|\b[fx](it|describe)\(|\bt\.Skip(f|Now)?\(|@(Disabled|Ignore)\b|mark\.(skip|xfail)|^\s*#\[ignore/;
  return weakened.test(text) ? "test-weakened" : undefined;
}

function summarise({ label, files, places, limit }) {
  const found = new Map(Object.keys(SIGNALS).map((code) => [code, []]));
  for (const { signal, place } of places) found.get(signal).push(clean(place));
  for (const file of files) for (const signal of signalsOfFile(file)) found.get(signal).push(shown(file));
  const kinds = totalsByKind(files);
  const has = (kind) => kinds.some((entry) => entry.kind === kind);
  if (has("lockfile") && !has("dependencies"))
    found.set("lockfile-alone", files.filter((file) => file.kind === "lockfile").map(shown));
  if (has("source") && !has("test")) found.get("no-tests").push("(whole change)");
  const lines = files
    .filter((file) => file.kind !== "generated" && file.kind !== "lockfile")
    .reduce((sum, file) => sum + file.added + file.deleted, 0);
  if (lines > LARGE_CHANGE_LINES) found.get("large").push(`(${lines} lines)`);
  return {
    schemaVersion: 1,
    comparison: label,
    totals: { files: files.length, added: sum(files, "added"), deleted: sum(files, "deleted") },
    kinds,
    signals: [...found]
      .filter(([, where]) => where.length > 0)
      .map(([code, where]) => ({
        code,
        meaning: SIGNALS[code],
        count: where.length,
        where: where.slice(0, MAX_PLACES_PER_SIGNAL),
      })),
    files: files.slice(0, limit).map((file) => ({
      status: file.status,
      kind: file.kind,
      added: file.binary || file.status === "?" ? null : file.added,
      deleted: file.binary || file.status === "?" ? null : file.deleted,
      path: shown(file),
      ...(file.from === undefined ? {} : { from: clean(display(file.from)) }),
    })),
    omitted: Math.max(0, files.length - limit),
  };
}

function signalsOfFile(file) {
  const name = display(file.path);
  const base = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const isSecret =
    /^(\.env(\.(?!example$|sample$|template$|dist$).+)?|id_(rsa|dsa|ecdsa|ed25519)|\.npmrc|\.pypirc|\.netrc|credentials)$|\.(pem|key|p12|pfx|jks|keystore|kdbx)$/.test(
      base,
    );
  const checks = {
    "suspicious-path": clean(name) !== name || name.includes("\uFFFD"),
    "secret-file": file.status !== "D" && isSecret,
    "ci-changed": file.kind === "ci",
    submodule: file.oldMode === GITLINK || file.newMode === GITLINK,
    symlink: file.newMode === SYMLINK,
    executable: file.newMode === EXECUTABLE && file.oldMode !== EXECUTABLE,
    binary: file.binary,
    "test-deleted": file.kind === "test" && file.status === "D",
    migration: file.kind === "migration",
  };
  return Object.keys(checks).filter((code) => checks[code]);
}

function totalsByKind(files) {
  return KINDS.map((kind) => files.filter((file) => file.kind === kind))
    .filter((group) => group.length > 0)
    .map((group) => ({
      kind: group[0].kind,
      files: group.length,
      added: sum(group, "added"),
      deleted: sum(group, "deleted"),
    }));
}

function sum(files, key) {
  return files.reduce((total, file) => total + file[key], 0);
}

function display(path) {
  return Buffer.from(path, "latin1").toString("utf8");
}

function shown(file) {
  return clean(display(file.path));
}

// A file name may carry terminal escapes or text-reversing characters; both are shown, never obeyed.
function clean(text) {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

function asText(summary) {
  const { totals } = summary;
  const out = [
    `comparison: ${summary.comparison}`,
    `totals: ${totals.files} files, +${totals.added} -${totals.deleted}`,
    "",
    "kinds:",
  ];
  for (const entry of summary.kinds)
    out.push(`  ${entry.kind}: ${entry.files} files, +${entry.added} -${entry.deleted}`);
  out.push("", "signals:");
  if (summary.signals.length === 0) out.push("  none");
  for (const { code, meaning, count, where } of summary.signals) {
    out.push(`  ${code}: ${meaning}`, ...where.map((place) => `    ${place}`));
    if (count > where.length) out.push(`    and ${count - where.length} more`);
  }
  out.push("", "files, in reading order:");
  for (const { status, kind, added, deleted, path, from } of summary.files) {
    out.push(
      `  ${status}  ${kind}  ${added === null ? "-" : `+${added} -${deleted}`}  ${from === undefined ? "" : `${from} => `}${path}`,
    );
  }
  if (summary.omitted > 0) out.push(`  and ${summary.omitted} more (raise --limit)`);
  return `${out.join("\n")}\n`;
}
