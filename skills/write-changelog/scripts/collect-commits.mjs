#!/usr/bin/env node
// Collects the commits of a release, grouped by conventional-commit type, as raw material for a changelog.
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";

const USAGE = `Usage: collect-commits.mjs [--repo DIR] [--from REV] [--to REV] [--match GLOB] [--exclude GLOB]
                           [--path PATH]... [--first-parent] [--json]

Lists what happened since the last tag, grouped by conventional-commit type. Reads only.

  --from REV       start after this revision (default: the nearest tag before --to, else all history)
  --to REV         end at this revision (default: HEAD)
  --match GLOB     consider only tags such as 'v*' when looking for the last one
  --exclude GLOB   ignore tags such as '*-rc*' when looking for the last one
  --path PATH      only commits that touch this path, from the top of the repository; may be repeated
  --first-parent   one entry for each merge into the branch, titled from the pull request
  --repo DIR       repository to read (default: the current folder)
  --json           one JSON document instead of text

A commit and the commit that reverts it, both in the range, cancel each other out.
Exit status: 0 collected (also when there is nothing), 2 used wrongly or git failed.
`;

const MAX_GIT_BYTES = 256 * 1024 * 1024;

// Shown first to last; "other" holds every subject that does not follow the convention and must be read.
const GROUPS = [
  { name: "feat", title: "Features (feat)" },
  { name: "fix", title: "Fixes (fix)" },
  { name: "perf", title: "Performance (perf)" },
  { name: "revert", title: "Reverts of earlier releases (revert)" },
  { name: "other", title: "Not following the convention: read each" },
  {
    name: "internal",
    title: "Internal by type (build, chore, ci, docs, refactor, style, test): seldom for users",
  },
];
const INTERNAL = new Set(["build", "chore", "ci", "docs", "refactor", "style", "test"]);
const ALIASES = new Map([
  ["feature", "feat"],
  ["bugfix", "fix"],
  ["hotfix", "fix"],
  ["performance", "perf"],
  ["doc", "docs"],
  ["tests", "test"],
]);

// A reader that has seen enough ("| head") is no fault.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  process.stdout.write(main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`collect-commits: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

function main(argv) {
  const options = readOptions(argv);
  if (options === undefined) return USAGE;
  const git = openGit(options.repo);
  const range = findRange(git, options);
  const commits = readCommits(git, range, options);
  const collection = collect(commits, range, options);
  return options.json ? `${JSON.stringify(collection, null, 2)}\n` : asText(collection);
}

function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      repo: { type: "string" },
      from: { type: "string" },
      to: { type: "string", default: "HEAD" },
      match: { type: "string" },
      exclude: { type: "string" },
      path: { type: "string", multiple: true, default: [] },
      "first-parent": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return undefined;
  if (values.from !== undefined && (values.match ?? values.exclude) !== undefined) {
    throw new Error("--match and --exclude choose the last tag; with --from there is nothing to choose");
  }
  return values;
}

function openGit(repo) {
  const environment = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  // Inside a hook these point at the hook's repository; an explicit --repo must win over them.
  if (repo !== undefined)
    for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX"]) delete environment[name];
  return (args, { mayFail = false } = {}) => {
    try {
      return execFileSync("git", ["-c", "log.follow=false", "--no-pager", ...args], {
        cwd: repo ?? ".",
        env: environment,
        encoding: "utf8",
        maxBuffer: MAX_GIT_BYTES,
        stdio: ["ignore", "pipe", "pipe"],
      });
    } catch (error) {
      if (error.code === "ENOENT") throw new Error("git was not found, or --repo is not a folder");
      if (error.code === "ENOBUFS")
        throw new Error("the history is too long to read at once; pass --from REV");
      if (mayFail && error.status > 0) return undefined;
      throw new Error(`git ${args[0]} failed: ${error.stderr.trim() || `exit status ${error.status}`}`);
    }
  };
}

