import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { TreeFile } from "@skillet/core";
import { afterAll, describe, expect, test } from "vitest";
import type { Hub } from "../open-hub.ts";
import { pushOci } from "../publish/push-oci.ts";
import { packTarGz } from "../publish/skill-to-publish.ts";
import { writeSite } from "../publish/write-site.ts";
import { createKey, formatPublicKey } from "../signature/key.ts";
import { GitFixture, gitMissing } from "../sources/git/testing/git-fixture.ts";
import { serve } from "../sources/http/testing/serve.ts";
import { DockerRegistry, dockerRegistryMissing } from "../sources/oci/testing/docker-registry.ts";
import { ociContext } from "../sources/oci/testing/oci-context.ts";
import { tarBytes } from "../sources/testing/tar-bytes.ts";
import { zipBytes } from "../sources/testing/zip-bytes.ts";
import { hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

const git = new GitFixture();
afterAll(() => git.remove());
const NO_REGISTRY = dockerRegistryMissing();
if (NO_REGISTRY !== undefined) console.warn(`Registries are not tested: ${NO_REGISTRY}.`);

const outcomes = (results: readonly { readonly name: string; readonly outcome: string }[]) =>
  results.map(({ name, outcome }) => `${name} ${outcome}`);
const tree = (name: string, body?: string): readonly TreeFile[] => [
  { path: "SKILL.md", mode: "644", bytes: Buffer.from(skillText(name, body)) },
  { path: "references/more.md", mode: "644", bytes: Buffer.from(`More about ${name}.\n`) },
];

/** Serves what a map holds at the time. */
async function serveMap(files: Map<string, Uint8Array | string>) {
  return serve((request, response) => {
    const body = files.get(request.url ?? "");
    if (body === undefined) response.writeHead(404, { "content-length": 0 }).end();
    else response.writeHead(200, { "content-length": Buffer.byteLength(body) }).end(body);
  });
}

/** Serves the files of a folder as they are at the time. */
async function serveFolder(directory: string) {
  return serve((request, response) => {
    const path = join(directory, request.url ?? "");
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404, { "content-length": 0 }).end();
  });
}

/** Installs, restores without the store, sees news, updates, goes back and removes. */
async function walk(
  more: Parameters<ReturnType<typeof hubSandbox>["open"]>[0],
  source: string,
  publish: (body: string) => Promise<void> | void,
): Promise<void> {
  const box = hubSandbox();
  await publish("One.");
  const hub: Hub = await box.open(more);
  const text = () => readFileSync(join(box.project, ".agents/skills/x/SKILL.md"), "utf8");
  expect(outcomes(await hub.apply(await hub.planInstall(wanted(source))))).toEqual(["x installed"]);
  expect(text()).toContain("One.");
  const lock = readFileSync(hub.lockFile, "utf8");
  for (const folder of [join(box.project, ".agents"), join(box.home, "store")])
    rmSync(folder, { recursive: true });
  expect(outcomes(await hub.apply(await hub.planRestore({ names: [], force: false })))).toEqual([
    "x restored",
  ]);
  expect(readFileSync(hub.lockFile, "utf8")).toBe(lock);
  expect(await hub.outdated([])).toMatchObject([{ state: "current" }]);
  expect(outcomes(await hub.apply(await hub.planUpdate({ names: [], force: false })))).toEqual([
    "x unchanged",
  ]);
  expect(readFileSync(hub.lockFile, "utf8")).toBe(lock);
  await publish("Two.");
  expect(await hub.outdated([])).toMatchObject([{ state: "outdated" }]);
  expect(outcomes(await hub.apply(await hub.planUpdate({ names: [], force: false })))).toEqual(["x updated"]);
  expect(text()).toContain("Two.");
  expect(outcomes(await hub.apply(await hub.planRollback({ name: "x", force: false })))).toEqual([
    "x rolled-back",
  ]);
  expect(readFileSync(hub.lockFile, "utf8")).toBe(lock);
  expect(await hub.verify([])).toMatchObject([{ drift: [] }]);
  expect(outcomes(await hub.remove({ names: ["x"], discardEdits: false, dryRun: false }))).toEqual([
    "x removed",
  ]);
  const quarantined = readdirSync(join(box.home)).includes("quarantine")
    ? readdirSync(join(box.home, "quarantine"))
    : [];
  expect(quarantined.filter((name) => name.startsWith("fetch-"))).toEqual([]);
}

