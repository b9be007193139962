import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pushOci } from "../../publish/push-oci.ts";
import { packTarGz } from "../../publish/skill-to-publish.ts";
import { makeSkill, SCRIPT } from "../../publish/testing/make-skill.ts";
import { createKey } from "../../signature/key.ts";
import type { OciSource } from "../source.ts";
import { parseOciChallenge } from "./oci-client.ts";
import { openOciSource, resolveOci } from "./open-oci-source.ts";
import { ociContext } from "./testing/oci-context.ts";
import { type ReceivedRequest, type ScriptedAnswer, scriptedServer } from "./testing/scripted-server.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const INDEX = "application/vnd.oci.image.index.v1+json";
const CONTENT = "application/vnd.agentskills.skill.content.v1.tar+gzip";
const LAYER = packTarGz(makeSkill("pdf-tools", [SCRIPT]).files);
const SECRETS = /very-secret|dmVyeS1zZWNyZXQ/;

type Answers = (request: ReceivedRequest) => ScriptedAnswer | undefined;

describe("a registry that is not honest", () => {
  test("an honest one is pulled from, so that what follows is refused for its own sake", async () => {
    const { open, resolve } = await registryOf({});
    expect((await open()).entries).toHaveLength(2);
    expect((await resolve()).digest).toBe(digestBytes(Buffer.from(manifestText({}))));
  });

  test("a manifest with another digest than asked for is refused", async () => {
    const digest: Digest = `sha256:${"a".repeat(64)}`;
    const { open } = await registryOf({});
    await expect(open({ digest })).rejects.toMatchObject({ code: "oci-digest-mismatch" });
  });

  test("a manifest that changed since it was locked is refused, though the tag is the same", async () => {
    const { host, context } = await registryOf({});
    const source: OciSource = { kind: "oci", registry: host, repository: "x/y", tag: "1" };
    const expected = { ...source, digest: `sha256:${"b".repeat(64)}` } as const;
    await expect(openOciSource(source, context, expected)).rejects.toMatchObject({
      code: "oci-digest-mismatch",
    });
  });

  test("a registry that states another digest than its bytes have is refused", async () => {
    const headers = { "docker-content-digest": `sha256:${"c".repeat(64)}` };
    const { open } = await registryOf({ manifestHeaders: headers });
    await expect(open()).rejects.toMatchObject({ code: "oci-digest-mismatch" });
  });

  test("a layer with other bytes of the same length is refused before it is unpacked", async () => {
    const other = Buffer.from(LAYER);
    other[20] = (other[20]! + 1) % 256;
    const { open } = await registryOf({ layerServed: other });
    await expect(open()).rejects.toMatchObject({ code: "oci-digest-mismatch" });
  });

  test.each<[string, object, string]>([
    ["too small", { size: LAYER.length - 1 }, "http-too-large"],
    ["too large", { size: LAYER.length + 1 }, "oci-digest-mismatch"],
    ["beyond the limit", { size: 2 ** 40 }, "oci-blob-too-large"],
    ["negative", { size: -1 }, "oci-manifest-malformed"],
    ["a text", { size: "12" }, "oci-manifest-malformed"],
  ])("a size that is %s is refused", async (_title, layer, code) => {
    const { open } = await registryOf({ manifest: manifestText({ layer }) });
    await expect(open()).rejects.toMatchObject({ code });
  });

  test("a layer that unpacks to very much more is refused in bounded memory", async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
    const layer = { digest: digestBytes(bomb), size: bomb.length };
    const { open } = await registryOf({ manifest: manifestText({ layer }), layerServed: bomb });
    await expect(open()).rejects.toMatchObject({ code: "archive-refused" });
  });

  test("a tree with another digest than its manifest says is refused", async () => {
    const annotations = { "dev.skillet.tree-digest": `sha256:${"d".repeat(64)}` };
    const { open } = await registryOf({ manifest: manifestText({ rest: { annotations } }) });
    await expect(open()).rejects.toMatchObject({
      code: "oci-digest-mismatch",
      message: expect.stringContaining("says that its files have the digest"),
    });
  });

  test.each<[string, string, string, RegExp]>([
    [
      "an image index",
      JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [] }),
      INDEX,
      /an image index of 0/,
    ],
    [
      "a collection",
      JSON.stringify({
        schemaVersion: 2,
        mediaType: INDEX,
        manifests: [],
        artifactType: "application/vnd.agentskills.collection.v1",
      }),
      INDEX,
      /a collection of 0 skills/,
    ],
    [
      "a container image",
      manifestText({ rest: { artifactType: undefined }, config: "application/vnd.oci.image.config.v1+json" }),
      MANIFEST,
      /a container image/,
    ],
    [
      "something else",
      manifestText({ rest: { artifactType: "application/x-helm" } }),
      MANIFEST,
      /application\/x-helm/,
    ],
  ])("%s is named for what it is", async (_title, manifest, type, message) => {
    const { open } = await registryOf({ manifest, manifestHeaders: { "content-type": type } });
    await expect(open()).rejects.toMatchObject({
      code: "oci-not-a-skill",
      message: expect.stringMatching(message),
    });
  });

  test.each<[string, string]>([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["layers and manifests at once", manifestText({ rest: { manifests: [] } })],
    ["two layers", manifestText({ rest: { layers: [layerOf({}), layerOf({})] } })],
    ["no layer", manifestText({ rest: { layers: [] } })],
    ["a layer of another type", manifestText({ layer: { mediaType: "application/x-sh" } })],
    ["a digest of another kind", manifestText({ layer: { digest: "md5:0123" } })],
    ["a digest that is a path", manifestText({ layer: { digest: "sha256:../../../secret" } })],
    ["another media type inside", manifestText({ rest: { mediaType: INDEX } })],
  ])("a manifest with %s is refused", async (_title, manifest) => {
    const { open } = await registryOf({ manifest });
    await expect(open()).rejects.toMatchObject({ code: "oci-manifest-malformed" });
  });

  test("a manifest of many megabytes is not read", async () => {
    const { open } = await registryOf({ manifest: " ".repeat(5 * 1024 * 1024) });
    await expect(open()).rejects.toMatchObject({ code: "http-too-large" });
  });

  test("the other convention's type is understood, with any archive as its layer", async () => {
    const manifest = manifestText({
      rest: { artifactType: "application/vnd.agent.skill.v1+json" },
      layer: { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip" },
    });
    const { open } = await registryOf({ manifest });
    expect((await open()).entries).toHaveLength(2);
  });

  test.each([
    ["registry", { registry: "127.0.0.1:80/x" }],
    ["registry", { registry: "me:pass@example.com" }],
    ["registry", { registry: "example.com:99999" }],
    ["registry", { registry: "" }],
    ["repository", { repository: "../../etc" }],
    ["repository", { repository: "Upper/Case" }],
    ["repository", { repository: "a?b" }],
    ["tag", { tag: "../x" }],
    ["digest", { digest: "sha256:zz" }],
  ])("a %s that would lead elsewhere is refused before anything is sent", async (_title, change) => {
    const { host, context, received } = await registryOf({});
    const source: OciSource = { kind: "oci", registry: host, repository: "x/y", tag: "1", ...change };
    await expect(resolveOci(source, context)).rejects.toMatchObject({ code: "oci-reference-malformed" });
    expect(received).toEqual([]);
  });
});

