import { SkilletError } from "@skillet/kit/errors";

export interface OciPlace {
  readonly registry: string;
  readonly repository: string;
}

const REGISTRY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:]{2,45}\])(?::[0-9]{1,5})?$/i;
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::|$)/i;

/** Refuses parts that would lead a URL elsewhere; they come from locks and catalogues as well as from people. */
export function checkOciPlace({ registry, repository }: OciPlace): void {
  if (!REGISTRY.test(registry) || !URL.canParse(`https://${registry}`)) throw malformed("registry", registry);
  if (repository.length > 255 || !REPOSITORY.test(repository)) throw malformed("repository", repository);
}

/** A tag to push to; those that stand in for lists of referrers are taken. */
export function checkOciTag(tag: string): string {
  if (TAG.test(tag) && !/^sha256-[0-9a-f]{64}$/.test(tag)) return tag;
  throw malformed("tag", tag);
}

export function checkOciReference(reference: string): string {
  if (DIGEST.test(reference) || TAG.test(reference)) return reference;
  throw malformed("tag or digest", reference);
}

/** The base of all addresses of a repository; only this machine is spoken to without TLS. */
export function ociBase({ registry, repository }: OciPlace): string {
  return `${LOOPBACK.test(registry) ? "http" : "https"}://${registry}/v2/${repository}`;
}

export function isConfidential(url: URL): boolean {
  return url.protocol === "https:" || LOOPBACK.test(url.host);
}

export function showOci({ registry, repository }: OciPlace, reference?: string): string {
  const separator = reference?.startsWith("sha256:") ? "@" : ":";
  return `oci://${registry}/${repository}${reference === undefined ? "" : `${separator}${reference}`}`;
}

function malformed(part: string, value: string): SkilletError {
  const message = `${JSON.stringify(value.slice(0, 100))} cannot be the ${part} of an OCI reference; write it as oci://host/repository:tag or @sha256:….`;
  return new SkilletError("oci-reference-malformed", message);
}
