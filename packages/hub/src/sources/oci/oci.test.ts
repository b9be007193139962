import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeDigestOf } from "@skillet/kit/digest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pushManifest, pushOci, pushSignature } from "../../publish/push-oci.ts";
import { makeSkill, SCRIPT, textFile } from "../../publish/testing/make-skill.ts";
import { verifySignature } from "../../signature/envelope.ts";
import { createKey } from "../../signature/key.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { OciSource } from "../source.ts";
import { OciClient } from "./oci-client.ts";
import { fetchManifest, MANIFEST_TYPE } from "./oci-manifest.ts";
import { openOciSource, resolveOci } from "./open-oci-source.ts";
import { DockerRegistry, dockerRegistryMissing, PUBLISHER } from "./testing/docker-registry.ts";
import { ociContext } from "./testing/oci-context.ts";
import { startTokenService } from "./testing/token-service.ts";

const missing = dockerRegistryMissing();
if (missing !== undefined) console.warn(`Registries are not tested: ${missing}.`);

const skill = { ...makeSkill("pdf-tools", [SCRIPT]), version: "1.0.0", source: "https://example.com/pdf" };

describe.skipIf(missing !== undefined)("against a real registry", () => {
  let registry: DockerRegistry;
  beforeAll(async () => {
    registry = await DockerRegistry.start();
  });
  afterAll(() => registry.stop());
  let count = 0;
  const place = () => ({ registry: registry.host, repository: `skills/pdf-tools-${++count}` });
  const context = (): FetchContext => ociContext([registry.host]);

  test("what was pushed is pulled by tag and by digest, with the same tree and modes", async () => {
    const where = place();
    const pushed = await pushOci({ skill, place: where, tag: "1.0.0", context: context() });
    expect(pushed.treeDigest).toBe(treeDigestOf(skill.files));
    const { digest } = pushed.resolved;
    expect(pushed.resolved).toEqual({ kind: "oci", ...where, tag: "1.0.0", digest });
    for (const reference of [{ tag: "1.0.0" }, { digest }, { tag: "1.0.0", digest }]) {
      const source: OciSource = { kind: "oci", ...where, ...reference };
      expect((await resolveOci(source, context())).digest).toBe(digest);
      const opened = await openOciSource(source, context());
      expect(opened.resolved).toEqual({ kind: "oci", ...where, ...reference, digest });
      expect(opened.entries).toEqual([
        { path: "SKILL.md", mode: "644", size: skill.files[1]!.bytes.length },
        { path: "scripts/run.sh", mode: "755", size: SCRIPT.bytes.length },
      ]);
      const files = await opened.read(opened.entries.map(({ path }) => path));
      expect(treeDigestOf(files)).toBe(pushed.treeDigest);
      expect(await opened.signaturesOf?.("")).toEqual({ envelopes: [], failures: [] });
    }
  });

  test("an Agent Plugin is pushed as what it is, and pulled again", async () => {
    const where = place();
    const $schema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
    const files = [
      textFile("plugin.json", JSON.stringify({ $schema, name: "acme.kit" })),
      textFile("skills/a/SKILL.md", "---\nname: a\ndescription: Does a.\n---\n"),
    ];
    const plugin = { kind: "plugin", name: "acme.kit", description: "Tools.", files } as const;
    const pushed = await pushOci({ skill: plugin, place: where, tag: "1.0.0", context: context() });
    const client = new OciClient({ place: where, context: context(), actions: "pull" });
    const manifest = await fetchManifest(client, "1.0.0");
    expect(manifest?.artifactType).toBe("application/vnd.skillet.agent-plugin.v1");
    expect(manifest?.annotations).not.toHaveProperty("io.agentskills.skill.name");
    const opened = await openOciSource({ kind: "oci", ...where, tag: "1.0.0" }, context());
    const pulled = await opened.read(opened.entries.map(({ path }) => path));
    expect(treeDigestOf(pulled)).toBe(pushed.treeDigest);
  });

  test("the manifest says what it is, in types and annotations", async () => {
    const where = place();
    await pushOci({ skill, place: where, tag: "1.0.0", context: context() });
    const client = new OciClient({ place: where, context: context(), actions: "pull" });
    const manifest = await fetchManifest(client, "1.0.0");
    expect(JSON.parse(String(Buffer.from(manifest!.bytes)))).toEqual({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: "application/vnd.agentskills.skill.v1",
      config: {
        mediaType: "application/vnd.agentskills.skill.config.v1+json",
        digest: expect.any(String),
        size: expect.any(Number),
      },
      layers: [
        {
          mediaType: "application/vnd.agentskills.skill.content.v1.tar+gzip",
          digest: expect.any(String),
          size: expect.any(Number),
        },
      ],
      annotations: {
        "dev.skillet.tree-digest": treeDigestOf(skill.files),
        "io.agentskills.skill.name": "pdf-tools",
        "org.opencontainers.image.description": skill.description,
        "org.opencontainers.image.source": "https://example.com/pdf",
        "org.opencontainers.image.title": "pdf-tools",
        "org.opencontainers.image.version": "1.0.0",
      },
    });
  });

  test("pushing the same again changes nothing; other bytes under the tag need a yes", async () => {
    const where = place();
    const options = { place: where, tag: "1.0.0", context: context() };
    const first = await pushOci({ ...options, skill });
    expect(await pushOci({ ...options, skill })).toEqual(first);
    const changed = { ...makeSkill("pdf-tools", [SCRIPT, textFile("x.md", "x")]), version: "1.0.0" };
    await expect(pushOci({ ...options, skill: changed })).rejects.toMatchObject({
      code: "oci-tag-exists",
      message: expect.stringContaining("--move-tag"),
    });
    const source: OciSource = { kind: "oci", ...where, tag: "1.0.0" };
    expect((await resolveOci(source, context())).digest).toBe(first.resolved.digest);
    const moved = await pushOci({ ...options, skill: changed, existingTag: "move" });
    expect((await resolveOci(source, context())).digest).toBe(moved.resolved.digest);
    const pinned = await openOciSource(source, context(), first.resolved);
    expect(pinned.resolved).toEqual(first.resolved);
    expect(pinned.entries).toHaveLength(2);
  });

  test("signatures are found by the tag that stands in for a list of referrers", async () => {
    const where = place();
    const [key, second] = [createKey(), createKey()];
    const options = { place: where, tag: "1.0.0", context: context(), skill };
    const pushed = await pushOci({ ...options, key });
    expect((await pushOci({ ...options, key: second })).resolved).toEqual(pushed.resolved);
    expect(await pushOci({ ...options, key })).toEqual(pushed);
    const opened = await openOciSource({ kind: "oci", ...where, tag: "1.0.0" }, context());
    const { envelopes = [] } = (await opened.signaturesOf?.("")) ?? {};
    expect(envelopes).toHaveLength(2);
    const verified = envelopes.map((envelope) => verifySignature(envelope, [key, second], pushed.treeDigest));
    expect(verified).toMatchObject([
      { state: "verified", signers: [key.id], statement: { name: "pdf-tools", version: "1.0.0" } },
      { state: "verified", signers: [second.id] },
    ]);
    await expect(
      openOciSource({ kind: "oci", ...where, digest: pushed.signature! }, context()),
    ).rejects.toThrow(/a signature of another artefact/);
  });

  test("what other tools put into that tag stays, and what cannot be read is passed over", async () => {
    const where = place();
    const key = createKey();
    const pushed = await pushOci({ skill, place: where, tag: "1", context: context() });
    const client = new OciClient({ place: where, context: context(), actions: "pull,push" });
    const subject = await fetchManifest(client, "1");
    const foreign = {
      mediaType: MANIFEST_TYPE,
      digest: subject!.digest,
      size: subject!.bytes.length,
      artifactType: "application/x-other",
      annotations: { note: "kept" },
      platform: { os: "any", architecture: "any" },
    };
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests: [foreign] }));
    const tag = pushed.resolved.digest.replace(":", "-");
    await pushManifest(client, { bytes: index, mediaType, reference: tag });
    const junk = { payloadType: "x", payload: "not base64!", signatures: [] };
    await pushSignature(client, {
      subject: subject!.bytes,
      envelope: junk,
    });
    await pushOci({ skill, place: where, tag: "1", context: context(), key });
    const after = await fetchManifest(client, tag);
    expect(JSON.parse(String(Buffer.from(after!.bytes))).manifests[0]).toEqual(foreign);
    expect(after!.manifests).toHaveLength(3);
    const opened = await openOciSource({ kind: "oci", ...where, tag: "1" }, context());
    expect((await opened.signaturesOf?.(""))?.envelopes).toHaveLength(1);
  });

  test("what is not there is said with the reference", async () => {
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "no/such", tag: "1" };
    await expect(resolveOci(source, context())).rejects.toMatchObject({
      code: "oci-not-found",
      message: expect.stringContaining(`oci://${registry.host}/no/such:1`),
    });
  });

  test("a registry on this machine is not spoken to unless that is allowed", async () => {
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "no/such", tag: "1" };
    await expect(resolveOci(source, ociContext([]))).rejects.toMatchObject({ code: "address-refused" });
  });
});