test.each(["", "../x", `sha256:${"a".repeat(64)}`, `sha256-${"a".repeat(64)}`, "x".repeat(129)])(
  "nothing is pushed to the tag %j",
  async (tag) => {
    const { host, context, received } = await registryOf({});
    const place = { registry: host, repository: "x/y" };
    await expect(pushOci({ skill: makeSkill("notes"), place, tag, context })).rejects.toMatchObject({
      code: "oci-reference-malformed",
    });
    expect(received).toEqual([]);
  },
);

describe("credentials", () => {
  const environment = (host: string) => ({
    SKILLET_OCI_REGISTRY: host,
    SKILLET_OCI_USERNAME: "me",
    SKILLET_OCI_PASSWORD: "very-secret",
  });

  test("a blob that is served elsewhere gets neither token nor password", async () => {
    const elsewhere = await scriptedServer(() => ({ body: LAYER }));
    const token = await scriptedServer(() => ({ body: '{"token":"very-secret-token"}' }));
    const registry = await scriptedServer((request) => {
      if (request.headers.authorization !== "Bearer very-secret-token")
        return challenge(`Bearer realm="${token.url}/token",service="x"`);
      if (request.path.includes("/blobs/"))
        return { status: 307, headers: { location: `${elsewhere.url}/blob` } };
      return { body: manifestText({}), headers: { "content-type": MANIFEST } };
    });
    const hosts = [registry.host, token.host, elsewhere.host];
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "x/y", tag: "1" };
    const opened = await openOciSource(source, ociContext(hosts, environment(registry.host)));
    expect(opened.entries).toHaveLength(2);
    expect(elsewhere.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/blob", undefined],
    ]);
    expect(token.received).toHaveLength(1);
  });

  test("another host that asks for credentials on the way gets none", async () => {
    const elsewhere = await scriptedServer(() => challenge('Basic realm="x"'));
    const registry = await scriptedServer(({ path }) =>
      path.includes("/blobs/")
        ? { status: 307, headers: { location: `${elsewhere.url}/blob` } }
        : { body: manifestText({}), headers: { "content-type": MANIFEST } },
    );
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "x/y", tag: "1" };
    const context = ociContext([registry.host, elsewhere.host], environment(registry.host));
    await expect(openOciSource(source, context)).rejects.toMatchObject({ code: "oci-auth-refused" });
    expect(elsewhere.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test("a token service at an address of this machine that is not allowed gets nothing", async () => {
    const inside = await scriptedServer(() => ({ body: '{"token":"x"}' }));
    const registry = await scriptedServer(() => challenge(`Bearer realm="${inside.url}/latest/meta-data"`));
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "x/y", tag: "1" };
    const context = ociContext([registry.host], environment(registry.host));
    await expect(resolveOci(source, context)).rejects.toMatchObject({ code: "address-refused" });
    expect(inside.received).toEqual([]);
  });

  test.each([
    ["without TLS", 'Bearer realm="http://auth.example.com/token"'],
    ["that is not an address", 'Bearer realm="nonsense"'],
    ["that is a file", 'Bearer realm="file:///etc/passwd"'],
    ["of an unknown kind", "Negotiate abc"],
    ["that is empty", ""],
  ])("a sign-in %s is refused", async (_title, header) => {
    const registry = await scriptedServer(() => challenge(header));
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "x/y", tag: "1" };
    const context = ociContext([registry.host], environment(registry.host));
    await expect(resolveOci(source, context)).rejects.toMatchObject({ code: "oci-auth-refused" });
    expect(registry.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test.each([
    ["no JSON", "very-secret"],
    ["no token", "{}"],
    ["a token that would end the header", JSON.stringify({ token: "very-secret\r\nx: y" })],
    ["null", "null"],
  ])("a token service that answers with %s is refused, and its answer not shown", async (_title, body) => {
    const token = await scriptedServer(() => ({ body }));
    const registry = await scriptedServer(() => challenge(`Bearer realm="${token.url}/t"`));
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "x/y", tag: "1" };
    const context = ociContext([registry.host, token.host], environment(registry.host));
    const error: Error = await resolveOci(source, context).then(
      () => expect.fail("was let in"),
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: "oci-auth-refused" });
    expect(JSON.stringify([error.message, error.stack, error.cause, error])).not.toMatch(SECRETS);
  });

  test("a registry that never lets in is asked twice and no more", async () => {
    const registry = await scriptedServer(() => challenge('Basic realm="x"'));
    const source: OciSource = { kind: "oci", registry: registry.host, repository: "x/y", tag: "1" };
    const context = ociContext([registry.host], environment(registry.host));
    await expect(resolveOci(source, context)).rejects.toMatchObject({ code: "oci-auth-refused" });
    expect(registry.received).toHaveLength(2);
  });

  test("an upload that is wanted elsewhere goes there without credentials, and never without TLS", async () => {
    const elsewhere = await scriptedServer(() => ({ status: 201 }));
    const skill = makeSkill("pdf-tools", [SCRIPT]);
    const push = async (location: string): Promise<unknown> => {
      const registry = await scriptedServer((request) => {
        if (request.headers.authorization === undefined) return challenge('Basic realm="x"');
        if (request.method === "POST") return { status: 202, headers: { location } };
        return request.method === "PUT" ? { status: 201 } : { status: 404 };
      });
      const context = ociContext([registry.host, elsewhere.host], environment(registry.host));
      const place = { registry: registry.host, repository: "x/y" };
      return pushOci({ skill, place, tag: "1", context }).catch((error: unknown) => error);
    };
    expect(await push(`${elsewhere.url}/upload?state=a%2Fb`)).toMatchObject({ resolved: { tag: "1" } });
    expect(elsewhere.received.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    expect(elsewhere.received[0]!.path).toMatch(/^\/upload\?state=a%2Fb&digest=sha256%3A[0-9a-f]{64}$/);
    expect(await push("/relative/upload")).toMatchObject({ resolved: { tag: "1" } });
    for (const location of ["http://uploads.example.com/x", "ftp://x", "http://["])
      expect(await push(location)).toMatchObject({ code: "oci-push-refused" });
  });
});

