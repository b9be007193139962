import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../kit/src/testing/temporary-directory.ts";
import { type OpenSkillsOptions, openSkills } from "./open-skills.ts";
import { snapshotFromJson, snapshotToJson } from "./registry/snapshot-json.ts";
import type { SkillsChange } from "./registry/watch-skills.ts";
import { MemorySource } from "./source/memory-source.ts";
import { skillText, writeTree } from "./testing/write-tree.ts";
import { trustFolder } from "./trust/trust-store.ts";
import type { Skills } from "./workspace/skills.ts";
import { projectSkills } from "./workspace/trusted-skills.ts";

let base: string;
let project: string;
beforeEach(() => {
  base = temporaryDirectory();
  project = join(base, "home/work/project");
  writeTree(join(base, "home"), { "work/project/.git/HEAD": "ref: refs/heads/main\n" });
});

const open = (options: OpenSkillsOptions = {}): Promise<Skills> =>
  openSkills({
    workspace: project,
    userHome: join(base, "home"),
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(base, "organisation"),
    bundledDirectory: join(base, "bundled"),
    ...options,
  });

const outline = ({ snapshot }: Skills): string[] =>
  snapshot.skills.map(({ qualifiedName, scope, state }) => `${qualifiedName} ${scope} ${state}`);

const trust = async (skills: Skills): Promise<void> => {
  const held = await projectSkills(skills);
  await trustFolder({ home: skills.home, projectRoot: project, skills: held, clock: Date.now });
};

test("every default root is searched, in the order of precedence", async () => {
  writeTree(base, {
    "organisation/skills/a/SKILL.md": skillText("a", "1"),
    "home/.skillet/plugins/a/SKILL.md": skillText("a", "2"),
    "home/work/project/.skillet/skills/a/SKILL.md": skillText("a", "3"),
    "home/work/project/.agents/skills/a/SKILL.md": skillText("a", "4"),
    "home/work/project/.agent/skills/a/SKILL.md": skillText("a", "5"),
    "home/work/project/.claude/skills/a/SKILL.md": skillText("a", "6"),
    "home/.skillet/skills/a/SKILL.md": skillText("a", "7"),
    "home/.agents/skills/a/SKILL.md": skillText("a", "8"),
    "home/.claude/skills/a/SKILL.md": skillText("a", "9"),
    "bundled/a/SKILL.md": skillText("a", "10"),
  });
  await trust(await open());
  const { snapshot } = await open();
  const ranked = [...snapshot.roots.keys()].map((index) => snapshot.roots[index]?.path);
  const skills = snapshot.skills.toSorted((left, right) => rank(left.path) - rank(right.path));
  function rank(path: string): number {
    return ranked.findIndex((root) => root !== undefined && path.startsWith(`${root}/`));
  }
  expect(skills.map(({ manifest }) => manifest.description)).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "10",
  ]);
  expect(skills.map(({ state }) => state)).toEqual([
    "enabled",
    ...Array.from({ length: 9 }, () => "shadowed"),
  ]);
});

test("a monorepo's skills come from the working directory up to the repository, nearest first", async () => {
  writeTree(project, {
    ".agents/skills/top/SKILL.md": skillText("top"),
    ".agents/skills/same/SKILL.md": skillText("same", "Top."),
    "packages/web/.agents/skills/same/SKILL.md": skillText("same", "Web."),
    "packages/api/.agents/skills/other/SKILL.md": skillText("other"),
  });
  const skills = await open({ workspace: join(project, "packages/web") });
  expect(skills.project).toEqual({ root: project, trusted: false });
  await trust(skills);
  const trusted = await open({ workspace: join(project, "packages/web") });
  expect(outline(trusted)).toEqual([
    "project:same project shadowed",
    "same project enabled",
    "top project enabled",
  ]);
  const found = trusted.find("same");
  expect(found.kind === "found" && found.skill.manifest.description).toBe("Web.");
});