describe("the whole walk", () => {
  test("from a folder", async () => {
    const folder = temporaryDirectory();
    await walk({}, folder, (body) => writeFiles(folder, { "x/SKILL.md": skillText("x", body) }));
  });

  test.skipIf(gitMissing())("from a repository", async () => {
    const repo = git.repository("walk");
    await walk({}, repo.url, (body) => void repo.commit({ "skills/x/SKILL.md": skillText("x", body) }));
  });

  test("from an archive of this machine", async () => {
    const folder = temporaryDirectory();
    await walk({}, join(folder, "x.skill"), (body) =>
      writeFiles(folder, {
        "x.skill": zipBytes(tree("x", body).map(({ path, bytes }) => ({ name: path, content: bytes }))),
      }),
    );
  });

  test("from an archive by its address", async () => {
    const files = new Map<string, Uint8Array>();
    const { origin, host } = await serveMap(files);
    await walk({ allowedPrivateHosts: [host] }, `${origin}/x.tar.gz`, (body) => {
      files.set("/x.tar.gz", packTarGz(tree("x", body)));
    });
  });

  test("from a SKILL.md by its address", async () => {
    const files = new Map<string, string>();
    const { origin, host } = await serveMap(files);
    await walk({ allowedPrivateHosts: [host] }, `${origin}/x/SKILL.md`, (body) => {
      files.set("/x/SKILL.md", skillText("x", body));
    });
  });

  test("from a well-known site", async () => {
    const directory = temporaryDirectory();
    const { origin, host } = await serveFolder(directory);
    await walk({ allowedPrivateHosts: [host] }, `well-known:${origin}/x`, async (body) => {
      await writeSite({ directory, skills: [{ name: "x", description: "Does x.", files: tree("x", body) }] });
    });
  });

  test("from a package", async () => {
    const versions = new Map<string, Uint8Array>();
    const { origin, host } = await serve((request, response) => {
      const version = /^\/-\/p-(.+)\.tgz$/.exec(request.url ?? "")?.[1];
      if (version !== undefined) return void response.end(versions.get(version));
      const listed = [...versions].map(([number, bytes]) => {
        const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
        return [number, { version: number, dist: { tarball: `${origin}/-/p-${number}.tgz`, integrity } }];
      });
      const latest = [...versions.keys()].at(-1);
      response.end(
        JSON.stringify({ name: "p", "dist-tags": { latest }, versions: Object.fromEntries(listed) }),
      );
    });
    const environment = { PATH: process.env.PATH, HOME: temporaryDirectory(), npm_config_registry: origin };
    await walk({ allowedPrivateHosts: [host], environment }, "npm:p", (body) => {
      const content = [
        { name: "package/package.json", content: '{"name":"p"}' },
        { name: "package/skills/x/SKILL.md", content: skillText("x", body) },
      ];
      versions.set(`1.0.${versions.size}`, gzipSync(tarBytes(content)));
    });
  });

  test.skipIf(NO_REGISTRY !== undefined)("from a registry of artefacts", async () => {
    const registry = await DockerRegistry.start();
    try {
      const place = { registry: registry.host, repository: "skills/x" };
      await walk(
        { allowedPrivateHosts: [registry.host] },
        `oci://${registry.host}/skills/x:latest`,
        async (body) => {
          const skill = { name: "x", description: "Does x.", files: tree("x", body) };
          await pushOci({
            skill,
            place,
            tag: "latest",
            context: ociContext([registry.host]),
            existingTag: "move",
          });
        },
      );
    } finally {
      registry.stop();
    }
  });
});

describe("signatures that a policy asks for", () => {
  const site = async (key?: ReturnType<typeof createKey>) => {
    const directory = temporaryDirectory();
    const { origin, host } = await serveFolder(directory);
    const skills = [{ name: "x", description: "Does x.", files: tree("x") }];
    await writeSite({ directory, skills, ...(key && { key }) });
    return { origin, host };
  };
  const rule = (key: ReturnType<typeof createKey>, sources = "*") => [
    { sources, keys: [formatPublicKey(key)] },
  ];

  test("must be there, and by the right key; without a rule no one asks", async () => {
    const [right, wrong] = [createKey(), createKey()];
    const { origin, host } = await site(right);
    const box = hubSandbox();
    const plan = async (signatures: ReturnType<typeof rule>, source = `well-known:${origin}/x`) =>
      (await box.open({ allowedPrivateHosts: [host], signatures })).planInstall(wanted(source));
    expect((await plan(rule(wrong))).refusals).toMatchObject([{ code: "signature-missing" }]);
    expect((await plan(rule(right))).refusals).toEqual([]);
    expect((await plan(rule(wrong, "oci://*"))).refusals).toEqual([]);
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    expect((await plan(rule(right), "./src/x")).refusals).toMatchObject([{ code: "signature-missing" }]);
  });

  test("are kept, so that an install from the lock and going back need no source", async () => {
    const key = createKey();
    const { origin, host } = await site(key);
    const box = hubSandbox();
    const options = { allowedPrivateHosts: [host], signatures: rule(key) };
    const hub = await box.open(options);
    await hub.apply(await hub.planInstall(wanted(`well-known:${origin}/x`)));
    rmSync(join(box.project, ".agents"), { recursive: true });
    const offline = await box.open({ signatures: rule(key) });
    expect(outcomes(await offline.apply(await offline.planRestore({ names: [], force: false })))).toEqual([
      "x restored",
    ]);
    rmSync(join(box.home, "signatures"), { recursive: true });
    const plan = await offline.planRestore({ names: [], force: false });
    expect(plan.refusals).toMatchObject([{ code: "signature-missing" }]);
    const stricter = await box.open({ ...options, signatures: rule(createKey()) });
    expect((await stricter.planRestore({ names: [], force: false })).refusals).toMatchObject([
      { code: "signature-missing" },
    ]);
  });

  test("are about what was published, so a skill may be renamed on the way", async () => {
    const key = createKey();
    const { origin, host } = await site(key);
    const box = hubSandbox();
    const hub = await box.open({ allowedPrivateHosts: [host], signatures: rule(key) });
    const plan = await hub.planInstall(wanted(`well-known:${origin}/x`, { as: "y" }));
    expect(outcomes(await hub.apply(plan))).toEqual(["y installed"]);
  });
});
