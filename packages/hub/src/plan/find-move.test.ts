import { readFileSync } from "node:fs";
import { auditPath } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { zipBytes } from "../fetch/archive/testing/zip-bytes.ts";
import { serveFiles } from "../fetch/http/testing/serve.ts";
import type { Resolved } from "../fetch/resolved.ts";
import { hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { findMove } from "./find-move.ts";

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
  expect(plan.items).toMatchObject([{ overridden: [expect.stringContaining(host(second))], questions: [] }]);
  await hub.apply(plan);
  expect(await resolved()).toContain(second);
  const last = readFileSync(auditPath(box.home), "utf8").trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({
    action: "update",
    forced: true,
    reason: expect.stringContaining(`accepted beforehand: it comes from ${host(second)} now`),
  });
});