test("a project's skills are listed but not offered until the folder is trusted", async () => {
  writeTree(project, {
    ".agents/skills/deploy/SKILL.md": skillText("deploy"),
    ".claude/commands/ship.md": "Ship it.\n",
  });
  const before = await open();
  expect(outline(before)).toEqual(["deploy project untrusted", "ship claude untrusted"]);
  expect(before.list()).toEqual([]);
  await trust(before);
  const { diff } = await before.reload();
  expect(diff).toEqual({ added: [], removed: [], changed: ["deploy", "ship"] });
  expect(before.list().map(({ name }) => name)).toEqual(["deploy", "ship"]);
  writeTree(project, { ".agents/skills/late/SKILL.md": skillText("late") });
  await before.reload();
  expect(outline(before)).toEqual([
    "deploy project enabled",
    "late project untrusted",
    "ship claude enabled",
  ]);
});

test("the home folder is never a project, also when dotfiles are kept in git", async () => {
  const home = join(base, "home");
  writeTree(home, { ".git/HEAD": "", ".agents/skills/mine/SKILL.md": skillText("mine") });
  const skills = await open({ workspace: home });
  expect(outline(skills)).toEqual(["mine user enabled"]);
  expect(skills.project).toBeUndefined();
});

test("an empty SKILLET_HOME or HOME is as good as none, so that no folder becomes a home by accident", async () => {
  const skills = await open({ environment: { SKILLET_HOME: "", HOME: "" } });
  expect(skills.home).toBe(join(base, "home/.skillet"));
});

test("explicit roots are the only ones, and need no trust", async () => {
  writeTree(base, { "x/a/SKILL.md": skillText("a"), "bundled/b/SKILL.md": skillText("b") });
  const skills = await open({
    roots: [join(base, "x")],
    sources: [new MemorySource({ "m/SKILL.md": skillText("m") })],
  });
  expect(outline(skills)).toEqual(["a explicit enabled", "m explicit enabled"]);
});

test("config disables, moves roots and orders scopes; the loader options show what is hidden", async () => {
  writeTree(base, {
    "home/.skillet/config.yaml":
      "skills:\n  userDir: ~/my-skills\n  disabledBundled: [b]\n  precedence: [bundled, user]\n",
    "home/my-skills/a/SKILL.md": skillText("a", "Mine."),
    "bundled/a/SKILL.md": skillText("a", "Shipped."),
    "bundled/b/SKILL.md": skillText("b"),
    "bundled/c/SKILL.md": "---\nname: c\ndescription: C.\nmetadata:\n  requires: surely-absent\n---\n",
  });
  const skills = await open();
  expect(outline(skills)).toEqual([
    "a bundled enabled",
    "b bundled disabled",
    "c bundled unavailable",
    "user:a user shadowed",
  ]);
  expect(skills.list().map(({ name }) => name)).toEqual(["a"]);
  expect(skills.list({ includeDisabled: true, includeUnavailable: true }).map(({ name }) => name)).toEqual([
    "a",
    "b",
    "c",
  ]);
});

