import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeSkill } from "../publish/testing/make-skill.ts";
import { writeSite } from "../publish/write-site.ts";
import { createKey, formatPublicKey } from "../signature/key.ts";
import { serve } from "../sources/http/testing/serve.ts";
import { hubSandbox, wanted } from "../testing/hub-sandbox.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { installedSigners } from "./check-signatures.ts";

const [key, stranger] = [createKey(), createKey()];

/** A site whose one skill is signed. */
async function signedSite() {
  const directory = temporaryDirectory();
  await writeSite({ directory, skills: [makeSkill("pdf")], key });
  const { origin, host } = await serve((request, response) => {
    const path = join(directory, request.url ?? "");
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404, { "content-length": 0 }).end();
  });
  return { source: `well-known:${origin}/pdf`, allowedPrivateHosts: [host] };
}

const rules = (...keys: readonly (typeof key)[]) => [
  { sources: "*", keys: keys.map((one) => formatPublicKey(one)) },
];

describe("who signed", () => {
  test("is told of what is planned, installed and lies there, by the keys that the policy names", async () => {
    const { source, allowedPrivateHosts } = await signedSite();
    const box = hubSandbox();
    const signatures = rules(stranger, key);
    const hub = await box.open({ allowedPrivateHosts, signatures });
    const plan = await hub.planInstall(wanted(source));
    expect(plan.items[0]?.signed?.signers).toEqual([key.id]);
    expect(await hub.apply(plan)).toMatchObject([{ outcome: "installed", signedBy: [key.id] }]);
    const entry = (await hub.list()).skills.get("pdf");
    if (entry === undefined) throw new Error("it was not installed");
    const { resolved, digest } = entry;
    const places = { home: box.home, userHome: box.userHome, root: hub.root };
    const lying = { ...places, name: "pdf", source: entry.source, resolved, digest };
    expect(await installedSigners({ ...lying, signatures })).toEqual([key.id]);
    expect(await installedSigners({ ...lying, signatures: rules(key) })).toEqual([key.id]);
    expect(await installedSigners({ ...lying, signatures: rules(stranger) })).toEqual([]);
    expect(await installedSigners({ ...lying, signatures: [] })).toEqual([]);
    expect(await installedSigners({ ...lying, signatures, name: "other" })).toEqual([]);
    expect(await installedSigners({ ...lying, signatures, digest: `sha256:${"0".repeat(64)}` })).toEqual([]);
  });

  test("is told again when it is brought back from what was kept", async () => {
    const { source, allowedPrivateHosts } = await signedSite();
    const box = hubSandbox();
    const hub = await box.open({ allowedPrivateHosts, signatures: rules(key) });
    await hub.apply(await hub.planInstall(wanted(source)));
    const away = await box.open({ signatures: rules(key) });
    expect((await away.planRestore({ names: [], force: false })).items[0]?.signed?.signers).toEqual([key.id]);
  });

  test("is not told where no rule asks, whatever signatures there are", async () => {
    const { source, allowedPrivateHosts } = await signedSite();
    const hub = await hubSandbox().open({ allowedPrivateHosts });
    const [result] = await hub.apply(await hub.planInstall(wanted(source)));
    expect(result?.outcome).toBe("installed");
    expect(result).not.toHaveProperty("signedBy");
  });
});