describe("a registry with a list of referrers", () => {
  test("gets the signature by its subject alone, and gives it back", async () => {
    const stored = new Map<string, Buffer>();
    const registry = await scriptedServer(({ method, path, body }) => {
      if (method === "POST") return { status: 202, headers: { location: "/upload" } };
      const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
      if (method === "PUT") {
        stored.set(digest, body);
        stored.set(path.split("/").at(-1)!, body);
        const isSigned = path.includes("/manifests/") && String(body).includes('"subject"');
        return { status: 201, headers: isSigned ? { "oci-subject": "yes" } : {} };
      }
      if (path.includes("/referrers/"))
        return { body: referrersOf(stored), headers: { "content-type": INDEX } };
      const found = stored.get(path.split("/").at(-1)!);
      const type = path.includes("/manifests/") ? { "content-type": MANIFEST } : {};
      return found === undefined ? { status: 404 } : { body: found, headers: type };
    });
    const [key, context] = [createKey(), ociContext([registry.host])];
    const place = { registry: registry.host, repository: "x/y" };
    const { resolved } = await pushOci({ skill: makeSkill("notes"), place, tag: "1", context, key });
    expect([...stored.keys()].filter((name) => name.startsWith("sha256-"))).toEqual([]);
    const opened = await openOciSource({ kind: "oci", ...place, digest: resolved.digest }, context);
    expect(await opened.signaturesOf?.("")).toMatchObject({
      envelopes: [{ signatures: [{ keyid: key.id }] }],
    });
  });

  test("a signature that refers to something else is passed over", async () => {
    const foreign = JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      artifactType: "application/vnd.skillet.signature.v1",
      layers: [{ ...layerOf({}), mediaType: "application/vnd.dsse.envelope.v1+json" }],
      subject: { mediaType: MANIFEST, digest: `sha256:${"e".repeat(64)}`, size: 1 },
    });
    const { open } = await registryOf({
      answers: ({ path }) => {
        if (path.includes(digestBytes(Buffer.from(foreign))))
          return { body: foreign, headers: { "content-type": MANIFEST } };
        const entry = {
          mediaType: MANIFEST,
          digest: digestBytes(Buffer.from(foreign)),
          size: foreign.length,
        };
        const manifests = [{ ...entry, artifactType: "application/vnd.skillet.signature.v1" }];
        return path.includes("/referrers/")
          ? { body: JSON.stringify({ mediaType: INDEX, manifests }), headers: { "content-type": INDEX } }
          : undefined;
      },
    });
    expect(await (await open()).signaturesOf?.("")).toEqual({ envelopes: [], failures: [] });
  });
});