test("resources are digested on demand, and a changed SKILL.md is reported as drifted", async () => {
  writeTree(base, {
    "bundled/a/SKILL.md": skillText("a"),
    "bundled/a/scripts/run.sh": { text: "#!/usr/bin/env bash\n", mode: 0o755 },
    "bundled/a/references/data.bin": "\0",
    "bundled/a/out": { link: "/etc/passwd" },
  });
  const skills = await open();
  const [skill] = skills.list();
  if (skill === undefined) throw new Error("no skill");
  const index = await skills.reader.indexResources(skill);
  expect(
    index.resources.map(({ path, kind, contentKind, script }) => [path, kind, contentKind, script]),
  ).toEqual([
    ["out", "other", "link", undefined],
    ["references/data.bin", "reference", "binary", undefined],
    [
      "scripts/run.sh",
      "script",
      "text",
      { executable: true, shebang: "#!/usr/bin/env bash", runtime: "bash" },
    ],
  ]);
  expect(index.treeDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
  chmodSync(join(base, "bundled/a/scripts/run.sh"), 0o644);
  expect((await skills.reader.indexResources(skill)).treeDigest).not.toBe(index.treeDigest);
  expect((await skills.reader.readText(skill)).drifted).toBe(false);
  writeFileSync(join(base, "bundled/a/SKILL.md"), skillText("a", "Other."));
  expect(await skills.reader.readText(skill)).toEqual({ text: skillText("a", "Other."), drifted: true });
});

test("a snapshot survives the way through JSON, and a changed one is refused", async () => {
  writeTree(base, { "bundled/a/SKILL.md": skillText("a"), "bundled/b/SKILL.md": "" });
  const { snapshot } = await open();
  const json = JSON.parse(JSON.stringify(snapshotToJson(snapshot)));
  expect(snapshotToJson(snapshotFromJson(json))).toEqual(snapshotToJson(snapshot));
  expect(() => snapshotFromJson({ ...json, skills: [] })).toThrow(/version does not match/);
  expect(() => snapshotFromJson({})).toThrow(/not a skillet.snapshot/);
});

test("a workspace that does not exist, and a trust store that cannot be read, stop with a reason", async () => {
  await expect(open({ workspace: join(base, "nowhere") })).rejects.toMatchObject({
    code: "workspace-not-found",
  });
  writeTree(base, { "home/.skillet/trust.json": "{" });
  await expect(open()).rejects.toMatchObject({ code: "trust-store-invalid" });
});

test("a workspace that no system takes is not found, instead of failing in a way of its own", async () => {
  for (const workspace of ["/a\0b", `/${"a".repeat(300)}`, join(base, "home/.x/y")])
    await expect(open({ workspace })).rejects.toMatchObject({
      code: "workspace-not-found",
      data: { workspace },
    });
});

test("one yes covers a copy in each of its places", async () => {
  writeTree(project, {
    ".agents/skills/deploy/SKILL.md": skillText("deploy"),
    ".claude/skills/deploy/SKILL.md": skillText("deploy"),
  });
  const skills = await open();
  await trust(skills);
  await skills.reload();
  expect(outline(skills)).toEqual(["deploy project enabled"]);
});

test("a changed script of a trusted skill is found when the skill is verified, not by discovery", async () => {
  writeTree(project, {
    ".agents/skills/deploy/SKILL.md": skillText("deploy"),
    ".agents/skills/deploy/scripts/run.sh": "#!/bin/sh\n",
    ".agents/skills/large/SKILL.md": skillText("large"),
    ".agents/skills/large/inner/SKILL.md": "",
    ".claude/commands/ship.md": "Ship it.\n",
    "../../.skillet/skills/mine/SKILL.md": skillText("mine"),
  });
  const skills = await open();
  const outcomes = async (): Promise<Record<string, string>> => {
    const entries = skills.snapshot.skills.map(async (skill) => {
      const { outcome, reason } = await skills.reader.verifyTrust(skill);
      return [skill.name, `${outcome}: ${reason}`] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  const untrusted = `untrusted: the folder ${project} is not trusted; run: skillet trust`;
  const mine = "unneeded: it does not belong to a project";
  expect(await outcomes()).toEqual({ deploy: untrusted, large: untrusted, mine, ship: untrusted });
  await trust(skills);
  await skills.reload();
  const unchanged = `unchanged: it is what it was when ${project} was trusted`;
  const large = "unknown: its files were not recorded with the trust; run: skillet trust";
  expect(await outcomes()).toEqual({ deploy: unchanged, large, mine, ship: unchanged });
  writeTree(project, {
    ".agents/skills/deploy/scripts/run.sh": "#!/bin/sh\nrm -rf /\n",
    ".claude/commands/ship.md": "Sink it.\n",
    ".agents/skills/late/SKILL.md": skillText("late"),
  });
  await skills.reload();
  const changed = (what: string): string =>
    `changed: ${what} changed since ${project} was trusted; read the skill again, then run: skillet trust`;
  const late = `untrusted: it appeared after ${project} was trusted; run: skillet trust`;
  expect(await outcomes()).toEqual({
    deploy: changed("files other than SKILL.md"),
    large,
    late,
    mine,
    ship: changed("ship.md"),
  });
  expect(outline(skills)).toContain("deploy project enabled");
  mkdirSync(join(project, ".agents/skills/deploy/skill"));
  writeFileSync(join(project, ".agents/skills/deploy/skill/SKILL.md"), "");
  const [deploy] = skills.snapshot.skills;
  const unread = deploy && (await skills.reader.verifyTrust(deploy));
  expect([unread?.outcome, unread?.reason.includes("no such skill was found")]).toEqual(["unknown", true]);
});

test("a skill in a skill has its own files and digest; without that skill the outer one has no digest", async () => {
  writeTree(base, {
    "bundled/a/SKILL.md": skillText("a"),
    "bundled/a/inner/SKILL.md": skillText("inner"),
    "bundled/a/inner/run.sh": "",
    "bundled/b/SKILL.md": skillText("b"),
    "bundled/b/inner/SKILL.md": "",
    "bundled/b/inner/run.sh": "",
  });
  const skills = await open();
  const indexes = await Promise.all(
    skills.snapshot.skills.map((skill) => skills.reader.indexResources(skill)),
  );
  expect(
    indexes.map(({ resources, treeDigest }) => [resources.map(({ path }) => path), treeDigest !== undefined]),
  ).toEqual([
    [[], true],
    [[], false],
    [["run.sh"], true],
  ]);
  expect(indexes[1]?.diagnostics).toEqual([
    {
      code: "nested-skill-not-found",
      severity: "error",
      message:
        "It makes its folder a skill of its own, but no such skill was found, so no digest covers what lies there.",
      file: join(base, "bundled/b/inner/SKILL.md"),
      hint: "See why it does not load, or give the file another name, then reload.",
    },
  ]);
});

test("a watch hears of configuration and of trust as it hears of skills", async () => {
  writeTree(project, { ".agents/skills/deploy/SKILL.md": skillText("deploy") });
  writeTree(base, { "bundled/a/SKILL.md": skillText("a") });
  const skills = await open();
  const changes: string[][] = [];
  let hear = (): void => undefined;
  const watcher = skills.watch(
    ({ diff, snapshot }) => {
      changes.push(
        snapshot.skills.filter(({ name }) => diff.changed.includes(name)).map(({ state }) => state),
      );
      hear();
    },
    { settleMs: 20, pollMs: 60_000 },
  );
  onTestFinished(() => watcher.close());
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      hear = resolve;
    });
  for (const change of [
    () => writeTree(base, { "home/.skillet/config.yaml": "skills:\n  disabledBundled: [a]\n" }),
    () => rmSync(join(base, "home/.skillet/config.yaml")),
    () => trust(skills),
    () => writeTree(project, { ".skillet/config.yaml": "skills:\n  disabledBundled: [a]\n" }),
  ]) {
    const heard = next();
    await change();
    await heard;
  }
  expect(changes).toEqual([["disabled"], ["enabled"], ["enabled"], ["disabled"]]);
  expect(watcher.coverage.polled).toBe(0);
});

test("a burst of changes is reported once, with what is different", async () => {
  writeTree(base, { "bundled/a/SKILL.md": skillText("a"), "bundled/gone/SKILL.md": skillText("gone") });
  const skills = await open();
  const changes: SkillsChange[] = [];
  const done = new Promise<void>((resolve) => {
    const watcher = skills.watch(
      (change) => {
        changes.push(change);
        watcher.close();
        resolve();
      },
      { settleMs: 300, pollMs: 60_000 },
    );
  });
  // Below an existing folder, in a new one, and a removal: all within the quiet time.
  mkdirSync(join(base, "bundled/b"));
  writeFileSync(join(base, "bundled/b/SKILL.md"), skillText("b"));
  writeFileSync(join(base, "bundled/a/SKILL.md"), skillText("a", "Edited."));
  rmSync(join(base, "bundled/gone"), { recursive: true });
  await done;
  expect(changes.map(({ diff }) => diff)).toEqual([{ added: ["b"], removed: ["gone"], changed: ["a"] }]);
});

test("a project's root that leads out of the project is refused, and pushes nobody's skills aside", async () => {
  writeTree(base, {
    "home/.skillet/skills/mine/SKILL.md": skillText("mine"),
    "elsewhere/other/SKILL.md": skillText("other"),
    "home/work/project/.agents/skills": { link: join(base, "home/.skillet/skills") },
    "home/work/project/.skillet/skills": { link: join(base, "elsewhere") },
  });
  const skills = await open();
  expect(outline(skills)).toEqual(["mine user enabled"]);
  expect(skills.snapshot.diagnostics.map(({ code, file }) => [code, file.slice(project.length + 1)])).toEqual(
    [
      ["link-outside-root", ".skillet/skills"],
      ["link-outside-root", ".agents/skills"],
    ],
  );
});

test("explicit roots work without a readable trust store", async () => {
  writeTree(base, { "home/.skillet/trust.json": "{", "x/a/SKILL.md": skillText("a") });
  expect(outline(await open({ roots: [join(base, "x")] }))).toEqual(["a explicit enabled"]);
});

test("a root that was named and does not exist is reported, unlike the usual places", async () => {
  writeTree(base, { "x/a/SKILL.md": skillText("a") });
  const { snapshot } = await open({ roots: [join(base, "x"), join(base, "nope")] });
  expect(snapshot.diagnostics.slice(1)).toMatchObject([
    { code: "unreadable-root", severity: "warning", file: join(base, "nope") },
  ]);
  expect((await open()).snapshot.diagnostics).toEqual([]);
});

test("a listener that fails is told to onError, and the watch goes on", async () => {
  writeTree(base, { "bundled/a/SKILL.md": skillText("a") });
  const skills = await open();
  const errors: unknown[] = [];
  const told = new Promise<void>((resolve) => {
    const watcher = skills.watch(() => Promise.reject(new Error(`fault ${errors.length}`)), {
      settleMs: 20,
      pollMs: 60_000,
      onError: (error) => {
        if (errors.push(error) === 2) resolve();
        else writeTree(base, { "home/.skillet/config.yaml": "skills:\n  disabledBundled: []\n" });
      },
    });
    onTestFinished(() => watcher.close());
  });
  writeTree(base, { "home/.skillet/config.yaml": "skills:\n  disabledBundled: [a]\n" });
  await told;
  expect(errors).toEqual([new Error("fault 0"), new Error("fault 1")]);
});

test("two watches each hear of a change", async () => {
  writeTree(base, { "bundled/a/SKILL.md": skillText("a") });
  const skills = await open();
  const listen = (): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const watcher = skills.watch(
        ({ diff }) => {
          watcher.close();
          resolve(diff.changed);
        },
        { settleMs: 50, pollMs: 60_000 },
      );
    });
  const both = Promise.all([listen(), listen()]);
  writeFileSync(join(base, "bundled/a/SKILL.md"), skillText("a", "Edited."));
  expect(await both).toEqual([["a"], ["a"]]);
});

