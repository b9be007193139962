import { readFileSync } from "node:fs";
import { auditPath } from "@skillet/core/internal";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skillEntry, skillFiles } from "../place/testing/sandbox-project.ts";
import { TreeStore } from "../place/tree-store.ts";
import type { ReadItem } from "../plan-item.ts";
import { type Statement, signTree } from "../signature/envelope.ts";
import { createKey, formatPublicKey } from "../signature/key.ts";
import { keepSignatures } from "../sources/collect-envelopes.ts";
import { serveFiles } from "../sources/http/testing/serve.ts";
import type { Resolved } from "../sources/source.ts";
import { zipBytes } from "../sources/testing/zip-bytes.ts";
import { hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { compareVersions, findDowngrade, findMove } from "./find-doubts.ts";
import type { HubParts } from "./hub-parts.ts";

const [acme, mirror, beta] = [createKey(), createKey(), createKey()];
const NEXT: Digest = `sha256:${"3".repeat(64)}`;
const before = skillEntry("pdf", skillFiles("pdf", "2"));

type Said = readonly [typeof acme, Omit<Statement, "treeDigest">];

/** Why it might be a downgrade, after what was said of the installed tree, to what is said of the next one. */
async function doubt(installed: readonly Said[], ...versions: readonly (string | undefined)[]) {
  const home = temporaryDirectory();
  const kept = installed.map(([key, said]) =>
    signTree({ key, statement: { ...said, treeDigest: before.digest } }),
  );
  await keepSignatures(home, before.digest, kept);
  const signatures = [
    { sources: "owner/*", keys: [formatPublicKey(acme)] },
    { sources: "*", keys: [formatPublicKey(mirror)] },
    { sources: "beta/*", keys: [formatPublicKey(beta)] },
  ];
  const statements = versions.map((version) => ({
    name: "pdf",
    treeDigest: NEXT,
    ...(version !== undefined && { version }),
  }));
  const store = new TreeStore(home);
  await store.put(skillFiles("pdf", "2"));
  const parts = { home, userHome: home, root: home, signatures, store } as Partial<HubParts> as HubParts;
  const candidate = { digest: NEXT, signed: { statements } } as unknown as ReadItem;
  return findDowngrade(parts, before, candidate);
}

const NEWER = expect.stringContaining('the newer "2.0.0" is installed');
const own: Said = [acme, { name: "pdf", version: "2.0.0" }];

test("the installed version is what the publisher of its own source said, whatever others say before him", async () => {
  expect(await doubt([own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([[beta, { name: "pdf", version: "0.0.1" }], own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([[acme, { name: "other", version: "0.0.1" }], own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([own], "2.0.1")).toBeUndefined();
});

test("of several publishers the highest version is installed, and the lowest is offered", async () => {
  const second: Said = [mirror, { name: "pdf", version: "0.5.0" }];
  expect(await doubt([second, own], "1.0.0")).toEqual(NEWER);
  expect(await doubt([own], "99.0.0", "1.0.0")).toEqual(NEWER);
  expect(await doubt([own], "1.0.0", "99.0.0")).toEqual(NEWER);
  expect(await doubt([own], "99.0.0", undefined)).toContain("without a version");
  expect(await doubt([own, second], "2.0.0", "3.0.0")).toBeUndefined();
});

test("what the keys of other rules say of it counts for nothing, nor what is said of another name", async () => {
  expect(await doubt([[acme, { name: "other", version: "99.0.0" }]], "1.0.0")).toBeUndefined();
  expect(await doubt([[beta, { name: "pdf", version: "99.0.0" }]], "1.0.0")).toBeUndefined();
});

const git = (url: string): Resolved => ({ kind: "git", url, commit: "0".repeat(40) });
const archive = (location: string): Resolved => ({
  kind: "archive",
  location,
  digest: digestBytes(new Uint8Array()),
});

test.each([
  [git("https://github.com/acme/one"), git("https://github.com/acme/two")],
  [git("https://github.com/acme/one"), git("git@github.com:Acme/one.git")],
  [git("ssh://git@github.com/acme/one"), git("https://github.com/acme/one")],
  [archive("https://example.com/v1.zip"), archive("https://example.com/v2.zip")],
  [git("https://git.example.com/a/one"), git("ssh://git@git.example.com:22/a/one.git/")],
  [
    archive("https://github.com/acme/one/releases/download/v1/one.zip"),
    archive("https://github.com/acme/one/releases/download/v2/one.zip"),
  ],
  [
    { kind: "well-known", index: "https://example.com/a/.well-known/skills/index.json", name: "x" } as const,
    {
      kind: "well-known",
      index: "https://example.com/a/.well-known/agent-skills/index.json",
      name: "x",
    } as const,
  ],
])("%j and %j come from the same", (before, after) => {
  expect(findMove(before, after)).toBeUndefined();
});

test.each([
  [git("https://github.com/acme/one"), git("https://github.com/evil/one")],
  [git("https://github.com/acme/one"), git("https://gitlab.com/acme/one")],
  [git("https://github.com/acme/one"), archive("https://evil.example/one.zip")],
  [archive("https://example.com/one.zip"), archive("https://example.com:8443/one.zip")],
  [{ kind: "local", path: "/a" } as const, git("https://github.com/acme/one")],
  [git("https://gist.github.com/aaaaaaaa.git"), git("https://gist.github.com/bbbbbbbb.git")],
  [git("https://gitlab.com/snippets/1.git"), git("https://gitlab.com/snippets/2.git")],
  [git("https://git.example.com/scm/a/one.git"), git("https://git.example.com/scm/b/one.git")],
  [git("https://example.com/gitea/a/one"), git("https://example.com/gitea/b/one")],
  [git("https://example.com/a/one"), git("https://example.com/A/one")],
  [git("git@example.com:/srv/a/one.git"), git("git@example.com:/srv/b/one.git")],
  [git("a@example.com:one.git"), git("b@example.com:one.git")],
  [git("ssh://a@example.com/~/one"), git("ssh://b@example.com/~/one")],
  [git("file:///srv/a"), git("file:///srv/b")],
  [archive("https://cdn.example/gh/a/one@1/one.zip"), archive("https://cdn.example/gh/b/one@1/one.zip")],
  [archive("https://example.com/get?by=a&f=/one.zip"), archive("https://example.com/get?by=b&f=/one.zip")],
  [archive("https://example.com/a%2Fone.zip"), archive("https://example.com/b%2Fone.zip")],
  [
    archive("https://gitlab.com/api/v4/projects/1/packages/generic/one/1/one.zip"),
    archive("https://gitlab.com/api/v4/projects/2/packages/generic/one/1/one.zip"),
  ],
  [
    archive("https://github.com/user-attachments/files/1/one.zip"),
    archive("https://github.com/user-attachments/files/2/one.zip"),
  ],
  [
    archive("https://github.com/acme/one/archive/refs/heads/main.zip"),
    archive("https://github.com/acme/one/archive/0000000000000000000000000000000000000000/main.zip"),
  ],
  [
    { kind: "npm", name: "@acme/one", version: "1.0.0", integrity: "" } as const,
    { kind: "npm", name: "acme-one", version: "1.0.0", integrity: "" } as const,
  ],
])("%j and %j do not", (before, after) => {
  expect(findMove(before, after)).toContain("now");
});

const kit = (body: string) =>
  zipBytes([
    { name: ".claude-plugin/plugin.json", content: '{"name":"kit"}' },
    { name: "skills/a/SKILL.md", content: skillText("a", body) },
  ]);

/** A marketplace whose plugin is installed from one host, and then lies at another one; both serve the same. */
async function movedPlugin() {
  const box = hubSandbox();
  const one = await serveFiles({ "/kit.zip": kit("One.") });
  const files: Record<string, Uint8Array> = { "/kit.zip": kit("One.") };
  const two = await serveFiles(files);
  const follow = (url: string) =>
    writeFiles(box.project, {
      "market/.claude-plugin/marketplace.json": JSON.stringify({
        name: "m",
        owner: { name: "me" },
        plugins: [{ name: "kit", source: { source: "archive", url } }],
      }),
    });
  follow(`${one.origin}/kit.zip`);
  const hub = await box.open({ allowedPrivateHosts: [one.host, two.host, "127.0.0.1"] });
  await hub.apply(await hub.planInstall(wanted("./market", { names: ["kit"] })));
  follow(`${two.origin}/kit.zip`);
  const change = (body: string) => {
    files["/kit.zip"] = kit(body);
  };
  const resolved = async () => JSON.stringify((await hub.list()).skills.get("kit")?.resolved);
  return { box, hub, change, resolved, first: one.origin, second: two.origin };
}

const host = (origin: string) => new URL(origin).host;

test("an update that a marketplace sends to another host is asked about, and not answered beforehand", async () => {
  const { hub, change, second } = await movedPlugin();
  change("Two.");
  const plan = await hub.planUpdate({ names: [], force: false });
  expect(plan.items[0]?.questions.join()).toContain(`it comes from ${host(second)} now`);
  expect(await hub.apply(plan, { acceptCapabilities: true })).toMatchObject([{ outcome: "declined" }]);
});

test("the same bytes from another host are nothing new, and do not make it the host of other bytes later", async () => {
  const { hub, change, resolved, first, second } = await movedPlugin();
  const same = await hub.planUpdate({ names: [], force: false });
  expect(same.items).toMatchObject([{ action: "unchanged", questions: [] }]);
  await hub.apply(same);
  expect(await resolved()).toContain(first);
  change("Two.");
  const plan = await hub.planUpdate({ names: [], force: false });
  expect(plan.items[0]?.questions.join()).toContain(`it comes from ${host(second)} now`);
});

test.each(["One.", "Two."])("what force says about another host is shown and recorded: %s", async (body) => {
  const { box, hub, change, resolved, second } = await movedPlugin();
  change(body);
  const plan = await hub.planUpdate({ names: [], force: true });
  expect(plan.items).toMatchObject([
    { installed: { overridden: [expect.stringContaining(host(second))] }, questions: [] },
  ]);
  await hub.apply(plan);
  expect(await resolved()).toContain(second);
  const last = readFileSync(auditPath(box.home), "utf8").trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({
    action: "update",
    forced: true,
    reason: expect.stringContaining(`accepted beforehand: it comes from ${host(second)} now`),
  });
});

describe("compareVersions", () => {
  test.each([
    ["1.0.0", "2.0.0", "older"],
    ["1.9.0", "1.10.0", "older"],
    ["1.0", "1.0.0", "same"],
    ["v2", "1.9", "newer"],
    ["1.0.0-beta.2", "1.0.0", "older"],
    ["1.0.0-beta.2", "1.0.0-beta.11", "older"],
    ["1.0.0-alpha", "1.0.0-alpha.1", "older"],
    ["1.0.0-1", "1.0.0-alpha", "older"],
    ["1.0.0+7", "1.0.0+8", "same"],
    ["2026.11.1", "2026.9.30", "newer"],
    ["99999999999999999999.0", "99999999999999999998.0", "newer"],
    ["blue", "blue", "same"],
    ["blue", "green", undefined],
    ["1.0", "latest", undefined],
    ["1.".repeat(200), "1", undefined],
  ] as const)("%s against %s: %s", (left, right, order) => {
    expect(compareVersions(left, right)).toBe(order);
  });

  test("it says the opposite when asked the other way round", () => {
    const version = fc.stringMatching(/^\d{1,2}(\.\d{1,2}){0,3}(-[a-b0-1](\.[a-b0-1]){0,2})?$/);
    const opposite = { older: "newer", newer: "older", same: "same" } as const;
    fc.assert(
      fc.property(version, version, (left, right) => {
        const order = compareVersions(left, right);
        expect(order && opposite[order]).toBe(compareVersions(right, left));
      }),
    );
  });
});
