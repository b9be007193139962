import { digestBytes } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import { pushOci } from "../../publish/push-oci.ts";
import { makeSkill } from "../../publish/testing/make-skill.ts";
import { createKey } from "../../signature/key.ts";
import { openOciSource } from "./open-oci-source.ts";
import { ociContext } from "./testing/oci-context.ts";
import { scriptedServer } from "./testing/scripted-server.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const INDEX = "application/vnd.oci.image.index.v1+json";
const SIGNATURE = "application/vnd.skillet.signature.v1";
const ENVELOPE = "application/vnd.dsse.envelope.v1+json";

/** A registry with one signed skill, to whose list of referrers someone else has added. */
async function spoilt(junkOf: (subject: string, number: number) => Junk, count: number) {
  const stored = new Map<string, Buffer>();
  const registry = await scriptedServer(({ method, path, body }) => {
    if (method === "POST") return { status: 202, headers: { location: "/upload" } };
    const reference = path.includes("/upload")
      ? (new URL(path, "http://localhost").searchParams.get("digest") ?? "")
      : (path.split("/").at(-1) ?? "");
    if (method === "PUT") {
      stored.set(reference, body);
      return { status: 201 };
    }
    const found = stored.get(reference);
    const type = reference.startsWith("sha256-") ? INDEX : MANIFEST;
    if (found === undefined) return { status: 404 };
    return { body: found, headers: path.includes("/manifests/") ? { "content-type": type } : {} };
  });
  const key = createKey();
  const place = { registry: registry.host, repository: "x/y" };
  const context = ociContext([registry.host]);
  const { resolved } = await pushOci({ skill: makeSkill("notes"), place, tag: "1", context, key });
  const tag = resolved.digest.replace(":", "-");
  const index = JSON.parse(String(stored.get(tag)));
  const junk = Array.from({ length: count }, (_, number) => {
    const { manifest, blob, entry } = junkOf(resolved.digest, number);
    for (const text of [manifest, blob ?? ""]) stored.set(digestBytes(Buffer.from(text)), Buffer.from(text));
    const digest = digestBytes(Buffer.from(manifest));
    return { mediaType: MANIFEST, digest, size: manifest.length, artifactType: SIGNATURE, ...entry };
  });
  stored.set(tag, Buffer.from(JSON.stringify({ ...index, manifests: [...junk, null, ...index.manifests] })));
  const opened = await openOciSource({ kind: "oci", ...place, tag: "1" }, context);
  return { found: await opened.signaturesOf?.(""), key };
}

interface Junk {
  readonly manifest: string;
  readonly blob?: string;
  /** The list's statement about it instead. */
  readonly entry?: object;
}

function referring(subject: string, layer: object, number = 0): string {
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    artifactType: SIGNATURE,
    layers: [layer],
    subject: { mediaType: MANIFEST, digest: subject, size: 1 },
    annotations: { number: String(number) },
  });
}

const absent = { mediaType: ENVELOPE, digest: `sha256:${"a".repeat(64)}` };
const nope = { mediaType: ENVELOPE, digest: digestBytes(Buffer.from("nope")), size: 4 };

describe("a signature that someone else added does not hide the good one", () => {
  test.each([
    ["its manifest is not JSON", 1, () => ({ manifest: "{" })],
    [
      "its blob is not there",
      1,
      (subject: string) => ({ manifest: referring(subject, { ...absent, size: 3 }) }),
    ],
    [
      "its blob is too large",
      1,
      (subject: string) => ({ manifest: referring(subject, { ...absent, size: 2 ** 30 }) }),
    ],
    [
      "its blob is not a signature",
      1,
      (subject: string) => ({ manifest: referring(subject, nope), blob: "nope" }),
    ],
    [
      "its digest is of another kind",
      1,
      () => ({ manifest: "{}", entry: { digest: `sha512:${"a".repeat(128)}` } }),
    ],
    ["its digest is missing", 1, () => ({ manifest: "{}", entry: { digest: 7 } })],
    [
      "there are many of them",
      40,
      (subject: string, number: number) => ({ manifest: referring(subject, nope, number), blob: "nope" }),
    ],
  ])("where %s", async (_title, count, junkOf) => {
    const { found, key } = await spoilt(junkOf, count);
    expect(found?.envelopes).toMatchObject([{ signatures: [{ keyid: key.id }] }]);
    expect(found?.failures).toHaveLength(count);
  });
});
