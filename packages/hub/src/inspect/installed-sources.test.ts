import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestTree } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { formatLock } from "../lock/format-lock.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { installedSources } from "./installed-sources.ts";

const CAPABILITIES = {
  network: [],
  commands: [],
  paths: [],
  secrets: [],
  persistence: [],
  agentConfig: [],
  packages: [],
  remoteInstructions: [],
};

function entry(url: string, targets: LockEntry["targets"]): LockEntry {
  return {
    kind: "skill",
    source: url,
    resolved: { kind: "git", url, commit: "a".repeat(40) },
    folder: "skills/pdf",
    digest: digestTree([]),
    files: {},
    capabilities: CAPABILITIES,
    report: { origin: "builtin", verdict: "safe", scanner: "1" },
    targets,
  };
}

test("a copy for another agent is as much a stranger's as Skillet's own, and a friend is told by his address alone", async () => {
  const home = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  await mkdir(join(home, "plugins"), { recursive: true });
  const lock = {
    skills: new Map([
      ["friend", entry("https://github.com/Anthropics/Skills", [{ path: "plugins/friend", how: "copy" }])],
      [
        "stranger",
        entry("https://example.test/anthropics/skills", [
          { path: "plugins/stranger", how: "copy" },
          { path: join(elsewhere, "stranger"), how: "copy", agent: "claude-code" },
        ]),
      ],
    ]),
  };
  await writeFile(join(home, "lock.json"), formatLock(lock));
  const find = await installedSources({ home, trustedSources: ["anthropics/skills"] });
  expect(find(join(home, "plugins/friend/SKILL.md"))?.originSource).toBe("anthropics/skills/skills/pdf");
  expect(find(join(home, "plugins/stranger/SKILL.md"))?.originSource).toBe("");
  expect(find(join(elsewhere, "stranger/deep/SKILL.md"))?.originSource).toBe("");
  expect(find(join(home, "plugins/friend-not/SKILL.md"))).toBeUndefined();
  expect(find(join(home, "plugins/SKILL.md"))).toBeUndefined();
});

test("a friend's address is not enough where the commit was a stranger's when it was fetched", async () => {
  const home = temporaryDirectory();
  const fork = entry("https://github.com/anthropics/skills", [{ path: "plugins/fork", how: "copy" }]);
  const report = { ...fork.report, origin: "community" };
  await writeFile(join(home, "lock.json"), formatLock({ skills: new Map([["fork", { ...fork, report }]]) }));
  const find = await installedSources({ home, trustedSources: ["anthropics/skills"] });
  expect(find(join(home, "plugins/fork/SKILL.md"))?.originSource).toBe("");
});

test("a folder that was a stranger's when it was installed does not become local, copied or linked", async () => {
  const home = temporaryDirectory();
  const from = (origin: string, path: string): LockEntry => ({
    ...entry("/code/x", [{ path, how: "copy" }]),
    resolved: { kind: "local", path: "/code/x" },
    report: { origin, verdict: "safe", scanner: "1" },
  });
  const skills = new Map([
    ["clone", from("community", "plugins/clone")],
    ["linked", { ...from("community", "plugins/linked"), linked: true as const }],
    ["mine", from("local", "plugins/mine")],
  ]);
  await writeFile(join(home, "lock.json"), formatLock({ skills }));
  const find = await installedSources({ home, trustedSources: [] });
  expect(["clone", "linked", "mine"].map((name) => find(join(home, "plugins", name))?.originSource)).toEqual([
    "",
    "",
    "local",
  ]);
});

test("without a lock nothing was installed, and one that is broken is an error", async () => {
  const home = temporaryDirectory();
  expect((await installedSources({ home, trustedSources: [] }))("/x/SKILL.md")).toBeUndefined();
  await writeFile(join(home, "lock.json"), "{");
  await expect(installedSources({ home, trustedSources: [] })).rejects.toMatchObject({
    code: "lock-invalid",
  });
});
