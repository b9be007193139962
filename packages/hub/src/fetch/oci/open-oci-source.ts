import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { OciSource, ResolvedOci } from "../../source/source.ts";
import { unpackArchive } from "../archive/unpack-archive.ts";
import type { FetchContext } from "../fetch-context.ts";
import { type OpenedSource, openTree } from "../opened-source.ts";
import { OciClient } from "./oci-client.ts";
import {
  fetchManifest,
  type OciDescriptor,
  type OciManifest,
  skillLayerOf,
  TREE_DIGEST_ANNOTATION,
} from "./oci-manifest.ts";
import { showOci } from "./oci-place.ts";
import { fetchBlob, fetchSignatures } from "./oci-signatures.ts";

/**
 * Pulls a skill from an OCI registry: the manifest and its one layer, each checked against its digest before it is read.
 */
export async function openOciSource(
  source: OciSource,
  context: FetchContext,
  expected?: ResolvedOci,
): Promise<OpenedSource> {
  const { client, manifest, layer, resolved } = await locateSkill(source, context, expected?.digest);
  const shown = showOci(client.place, manifest.digest);
  const bytes = await fetchBlob(client, layer, { maxBytes: context.limits.maxDownloadBytes });
  context.onStep?.({ step: "unpack", what: shown });
  const files = unpackArchive(bytes, { name: shown, limits: context.limits });
  const stated = manifest.annotations.get(TREE_DIGEST_ANNOTATION);
  const found = treeDigestOf(files);
  if (stated !== undefined && stated !== found) {
    const message = `${shown} says that its files have the digest ${stated.slice(0, 100)}, but they have ${found}: it was packed wrongly or changed. Nothing was taken from it; ask its publisher to push it again.`;
    throw new SkilletError("oci-digest-mismatch", message, { data: { expected: stated, found } });
  }
  return {
    ...openTree({ resolved, files }),
    signaturesOf: () => fetchSignatures(client, manifest.digest),
  };
}

interface LocatedSkill {
  readonly client: OciClient;
  readonly manifest: OciManifest;
  readonly layer: OciDescriptor;
  readonly resolved: ResolvedOci;
}

/** Finds the manifest of a skill, by pin, digest or tag in that order, and the layer that holds its files. */
async function locateSkill(source: OciSource, context: FetchContext, pinned?: Digest): Promise<LocatedSkill> {
  const { registry, repository, tag, digest } = source;
  const client = new OciClient({ place: { registry, repository }, context, actions: "pull" });
  const reference = pinned ?? digest ?? tag ?? "latest";
  const shown = showOci(client.place, reference);
  context.onStep?.({ step: "resolve", what: shown });
  const manifest = await fetchManifest(client, reference);
  if (manifest === undefined) {
    const message = `The registry has no ${shown}; check the spelling, or list its tags.`;
    throw new SkilletError("oci-not-found", message, { data: { registry, repository, reference } });
  }
  const resolved = {
    kind: "oci",
    registry,
    repository,
    ...(tag && { tag }),
    digest: manifest.digest,
  } as const;
  return { client, manifest, layer: skillLayerOf(manifest, shown), resolved };
}

export async function resolveOci(source: OciSource, context: FetchContext): Promise<ResolvedOci> {
  return (await locateSkill(source, context)).resolved;
}
