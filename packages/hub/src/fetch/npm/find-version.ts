import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { NpmSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedNpm } from "../resolved.ts";
import { type NpmRegistry, npmRegistry } from "./npm-registry.ts";
import { type NpmVersion, type Packument, readPackument } from "./read-packument.ts";

export interface FoundVersion {
  readonly registry: NpmRegistry;
  readonly version: NpmVersion;
  readonly resolved: ResolvedNpm;
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const MAX_NAME_CHARACTERS = 214;

/** Asks the registry what a version or tag of a package is, and for the sum of its bytes. */
export async function findVersion(
  { name, version = "latest" }: Pick<NpmSource, "name" | "version">,
  context: FetchContext,
): Promise<FoundVersion> {
  if (name.length > MAX_NAME_CHARACTERS || !NAME.test(name))
    throw new SkilletError(
      "npm-name-invalid",
      `${quoteName(name.slice(0, MAX_NAME_CHARACTERS))} cannot be the name of an npm package; write it like npm:name or npm:@scope/name.`,
      { data: { name: name.slice(0, MAX_NAME_CHARACTERS) } },
    );
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
  return new SkilletError(
    "npm-version-unknown",
    `The package ${name} has no version or tag ${quoteName(version.slice(0, 80))}; give an exact version or one of its tags${tags.length === 0 ? "" : `: ${tags.join(", ")}`}.`,
    { data: { name, version: version.slice(0, 80), tags } },
  );
}

// Older and shorter sums can be met by other bytes.
function strongSum(name: string, { version, integrity }: NpmVersion): string {
  const sums = integrity?.split(/\s+/).filter((sum) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(sum)) ?? [];
  const [sum] = sums;
  if (sum !== undefined) return sum;
  throw new SkilletError(
    "npm-integrity-missing",
    `The registry has no sha512 for ${name}@${version}, so that its bytes cannot be checked; nothing is downloaded. Ask for a newer version.`,
    { data: { name, version } },
  );
}
