import { SkilletError } from "@skillet/kit/errors";
import type { OciSource } from "../../source/source.ts";
import { treeDigestOf } from "../../tree-digest-of.ts";
import { unpackArchive } from "../archive/unpack-archive.ts";
import type { FetchContext } from "../fetch-context.ts";
import { openTree } from "../open-tree.ts";
import type { OpenedSource } from "../opened-source.ts";
import type { ResolvedOci } from "../resolved.ts";
import { fetchBlob } from "./fetch-blob.ts";
import { locateSkill } from "./locate-skill.ts";
import { TREE_DIGEST_ANNOTATION } from "./oci-media-types.ts";
import { showOci } from "./oci-place.ts";
import { fetchSignatures } from "./oci-signatures.ts";

/**
 * Pulls a skill from an OCI registry: the manifest and its one layer, each checked against its digest before it is read.
 *
 * @example
 * const opened = await openOciSource({ kind: "oci", registry: "registry.example.com", repository: "skills/pdf-tools", tag: "1.0.0" }, context);
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
