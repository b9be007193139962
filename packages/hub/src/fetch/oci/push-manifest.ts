import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { OciClient } from "./oci-client.ts";
import { showOci } from "./oci-place.ts";

/** Puts a manifest under its digest or a tag; says whether the registry keeps a list of what refers to its subject. */
export async function pushManifest(
  client: OciClient,
  options: { readonly bytes: Uint8Array; readonly mediaType: string; readonly reference: string },
): Promise<{ readonly listsReferrers: boolean }> {
  const { bytes, mediaType, reference } = options;
  const answer = await client.send(`/manifests/${reference}`, {
    method: "PUT",
    headers: { "content-type": mediaType },
    body: bytes,
  });
  const stored = answer.headers["docker-content-digest"];
  if (stored !== undefined && stored !== digestBytes(bytes)) {
    const message = `${showOci(client.place, reference)} was stored as ${String(stored).slice(0, 100)} instead of ${digestBytes(bytes)}: the registry changes what it is given; use another.`;
    throw new SkilletError("oci-digest-mismatch", message, {
      data: { expected: digestBytes(bytes), found: stored },
    });
  }
  return { listsReferrers: answer.headers["oci-subject"] !== undefined };
}
