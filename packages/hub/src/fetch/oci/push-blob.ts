import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { OciClient } from "./oci-client.ts";
import { isConfidential, showOci } from "./oci-place.ts";

/** Uploads a blob in one piece, unless the registry has it. */
export async function pushBlob(client: OciClient, bytes: Uint8Array): Promise<Digest> {
  const digest = digestBytes(bytes);
  const present = await client.send(`/blobs/${digest}`, { method: "HEAD", statuses: [404] });
  if (present.status === 200) return digest;
  const start = await client.send("/blobs/uploads/", { method: "POST", body: new Uint8Array() });
  const location = uploadAddress(client, start.url, start.headers.location);
  location.searchParams.set("digest", digest);
  const end = await client.send(location.href, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: bytes,
  });
  if (end.status !== 201) throw refused(client, `it answered ${end.status} to the end of an upload`);
  return digest;
}

/** Where to send the bytes: relative to the request or absolute, with whatever state the registry put into it. */
function uploadAddress(client: OciClient, base: string, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, base))
    throw refused(client, "it does not say where to upload to");
  const url = new URL(location, base);
  // A registry behind a proxy may believe that it is spoken to without TLS.
  if (!isConfidential(url)) throw refused(client, `it wants the upload at ${url.origin}, without TLS`);
  return url;
}

function refused(client: OciClient, what: string): SkilletError {
  const message = `${showOci(client.place)} did not take the upload: ${what}; ask whoever runs the registry.`;
  return new SkilletError("oci-push-refused", message, { data: { ...client.place } });
}
