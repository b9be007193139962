import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HubOptions } from "../hub-options.ts";
import { writeSite } from "../publish/write-site.ts";
import { signTree } from "../signature/envelope.ts";
import { createKey, formatPublicKey } from "../signature/key.ts";
import { serve } from "../sources/http/testing/serve.ts";
import { hubSandbox, person, skillText, wanted } from "../testing/hub-sandbox.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { checkSignatures } from "./check-signatures.ts";

const INDEX = ".well-known/agent-skills/index.json";
const key = createKey();

/** A signed site; an attacker who holds it, but not the key, can serve another folder or change its index. */
async function signedSite() {
  const state = { directory: temporaryDirectory(), index: undefined as string | undefined };
  const { origin, host } = await serve((request, response) => {
    const path = join(state.directory, request.url ?? "");
    if (request.url === `/${INDEX}` && state.index !== undefined) response.end(state.index);
    else if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404, { "content-length": 0 }).end();
  });
  const options: Partial<HubOptions> = {
    allowedPrivateHosts: [host],
    signatures: [{ sources: "*", keys: [formatPublicKey(key)] }],
  };
  return { state, options, source: (name: string) => `well-known:${origin}/${name}` };
}

async function publish(directory: string, name: string, version?: string, body = `Version ${version}.`) {
  const header = version === undefined ? "" : `metadata:\n  version: "${version}"\n`;
  const bytes = Buffer.from(skillText(name, body, header));
  const files = [{ path: "SKILL.md", mode: "644", bytes }] as const;
  const skill = { name, description: `Does ${name}.`, files, ...(version !== undefined && { version }) };
  await writeSite({ directory, skills: [skill], key });
}

describe("what a publisher signed", () => {
  test("is one skill: its bytes do not pass for another one of the same publisher", async () => {
    const { state, options, source } = await signedSite();
    for (const name of ["alpha", "beta"]) await publish(state.directory, name, "1.0.0");
    const hub = await hubSandbox().open(options);
    await hub.apply(await hub.planInstall(wanted(source("alpha"))));
    const { skills, ...index } = JSON.parse(readFileSync(join(state.directory, INDEX), "utf8"));
    state.index = JSON.stringify({ ...index, skills: [{ ...skills[1], name: "alpha" }] });
    const plan = await hub.planUpdate({ names: ["alpha"], force: false });
    expect(plan).toMatchObject({ items: [], refusals: [{ name: "alpha", code: "signature-missing" }] });
    expect(plan.refusals[0]?.reason).toContain('"beta"');
    const fresh = await hubSandbox().open(options);
    expect((await fresh.planInstall(wanted(source("alpha")))).refusals).toMatchObject([
      { code: "signature-missing" },
    ]);
  });

  test("is what was installed: news by another name are refused where no index names them", async () => {
    const candidate = {
      name: "beta",
      digest: `sha256:${"1".repeat(64)}`,
      resolved: { kind: "oci", registry: "r.example", repository: "x", digest: `sha256:${"2".repeat(64)}` },
    } as const;
    const envelope = signTree({ key, statement: { name: "beta", treeDigest: candidate.digest } });
    const signatures = [{ sources: "oci://*", keys: [formatPublicKey(key)] }];
    const check = (installedName: string) =>
      checkSignatures(
        { signatures, root: "/", userHome: "/" },
        {
          item: candidate,
          installedName,
          sources: [],
          findEnvelopes: async () => ({ envelopes: [envelope], failures: [] }),
        },
      );
    expect(await check("alpha")).toHaveProperty("problem");
    expect(await check("beta")).toMatchObject({ signed: { statements: [{ name: "beta" }] } });
  });

  test.each([
    ["an older version", "2.0.0", "1.0.0", "newer"],
    ["one without a version", "2.0.0", undefined, "without a version"],
    ["one whose version cannot be compared", "2.0.0", "blue", "cannot be determined"],
  ])("%s is asked about, and no yes beforehand counts for it", async (_title, installed, next, words) => {
    const { state, options, source } = await signedSite();
    await publish(state.directory, "x", installed);
    const box = hubSandbox();
    const hub = await box.open(options);
    await hub.apply(await hub.planInstall(wanted(source("x"))));
    state.directory = temporaryDirectory();
    await publish(state.directory, "x", next);
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items).toMatchObject([{ action: "update", questions: [expect.stringContaining(words)] }]);
    expect(await hub.apply(plan, { acceptCapabilities: true })).toMatchObject([{ outcome: "declined" }]);
    const again = await hub.planInstall(wanted(source("x")));
    expect(again.items).toMatchObject([{ questions: [expect.stringContaining(words)] }]);
    const { ask, asked } = person("yes");
    const asking = await box.open({ ...options, ask });
    const news = await asking.planUpdate({ names: [], force: false });
    expect(await asking.apply(news)).toMatchObject([{ outcome: "updated" }]);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["1.0.0", "1.0.1"],
    ["1.0.0", "1.0.0"],
    [undefined, "1.0.0"],
    [undefined, undefined],
  ])("after %s comes %s without a question, and so does going back", async (installed, next) => {
    const { state, options, source } = await signedSite();
    await publish(state.directory, "x", installed, "One.");
    const hub = await hubSandbox().open(options);
    await hub.apply(await hub.planInstall(wanted(source("x"))));
    await publish(state.directory, "x", next, "Two.");
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items).toMatchObject([{ action: "update", questions: [] }]);
    await hub.apply(plan);
    const back = await hub.planRollback({ name: "x", force: false });
    expect(back).toMatchObject({ items: [{ action: "rollback", questions: [] }], refusals: [] });
  });

  test("is asked about also under another name, and with force no one is asked", async () => {
    const { state, options, source } = await signedSite();
    await publish(state.directory, "x", "1.0.0");
    const hub = await hubSandbox().open(options);
    await hub.apply(await hub.planInstall(wanted(source("x"), { as: "y" })));
    const first = state.directory;
    state.directory = temporaryDirectory();
    await publish(state.directory, "x", "2.0.0");
    expect(await hub.apply(await hub.planUpdate({ names: [], force: false }))).toMatchObject([
      { name: "y", outcome: "updated" },
    ]);
    state.directory = first;
    const news = async (force: boolean) => (await hub.planUpdate({ names: [], force })).items[0]?.questions;
    expect([await news(false), await news(true)]).toEqual([[expect.stringContaining("newer")], []]);
  });

  test("comes back under another name from its source", async () => {
    const { state, options, source } = await signedSite();
    await publish(state.directory, "x", "1.0.0");
    const box = hubSandbox();
    const hub = await box.open(options);
    await hub.apply(await hub.planInstall(wanted(source("x"), { as: "y" })));
    rmSync(join(box.project, ".agents"), { recursive: true });
    expect(await hub.apply(await hub.planRestore({ names: [], force: false }))).toMatchObject([
      { name: "y", outcome: "restored" },
    ]);
  });
});