function findRange(git, { from, to, match, exclude }) {
  if (git(["rev-parse", "--is-shallow-repository"]).trim() === "true") {
    process.stderr.write(
      "collect-commits: this clone is shallow, so commits and tags may be missing; run git fetch --unshallow --tags\n",
    );
  }
  const end = resolveCommit(git, to, "--to");
  if (from !== undefined) return { from, fromCommit: resolveCommit(git, from, "--from"), to, toCommit: end };
  const describe = ["describe", "--tags", "--abbrev=0"];
  if (match !== undefined) describe.push(`--match=${match}`);
  if (exclude !== undefined) describe.push(`--exclude=${exclude}`);
  const tag = git([...describe, end], { mayFail: true })?.trim();
  if (tag === undefined) {
    process.stderr.write("collect-commits: no earlier tag was found, so this is the whole history\n");
    return { from: null, fromCommit: null, to, toCommit: end };
  }
  const fromCommit = resolveCommit(git, `refs/tags/${tag}`, "last tag");
  if (fromCommit === end) {
    process.stderr.write(
      `collect-commits: ${clean(to)} is tagged ${clean(tag)} and nothing came after it; pass --from with the tag before\n`,
    );
  }
  return { from: tag, fromCommit, to, toCommit: end };
}

function resolveCommit(git, revision, option) {
  const argv = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const found = git(argv, { mayFail: true });
  if (found === undefined)
    throw new Error(
      `${option} ${clean(revision)}: no such commit; fetch tags and branches, or check the name`,
    );
  return found.trim();
}

function readCommits(git, { fromCommit, toCommit }, options) {
  const argv = [
    "log",
    "-z",
    "--format=%H%x00%P%x00%s%x00%b",
    "--encoding=UTF-8",
    "--no-show-signature",
    "--no-color",
  ];
  if (options["first-parent"]) argv.push("--first-parent");
  argv.push(fromCommit === null ? toCommit : `${fromCommit}..${toCommit}`, "--");
  for (const path of options.path) argv.push(`:(top,literal)${path}`);
  const fields = git(argv).split("\0");
  const commits = [];
  for (let index = 0; index + 3 < fields.length; index += 4) {
    const [hash, parents, subject, body] = fields.slice(index, index + 4);
    commits.push({
      hash,
      isMerge: parents.includes(" "),
      subject,
      body: body.replaceAll("\r\n", "\n").trim(),
    });
  }
  return commits;
}

function collect(commits, { from, to, toCommit }, options) {
  const cancelled = findCancelled(commits);
  const entries = [];
  let merges = 0;
  for (const commit of commits) {
    if (cancelled.has(commit.hash)) continue;
    if (commit.isMerge && !options["first-parent"]) merges += 1;
    else entries.push(asEntry(commit));
  }
  return {
    schemaVersion: 1,
    range: { from, to, toCommit },
    commits: commits.length,
    breaking: entries.filter((entry) => entry.breaking !== undefined),
    groups: GROUPS.map(({ name }) => ({ name, entries: entries.filter((entry) => entry.group === name) })),
    cancelled: commits
      .filter(({ hash }) => cancelled.has(hash))
      .map(({ hash, subject }) => ({ hash, subject })),
    mergesSkipped: merges,
  };
}

// Newest first: a revert that was itself reverted no longer cancels anything.
function findCancelled(commits) {
  const inRange = new Set(commits.map(({ hash }) => hash));
  const cancelled = new Set();
  for (const { hash, body } of commits) {
    if (cancelled.has(hash)) continue;
    const reverted = /^This reverts commit ([0-9a-f]{40,64})\b/m.exec(body)?.[1];
    if (reverted === undefined || !inRange.has(reverted)) continue;
    cancelled.add(hash);
    cancelled.add(reverted);
  }
  return cancelled;
}

