import { digestBytes } from "@skillet/core";
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
])("%j and %j come from the same", (before, after) => {
  expect(findMove(before, after)).toBeUndefined();
});

test.each([
  [git("https://github.com/acme/one"), git("https://github.com/evil/one")],
  [git("https://github.com/acme/one"), git("https://gitlab.com/acme/one")],
  [git("https://github.com/acme/one"), archive("https://evil.example/one.zip")],
  [archive("https://example.com/one.zip"), archive("https://example.com:8443/one.zip")],
  [{ kind: "local", path: "/a" } as const, git("https://github.com/acme/one")],
  [
    { kind: "npm", name: "@acme/one", version: "1.0.0", integrity: "" } as const,
    { kind: "npm", name: "acme-one", version: "1.0.0", integrity: "" } as const,
  ],
])("%j and %j do not", (before, after) => {
  expect(findMove(before, after)).toContain("now");
});

test("an update that a marketplace sends to another host is asked about, and not answered beforehand", async () => {
  const box = hubSandbox();
  const kit = (body: string) =>
    zipBytes([
      { name: ".claude-plugin/plugin.json", content: '{"name":"kit"}' },
      { name: "skills/a/SKILL.md", content: skillText("a", body) },
    ]);
  const one = await serveFiles({ "/kit.zip": kit("One.") });
  const two = await serveFiles({ "/kit.zip": kit("Two.") });
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
  const plan = await hub.planUpdate({ names: [], force: false });
  expect(plan.items[0]?.questions.join()).toContain(`it comes from ${new URL(two.origin).host} now`);
  expect(await hub.apply(plan, { acceptCapabilities: true })).toMatchObject([{ outcome: "declined" }]);
});