describe("a registry without a list of referrers", () => {
  /** One in which another publisher's put takes entries of the tag away again, as often as told. */
  const forgetful = async (times: number) => {
    const stored = new Map<string, Buffer>();
    let left = times;
    const registry = await scriptedServer(({ method, path, body }) => {
      if (method === "POST") return { status: 202, headers: { location: "/upload" } };
      const reference = path.split("/").at(-1)!;
      if (method === "PUT") {
        const isTag = reference.startsWith("sha256-");
        if (!isTag || left-- <= 0) stored.set(reference, body);
        return { status: 201 };
      }
      const found = stored.get(reference);
      const type = reference.startsWith("sha256-") ? INDEX : MANIFEST;
      const headers = path.includes("/manifests/") ? { "content-type": type } : {};
      return found === undefined ? { status: 404 } : { body: found, headers };
    });
    const place = { registry: registry.host, repository: "x/y" };
    const options = { skill: makeSkill("notes"), place, tag: "1", context: ociContext([registry.host]) };
    return { stored, push: () => pushOci({ ...options, key: createKey() }), received: registry.received };
  };
  const tagsOf = (stored: ReadonlyMap<string, Buffer>) =>
    [...stored.keys()].filter((name) => name.startsWith("sha256-"));

  test("gets a signature again that another publisher's took away", async () => {
    const { stored, push } = await forgetful(2);
    await push();
    expect(tagsOf(stored)).toHaveLength(1);
  });

  test("is asked no more than a few times, and then the message says that the signature cannot be found", async () => {
    const { stored, push, received } = await forgetful(1000);
    await expect(push()).rejects.toMatchObject({ code: "oci-referrers-lost" });
    expect(tagsOf(stored)).toEqual([]);
    const puts = received.filter(({ method, path }) => method === "PUT" && /\/sha256-/.test(path));
    expect(puts).toHaveLength(5);
  });
});