function asEntry({ hash, isMerge, subject, body }) {
  const pull = isMerge ? /^Merge pull request #(\d+) /.exec(subject) : null;
  const title = pull === null ? subject : body.split("\n")[0] || subject;
  const parts = /^([A-Za-z][A-Za-z0-9-]*)(?:\(([^()]+)\))?(!)?:\s+(\S.*)$/.exec(title);
  const type = parts === null ? undefined : typeOf(parts[1]);
  const breaking = breakingFooter(body) ?? (parts?.[3] === "!" ? parts[4] : undefined);
  const references = [
    ...`${pull?.[1] === undefined ? "" : `#${pull[1]} `}${title}\n${body}`.matchAll(
      /(?<![\w/&])#(\d{1,9})\b/g,
    ),
  ];
  return {
    hash,
    group: groupOf(type, subject),
    ...(type === undefined ? {} : { type }),
    ...(parts?.[2] === undefined ? {} : { scope: parts[2] }),
    text: parts !== null && type !== undefined ? parts[4] : title,
    ...(breaking === undefined ? {} : { breaking }),
    references: [...new Set(references.map(([, number]) => `#${number}`))],
  };
}

// A footer runs on until a blank line or the next footer.
function breakingFooter(body) {
  const lines = body.split("\n");
  const start = lines.findIndex((line) => /^BREAKING[ -]CHANGE: /.test(line));
  if (start === -1) return undefined;
  const isEnd = (line) => line.trim() === "" || /^[A-Za-z-]+(: | #)/.test(line);
  const after = lines.slice(start + 1);
  const length = after.findIndex(isEnd);
  const text = [
    lines[start].slice("BREAKING CHANGE: ".length),
    ...after.slice(0, length === -1 ? after.length : length),
  ];
  return text.map((line) => line.trim()).join(" ");
}

function typeOf(word) {
  const lower = word.toLowerCase();
  const type = ALIASES.get(lower) ?? lower;
  // "Note: …" or "parser: …" is a sentence or a bare scope, not a type of change.
  return INTERNAL.has(type) ||
    GROUPS.some(({ name }) => name === type && name !== "other" && name !== "internal")
    ? type
    : undefined;
}

function groupOf(type, subject) {
  if (type === undefined) return /^Revert "/.test(subject) ? "revert" : "other";
  return INTERNAL.has(type) ? "internal" : type;
}

// Commit messages come from anyone: control and text-reversing characters are shown, never obeyed.
function clean(text) {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

function asText({ range, commits, breaking, groups, cancelled, mergesSkipped }) {
  const out = [
    `range: ${clean(range.from ?? "(first commit)")}..${clean(range.to)} (${range.toCommit.slice(0, 12)}), ${commits} commits`,
  ];
  const section = (title, lines) => {
    if (lines.length > 0) out.push("", `${title}: ${lines.length}`, ...lines.map((line) => `  ${line}`));
  };
  section(
    "Breaking changes",
    breaking.map((entry) => `${entry.hash.slice(0, 12)}  ${clean(entry.breaking)}`),
  );
  for (const { name, title } of GROUPS) {
    const { entries } = groups.find((group) => group.name === name);
    section(title, entries.map(asLine));
  }
  section(
    "Cancelled out by a revert in the same range",
    cancelled.map(({ hash, subject }) => `${hash.slice(0, 12)}  ${clean(subject)}`),
  );
  if (mergesSkipped > 0) out.push("", `merge commits left out: ${mergesSkipped}`);
  return `${out.join("\n")}\n`;
}

function asLine({ hash, group, type, scope, text, breaking, references }) {
  const label = [
    group === "internal" ? `${type}:` : "",
    scope === undefined ? "" : `[${scope}]`,
    breaking === undefined ? "" : "BREAKING",
  ];
  const missing = references.filter((reference) => !text.includes(reference));
  const words = [
    ...label.filter((part) => part !== ""),
    text,
    ...(missing.length > 0 ? [`(${missing.join(", ")})`] : []),
  ];
  return `${hash.slice(0, 12)}  ${clean(words.join(" "))}`;
}