describe.skipIf(missing !== undefined)("against a real registry with passwords", () => {
  let registry: DockerRegistry;
  beforeAll(async () => {
    registry = await DockerRegistry.start("password");
  });
  afterAll(() => registry.stop());
  const place = () => ({ registry: registry.host, repository: "team/pdf-tools" });
  const own = () => ({
    SKILLET_OCI_REGISTRY: registry.host,
    SKILLET_OCI_USERNAME: PUBLISHER.username,
    SKILLET_OCI_PASSWORD: PUBLISHER.password,
  });

  test("the environment's credentials push and pull", async () => {
    const context = ociContext([registry.host], own());
    const { resolved } = await pushOci({ skill, place: place(), tag: "1", context, key: createKey() });
    expect((await openOciSource({ kind: "oci", ...place(), tag: "1" }, context)).resolved).toEqual(resolved);
  });

  test("Docker's own file is read, under any spelling of the registry", async () => {
    const context = ociContext([registry.host], own());
    await pushOci({ skill, place: place(), tag: "1", context });
    for (const name of [registry.host, `https://${registry.host}`, `https://${registry.host}/v2/`]) {
      const auth = Buffer.from(`${PUBLISHER.username}:${PUBLISHER.password}`).toString("base64");
      const reading = withDockerConfig(registry.host, JSON.stringify({ auths: { [name]: { auth } } }));
      expect((await resolveOci({ kind: "oci", ...place(), tag: "1" }, reading)).tag).toBe("1");
    }
  });

  test.each<[string, (host: string) => FetchContext, RegExp]>([
    ["without credentials", (host) => ociContext([host]), /set SKILLET_OCI_REGISTRY=/],
    [
      "with credentials of another registry",
      (host) =>
        ociContext([host], {
          SKILLET_OCI_REGISTRY: "registry.example.com",
          SKILLET_OCI_USERNAME: PUBLISHER.username,
          SKILLET_OCI_PASSWORD: PUBLISHER.password,
        }),
      /set SKILLET_OCI_REGISTRY=/,
    ],
    [
      "with a wrong password",
      (host) =>
        ociContext([host], {
          SKILLET_OCI_REGISTRY: host,
          SKILLET_OCI_USERNAME: PUBLISHER.username,
          SKILLET_OCI_PASSWORD: "hunter2-wrong",
        }),
      /check SKILLET_OCI_USERNAME/,
    ],
    [
      "with a credential helper",
      (host) => withDockerConfig(host, JSON.stringify({ auths: { [host]: {} }, credsStore: "desktop" })),
      /credential helper, which Skillet does not run/,
    ],
  ])("%s it says what to do, and never the password", async (_title, context, message) => {
    const attempt = resolveOci({ kind: "oci", ...place(), tag: "1" }, context(registry.host));
    const error: Error = await attempt.then(
      () => expect.fail("was let in"),
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: "oci-auth-refused", message: expect.stringMatching(message) });
    expect(JSON.stringify([error.message, error.stack, error])).not.toMatch(/hunter2|correct horse/);
  });

  test("a damaged file of Docker's is an error that does not show its content", async () => {
    const context = withDockerConfig(registry.host, '{"auths": "c2VjcmV0');
    const error: Error = await resolveOci({ kind: "oci", ...place(), tag: "1" }, context).then(
      () => expect.fail("was let in"),
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: "oci-credentials-malformed" });
    expect(`${error.message}${String(error.cause)}`).not.toContain("c2VjcmV0");
  });
});

