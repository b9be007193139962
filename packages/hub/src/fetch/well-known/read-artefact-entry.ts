import type { Digest } from "@skillet/kit/digest";
import { quoteName } from "@skillet/kit/text";
import type { EntryReading, IndexPlace } from "./parse-index.ts";
import { readNameAndDescription } from "./read-name-and-description.ts";

const DIGEST = /^sha256:[0-9a-f]{64}$/;
// A slash, a backslash, a dot or a NUL that only some decode.
const ENCODED_TRAVERSAL = /%(?:2f|5c|2e|00)/i;

/** Reads one entry of an index of version 0.2. */
export function readArtefactEntry(entry: Readonly<Record<string, unknown>>, place: IndexPlace): EntryReading {
  const named = readNameAndDescription(entry);
  if ("fault" in named) return named;
  const { type, url, digest } = entry;
  if (typeof type !== "string") return { fault: 'has no "type"; it must be "skill-md" or "archive"' };
  if (type !== "skill-md" && type !== "archive") return { unknownType: quoteName(type.slice(0, 64)) };
  const address = readUrl(url, place);
  if ("fault" in address) return address;
  if (typeof digest !== "string") return { fault: missingDigest(entry) };
  if (!DIGEST.test(digest))
    return {
      fault: `has the "digest" ${quoteName(digest.slice(0, 100))}, which is not sha256: and 64 lower-case hexadecimal digits`,
    };
  const signatures = readSignatures(entry, place);
  return {
    ...{ ...named, kind: type, url: address.href, digest: digest as Digest },
    ...(signatures.length > 0 && { signatures }),
  };
}

// An addition to version 0.2, so what cannot be read is no fault: a policy that wants a signature finds none.
function readSignatures(entry: Readonly<Record<string, unknown>>, place: IndexPlace): readonly string[] {
  const { signatures } = entry;
  if (!Array.isArray(signatures)) return [];
  return signatures.flatMap((value: unknown) => {
    const address = readUrl(value, place);
    return "href" in address ? [address.href] : [];
  });
}

function missingDigest(entry: Readonly<Record<string, unknown>>): string {
  const other = ["sha256", "hash", "checksum", "integrity"].find((key) => Object.hasOwn(entry, key));
  return other === undefined
    ? 'has no "digest"'
    : `has no "digest" but the key "${other}"; version 0.2 wants "digest": "sha256:…"`;
}

function readUrl(value: unknown, place: IndexPlace): { readonly href: string } | { readonly fault: string } {
  if (typeof value !== "string" || value === "") return { fault: 'has no "url"' };
  const shown = quoteName(value.slice(0, 200));
  if (!URL.canParse(value, place.url)) return { fault: `has the "url" ${shown}, which cannot be read` };
  const url = new URL(value, place.url);
  const [path = ""] = value.split(/[?#]/);
  if (ENCODED_TRAVERSAL.test(path) || path.includes("\\") || path.split("/").includes(".."))
    return { fault: `has the "url" ${shown}, which climbs out of its folder or hides where it leads` };
  if (url.username !== "" || url.password !== "") return { fault: 'has a "url" with credentials' };
  if (url.origin !== new URL(place.url).origin)
    return { fault: `has the "url" ${shown}, which lies on another site than the index` };
  return { href: url.href };
}
