import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { OciClient } from "./oci-client.ts";
import type { OciDescriptor } from "./oci-manifest.ts";
import { showOci } from "./oci-place.ts";

/** Fetches a blob and checks size and digest, before anybody looks into it. */
export async function fetchBlob(
  client: OciClient,
  { digest, size }: OciDescriptor,
  options: { readonly maxBytes: number },
): Promise<Uint8Array> {
  const shown = showOci(client.place, digest);
  if (size > options.maxBytes) {
    const message = `${shown} has ${size} bytes, more than the ${options.maxBytes} that are downloaded; nothing was.`;
    throw new SkilletError("oci-blob-too-large", message, { data: { size, maxBytes: options.maxBytes } });
  }
  const { bytes } = await client.send(`/blobs/${digest}`, { maxBytes: size });
  const found = digestBytes(bytes);
  if (bytes.length === size && found === digest) return bytes;
  const message = `The registry answered with ${bytes.length} bytes of the digest ${found} for ${shown} of ${size} bytes: it is damaged or not honest. Nothing was unpacked; ask whoever runs it.`;
  throw new SkilletError("oci-digest-mismatch", message, { data: { expected: digest, found } });
}