describe("parseOciChallenge", () => {
  test.each([
    [
      'Bearer realm="https://a/t",service="s",scope="x"',
      { scheme: "bearer", realm: "https://a/t", service: "s" },
    ],
    ["bearer REALM=https://a/t", { scheme: "bearer", realm: "https://a/t" }],
    ['Basic realm="a, Bearer realm=b"', { scheme: "basic" }],
    ['Basic realm="x", Bearer realm="https://a/t"', { scheme: "bearer", realm: "https://a/t" }],
    ['Bearer realm="a\\"b"', { scheme: "bearer", realm: 'a"b' }],
    ['Bearer realm="first",realm="second"', { scheme: "bearer", realm: "first" }],
    ["Bearer", undefined],
    ["Digest x", undefined],
    ["", undefined],
  ])("%s", (header, expected) => {
    expect(parseOciChallenge(header)).toEqual(expected);
  });

  test("ends on any text", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }),
        fc.constantFrom("", "Bearer ", 'Bearer realm="'),
        (text, start) => {
          const found = parseOciChallenge(`${start}${text}`);
          expect(["basic", "bearer", undefined]).toContain(found?.scheme);
        },
      ),
    );
    expect(parseOciChallenge(`Bearer ${'a="'.repeat(3000)}`)).toBeUndefined();
  });
});

function challenge(header: string): ScriptedAnswer {
  return { status: 401, headers: { "www-authenticate": header } };
}

function layerOf(change: object): object {
  return { mediaType: CONTENT, digest: digestBytes(LAYER), size: LAYER.length, ...change };
}

function manifestText(options: {
  readonly layer?: object;
  readonly config?: string;
  readonly rest?: object;
}): string {
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    artifactType: "application/vnd.agentskills.skill.v1",
    config: {
      mediaType: options.config ?? "application/vnd.agentskills.skill.config.v1+json",
      digest: digestBytes(Buffer.from("{}")),
      size: 2,
    },
    layers: [layerOf(options.layer ?? {})],
    ...options.rest,
  });
}

function referrersOf(stored: ReadonlyMap<string, Buffer>): string {
  const manifests = [...stored]
    .filter(([name, body]) => name.startsWith("sha256:") && String(body).includes('"subject"'))
    .map(([digest, body]) => ({
      mediaType: MANIFEST,
      digest,
      size: body.length,
      artifactType: "application/vnd.skillet.signature.v1",
    }));
  return JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests });
}

async function registryOf(options: {
  readonly manifest?: string;
  readonly manifestHeaders?: Readonly<Record<string, string>>;
  readonly layerServed?: Uint8Array;
  readonly answers?: Answers;
}) {
  const { host, received } = await scriptedServer((request) => {
    const special = options.answers?.(request);
    if (special !== undefined) return special;
    if (request.path.includes("/blobs/")) return { body: options.layerServed ?? LAYER };
    const headers = { "content-type": MANIFEST, ...options.manifestHeaders };
    return { body: options.manifest ?? manifestText({}), headers };
  });
  const context = ociContext([host]);
  const source: OciSource = { kind: "oci", registry: host, repository: "x/y", tag: "1" };
  const open = (change: Partial<OciSource> = {}) => openOciSource({ ...source, ...change }, context);
  return { host, context, received, open, resolve: () => resolveOci(source, context) };
}
