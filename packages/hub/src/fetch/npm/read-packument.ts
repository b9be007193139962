import { SkilletError } from "@skillet/kit/errors";
import { isJsonObject, parseJsonObject } from "@skillet/kit/json";
import type { FetchContext } from "../fetch-context.ts";
import { download } from "../http/download.ts";
import type { NpmRegistry } from "./npm-registry.ts";

/** What a registry says about the versions of a package, as far as it is needed. */
export interface Packument {
  readonly tags: ReadonlyMap<string, string>;
  readonly versions: ReadonlyMap<string, NpmVersion>;
}

export interface NpmVersion {
  readonly version: string;
  readonly tarball: string;
  /** As the registry writes it; may name several sums. */
  readonly integrity?: string;
  /** Why it should no longer be used. */
  readonly deprecated?: string;
}

// The short form, which leaves out readmes.
const ACCEPT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

// It goes into messages and locks.
const VERSION = /^[0-9][0-9A-Za-z.+-]{0,255}$/;

/** Asks a registry for a package. */
export async function readPackument(
  name: string,
  { registry, context }: { readonly registry: NpmRegistry; readonly context: FetchContext },
): Promise<Packument> {
  const url = new URL(name.replace("/", "%2f"), registry.url);
  context.onStep?.({ step: "resolve", what: `npm:${name}` });
  const { bytes, status } = await download(url.href, context, {
    accept: ACCEPT,
    headers: registry.headers,
    statuses: [404],
  });
  if (status === 404)
    throw new SkilletError(
      "npm-package-unknown",
      `The npm registry ${registry.url.host} has no package ${name}, or you may not see it; check the name, and the token in ~/.npmrc.`,
      { data: { name, registry: registry.url.host } },
    );
  const document = parseJsonObject(bytes);
  if (document === undefined)
    throw new SkilletError(
      "npm-answer-invalid",
      `${registry.url.host} answered for ${name} with something that is no package document; check which registry is configured.`,
      { data: { name, registry: registry.url.host } },
    );
  return { tags: readTags(document["dist-tags"]), versions: readVersions(document.versions) };
}

function readTags(value: unknown): ReadonlyMap<string, string> {
  const tags = isJsonObject(value) ? Object.entries(value) : [];
  return new Map(tags.flatMap(([tag, version]) => (typeof version === "string" ? [[tag, version]] : [])));
}

function readVersions(value: unknown): ReadonlyMap<string, NpmVersion> {
  const versions = new Map<string, NpmVersion>();
  for (const [version, manifest] of isJsonObject(value) ? Object.entries(value) : []) {
    const dist = isJsonObject(manifest) ? manifest.dist : undefined;
    if (
      !VERSION.test(version) ||
      !isJsonObject(manifest) ||
      !isJsonObject(dist) ||
      typeof dist.tarball !== "string"
    )
      continue;
    const { tarball, integrity } = dist;
    const { deprecated } = manifest;
    versions.set(version, {
      version,
      tarball,
      ...(typeof integrity === "string" ? { integrity } : {}),
      ...(typeof deprecated === "string" && deprecated !== "" ? { deprecated } : {}),
    });
  }
  return versions;
}
