import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { OciSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedOci } from "../resolved.ts";
import { OciClient } from "./oci-client.ts";
import { fetchManifest, type OciDescriptor, type OciManifest } from "./oci-manifest.ts";
import { showOci } from "./oci-place.ts";
import { skillLayerOf } from "./skill-layer-of.ts";

/** A skill in a registry, before its files are fetched. */
export interface LocatedSkill {
  readonly client: OciClient;
  readonly manifest: OciManifest;
  readonly layer: OciDescriptor;
  readonly resolved: ResolvedOci;
}

/** Finds the manifest of a skill, by pin, digest or tag in that order, and the layer that holds its files. */
export async function locateSkill(
  source: OciSource,
  context: FetchContext,
  pinned?: Digest,
): Promise<LocatedSkill> {
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
