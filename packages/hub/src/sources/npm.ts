import { createHash } from "node:crypto";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
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
import { unpackFetched } from "./archive.ts";
import { checkEntryPath } from "./entry-path.ts";
import { checkPin, type FetchContext, type OpenedSource, openTree } from "./fetch-context.ts";
import { allowHostCommand, checkUrl, isAllowedHost, showUrl } from "./http/address.ts";
import { download } from "./http/download.ts";
import { type NpmRegistry, npmRegistry } from "./npm-registry.ts";
import type { ResolvedOf, SourceOf } from "./source.ts";

/**
 * Opens a package of an npm registry. Nothing of it is run: no npm, no install scripts, no dependencies. With a pin,
 * that version is fetched, and it must still have the same sum.
 */
export async function openNpmSource(
  source: SourceOf<"npm">,
  context: FetchContext,
  expected?: ResolvedOf<"npm">,
): Promise<OpenedSource> {
  const found = await findVersion(expected ?? source, context);
  const { resolved } = found;
  const what = `${resolved.name}@${resolved.version}`;
  if (expected !== undefined) checkPin(what, expected.integrity, resolved.integrity);
  const bytes = await fetchTarball(found, context);
  checkPin(what, resolved.integrity, sha512(bytes), `the registry ${found.registry.url.host}`);
  const files = unpackFetched(bytes, what, context);
  const { folders, diagnostics } = findPackageSkills(files, what);
  return {
    ...openTree({ resolved, files, diagnostics: [...deprecation(found), ...diagnostics] }),
    ...(folders.length === 0 ? {} : { skillFolders: folders }),
  };
}

async function fetchTarball({ registry, version }: FoundVersion, context: FetchContext): Promise<Uint8Array> {
  const url = checkUrl(version.tarball);
  const isOwn = url.origin === registry.url.origin;
  if (!isOwn && !isAllowedHost(url, context.allowedPrivateHosts)) {
    const message = `The registry ${registry.url.host} keeps this package on another site, ${showUrl(url)}, which was not asked for; nothing is downloaded. If that is right, allow it: ${allowHostCommand(url.host, context)}`;
    throw new SkilletError("npm-tarball-elsewhere", message, {
      data: { registry: registry.url.host, url: showUrl(url) },
    });
  }
  const { bytes } = await download(url.href, context, isOwn ? { headers: registry.headers } : {});
  return bytes;
}