test("a trusted project can forbid a skill of higher precedence, but not put its own in that one's place", async () => {
  writeTree(base, {
    "organisation/skills/review/SKILL.md": skillText("review", "The organisation's."),
    "organisation/skills/other/SKILL.md": skillText("other"),
    "home/work/project/.agents/skills/review/SKILL.md": skillText("review", "The project's."),
    "home/work/project/.skillet/config.yaml":
      "skills:\n  overrides:\n    organisation:review:\n      enabled: false\n  limits:\n    directories: 2\n",
  });
  await trust(await open());
  expect(outline(await open())).toEqual([
    "other organisation enabled",
    "project:review project shadowed",
    "review organisation disabled",
  ]);
});

test("a link to a folder that the user linked is followed from the user's roots, and from no project's", async () => {
  writeTree(base, {
    "elsewhere/a/SKILL.md": skillText("a", "1"),
    "home/.skillet/plugins/a": { link: join(base, "elsewhere/a") },
    "home/work/project/.agents/skills/b": { link: join(base, "elsewhere/a") },
  });
  expect(outline(await open())).toEqual([]);
  const skills = await open({ linkedFolders: [join(base, "elsewhere/a")] });
  expect(outline(skills)).toEqual(["a plugin enabled"]);
});

test("relative folders of the options are of the workspace, not of the process", async () => {
  writeTree(project, { "shipped/a/SKILL.md": skillText("a"), "store/b/SKILL.md": skillText("b") });
  mkdirSync(join(base, "home/.skillet/skills"), { recursive: true });
  symlinkSync(join(project, "store/b"), join(base, "home/.skillet/skills/b"));
  const skills = await open({
    bundledDirectory: "shipped",
    linkedFolders: ["store"],
    cacheDirectory: "cache",
  });
  expect(outline(skills)).toEqual(["a bundled enabled", "b user enabled"]);
  await skills.select("a");
  expect(existsSync(join(project, "cache"))).toBe(true);
});
