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
import { quoteName } from "@skillet/kit/text";
import type { NpmSource, ResolvedNpm } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import { download } from "../http/download.ts";
import { type NpmRegistry, npmRegistry } from "./npm-registry.ts";

export interface FoundVersion {
  readonly registry: NpmRegistry;
  readonly version: NpmVersion;
  readonly resolved: ResolvedNpm;
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const MAX_NAME_CHARACTERS = 214;

export async function findVersion(
  { name, version = "latest" }: Pick<NpmSource, "name" | "version">,
  context: FetchContext,
): Promise<FoundVersion> {
  if (name.length > MAX_NAME_CHARACTERS || !NAME.test(name)) {
    const message = `${quoteName(name.slice(0, MAX_NAME_CHARACTERS))} cannot be the name of an npm package; write it like npm:name or npm:@scope/name.`;
    throw new SkilletError("npm-name-invalid", message, {
      data: { name: name.slice(0, MAX_NAME_CHARACTERS) },
    });
  }
  const registry = npmRegistry(name, context);
  const packument = await readPackument(name, { registry, context });
  const found = packument.versions.get(version) ?? packument.versions.get(packument.tags.get(version) ?? "");
  if (found === undefined) throw unknownVersion(name, { version, packument });
  return {
    registry,
    version: found,
    resolved: { kind: "npm", name, version: found.version, integrity: strongSum(name, found) },
  };
}

function unknownVersion(
  name: string,
  { version, packument }: { readonly version: string; readonly packument: Packument },
): SkilletError {
  const tags = [...packument.tags.keys()].slice(0, 10).map((tag) => quoteName(tag.slice(0, 40)));
  const message = `The package ${name} has no version or tag ${quoteName(version.slice(0, 80))}; give an exact version or one of its tags${tags.length === 0 ? "" : `: ${tags.join(", ")}`}.`;
  return new SkilletError("npm-version-unknown", message, {
    data: { name, version: version.slice(0, 80), tags },
  });
}

// Older and shorter sums can be met by other bytes.
function strongSum(name: string, { version, integrity }: NpmVersion): string {
  const sums = integrity?.split(/\s+/).filter((sum) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(sum)) ?? [];
  const [sum] = sums;
  if (sum !== undefined) return sum;
  const message = `The registry has no sha512 for ${name}@${version}, so that its bytes cannot be checked; nothing is downloaded. Ask for a newer version.`;
  throw new SkilletError("npm-integrity-missing", message, { data: { name, version } });
}

interface Packument {
  readonly tags: ReadonlyMap<string, string>;
  readonly versions: ReadonlyMap<string, NpmVersion>;
}

interface NpmVersion {
  readonly version: string;
  readonly tarball: string;
  readonly integrity?: string;
  readonly deprecated?: string;
}

// The short form, which leaves out readmes.
const ACCEPT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

async function readPackument(
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
  if (status === 404) {
    const message = `The npm registry ${registry.url.host} has no package ${name}, or you may not see it; check the name, and the token in ~/.npmrc.`;
    throw new SkilletError("npm-package-unknown", message, { data: { name, registry: registry.url.host } });
  }
  const { value, faults } = readDocument(packument, parseJson(bytes), {
    maxFaults: Number.POSITIVE_INFINITY,
  });
  if (value === undefined) {
    const message = `${registry.url.host} answered for ${name} with something that is not a package document (${faults[0]?.message}); check which registry is configured.`;
    throw new SkilletError("npm-answer-invalid", message, { data: { name, registry: registry.url.host } });
  }
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
