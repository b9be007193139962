import { SkilletError } from "@skillet/kit/errors";
import { parseJson } from "@skillet/kit/json";
import {
  filledText,
  lenient,
  matching,
  object,
  partial,
  readDocument,
  record,
  text,
} from "@skillet/kit/schema";
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
  const { value, faults } = readDocument(packument, parseJson(bytes), {
    maxFaults: Number.POSITIVE_INFINITY,
  });
  if (value === undefined)
    throw new SkilletError(
      "npm-answer-invalid",
      `${registry.url.host} answered for ${name} with something that is not a package document (${faults[0]?.message}); check which registry is configured.`,
      { data: { name, registry: registry.url.host } },
    );
  const versions = Object.entries(value.versions ?? {}).map(
    ([version, { dist, deprecated }]): [string, NpmVersion] => [
      version,
      { version, ...dist, ...(deprecated !== undefined && { deprecated }) },
    ],
  );
  return { tags: new Map(Object.entries(value["dist-tags"] ?? {})), versions: new Map(versions) };
}

interface Manifest {
  readonly dist: Pick<NpmVersion, "tarball" | "integrity">;
  readonly deprecated?: string;
}

// A version that cannot be read is one that cannot be had; the others can.
const packument = partial<{
  readonly "dist-tags"?: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, Manifest>>;
}>({
  "dist-tags": record(lenient(text)),
  versions: record(
    lenient(
      object<Manifest>({
        dist: object<Manifest["dist"]>({ tarball: text, integrity: lenient(text) }, { unknown: "drop" }),
        deprecated: lenient(filledText),
      }),
    ),
    // It goes into messages and locks.
    { key: matching(/^[0-9][0-9A-Za-z.+-]{0,255}$/, "a version") },
  ),
});