describe.skipIf(missing !== undefined)("against a real registry with a token service", () => {
  test("everybody pulls with a token for pulling, and the publisher pushes", async () => {
    const service = await startTokenService(temporaryDirectory());
    const registry = await DockerRegistry.start(service);
    try {
      const place = { registry: registry.host, repository: "open/pdf-tools" };
      const hosts = [registry.host, new URL(service.realm).host];
      const publisher = ociContext(hosts, {
        SKILLET_OCI_REGISTRY: registry.host,
        SKILLET_OCI_USERNAME: PUBLISHER.username,
        SKILLET_OCI_PASSWORD: PUBLISHER.password,
      });
      const { resolved } = await pushOci({ skill, place, tag: "1", context: publisher, key: createKey() });
      const opened = await openOciSource({ kind: "oci", ...place, tag: "1" }, ociContext(hosts));
      expect(opened.resolved).toEqual(resolved);
      expect((await opened.signaturesOf?.(""))?.envelopes).toHaveLength(1);
      const scopes = service.received.map(({ path }) => new URL(path, "http://x").searchParams.get("scope"));
      expect(new Set(scopes)).toEqual(
        new Set(["repository:open/pdf-tools:pull,push", "repository:open/pdf-tools:pull"]),
      );
      await expect(pushOci({ skill, place, tag: "2", context: ociContext(hosts) })).rejects.toMatchObject({
        code: "oci-auth-refused",
      });
    } finally {
      registry.stop();
    }
  });
});

function withDockerConfig(host: string, text: string): FetchContext {
  const context = ociContext([host]);
  mkdirSync(join(context.home, ".docker"));
  writeFileSync(join(context.home, ".docker/config.json"), text);
  return context;
}