function sha512(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

function deprecation({ version, resolved }: FoundVersion): readonly Diagnostic[] {
  if (version.deprecated === undefined) return [];
  return [
    {
      code: "npm-deprecated",
      severity: "warning",
      message: `its authors say not to use ${resolved.version} any more: ${quoteName(version.deprecated.slice(0, 200))}`,
      file: `npm:${resolved.name}`,
      hint: "look for a newer version or another package",
    },
  ];
}

export async function resolveNpm(source: SourceOf<"npm">, context: FetchContext): Promise<ResolvedOf<"npm">> {
  return (await findVersion(source, context)).resolved;
}

const SKILL_FILE = /^(?:(?:dist\/)?skills\/[^/]+\/)?SKILL\.md$/;

/**
 * Where a package has its skills: at its root, below `skills/` and `dist/skills/`, and where `agentskills` of its
 * package.json says. Of a skill that is in both, the source is taken.
 */
function findPackageSkills(
  files: readonly TreeFile[],
  name: string,
): { readonly folders: readonly string[]; readonly diagnostics: readonly Diagnostic[] } {
  const paths = new Set(files.map(({ path }) => path));
  const usual = [...paths]
    .filter((path) => SKILL_FILE.test(path))
    .map((path) => path.replace(/\/?SKILL\.md$/, ""));
  const folders = new Set(
    usual.filter((folder) => !usual.includes(folder.replace(/^dist\//, "")) || !folder.startsWith("dist/")),
  );
  const diagnostics: Diagnostic[] = [];
  for (const declared of declaredFolders(files)) {
    const folder = declared
      .replace(/^\.\//, "")
      .replace(/\/+$/, "")
      .replace(/(?:^|\/)SKILL\.md$/, "");
    const problem = folder === "" || folder === "." ? undefined : checkEntryPath(folder);
    const file = folder === "" || folder === "." ? "SKILL.md" : `${folder}/SKILL.md`;
    if (problem === undefined && paths.has(file)) folders.add(file.replace(/\/?SKILL\.md$/, ""));
    else diagnostics.push(missingSkill(declared, name, problem));
  }
  return { folders: [...folders].sort(compareByteOrder), diagnostics };
}

function declaredFolders(files: readonly TreeFile[]): readonly string[] {
  // A package whose manifest cannot be read declares nothing; its skills are found in the usual folders.
  const manifest = parseJson(files.find(({ path }) => path === "package.json")?.bytes);
  const skills = fieldOf(fieldOf(manifest, "agentskills"), "skills");
  if (!Array.isArray(skills)) return [];
  return (skills as readonly unknown[]).flatMap((skill) => {
    const path = fieldOf(skill, "path");
    return typeof path === "string" ? [path] : [];
  });
}

function missingSkill(declared: string, name: string, problem: string | undefined): Diagnostic {
  const message = `its package.json names the skill ${quoteName(declared.slice(0, 200))}, ${problem === undefined ? "which has no SKILL.md" : `whose path ${problem}`}`;
  const hint = "tell whoever publishes the package; its other skills can be installed";
  return { code: "npm-skill-missing", severity: "warning", message, file: `npm:${name}`, hint };
}

interface FoundVersion {
  readonly registry: NpmRegistry;
  readonly version: NpmVersion;
  readonly resolved: ResolvedOf<"npm">;
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const MAX_NAME_CHARACTERS = 214;

async function findVersion(
  { name, version = "latest" }: Pick<SourceOf<"npm">, "name" | "version">,
  context: FetchContext,
): Promise<FoundVersion> {
  if (name.length > MAX_NAME_CHARACTERS || !NAME.test(name)) {
    const message = `${quoteName(name.slice(0, MAX_NAME_CHARACTERS))} cannot be the name of an npm package; write it like npm:name or npm:@scope/name.`;
    throw new SkilletError("npm-name-invalid", message, {
      data: { name: name.slice(0, MAX_NAME_CHARACTERS) },
    });
  }
  const registry = npmRegistry(name, context);
  const { versions = {}, "dist-tags": tags = {} } = await readPackument(name, registry, context);
  const tagged = Object.hasOwn(tags, version) ? tags[version] : undefined;
  const exact = Object.hasOwn(versions, version) ? version : (tagged ?? "");
  const found = Object.hasOwn(versions, exact) ? versions[exact] : undefined;
  if (found === undefined) throw unknownVersion(name, version, Object.keys(tags));
  const npmVersion = { ...found.dist, version: exact, deprecated: found.deprecated };
  const integrity = strongSum(name, npmVersion);
  return { registry, version: npmVersion, resolved: { kind: "npm", name, version: exact, integrity } };
}

function unknownVersion(name: string, version: string, listed: readonly string[]): SkilletError {
  const tags = listed.slice(0, 10).map((tag) => quoteName(tag.slice(0, 40)));
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

interface NpmVersion {
  readonly version: string;
  readonly tarball: string;
  readonly integrity?: string;
  readonly deprecated?: string | undefined;
}

// The short form, which leaves out readmes.
const ACCEPT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

async function readPackument(name: string, registry: NpmRegistry, context: FetchContext): Promise<Packument> {
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
  return value;
}

interface Manifest {
  readonly dist: Pick<NpmVersion, "tarball" | "integrity">;
  readonly deprecated?: string;
}

interface Packument {
  readonly "dist-tags"?: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, Manifest>>;
}

// A version that cannot be read is one that cannot be had; the others can.
const packument = partial<Packument>({
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
