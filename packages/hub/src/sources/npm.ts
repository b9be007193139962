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
import { unpackArchive } from "./archive.ts";
import { checkEntryPath } from "./entry-path.ts";
import { checkPin, type FetchContext, type OpenedSource, openTree } from "./fetch-context.ts";
import { allowHostCommand, checkUrl, isAllowedHost, showUrl } from "./http/address.ts";
import { download } from "./http/download.ts";
import { type NpmRegistry, npmRegistry } from "./npm-registry.ts";
import { isNpmName, type ResolvedOf, type SourceOf } from "./source.ts";

/**
 * Opens a package from an npm registry. Nothing of it is run: no npm, no install scripts, no dependencies.
 * With a pin, that version is fetched, and its integrity must be the same.
 */
export async function openNpmSource(
  source: SourceOf<"npm">,
  context: FetchContext,
  expected?: ResolvedOf<"npm">,
): Promise<OpenedSource> {
  const found = await findVersion(expected ?? source, context);
  const { resolved, deprecated } = found;
  const name = `${resolved.name}@${resolved.version}`;
  if (expected !== undefined) checkPin(name, expected.integrity, resolved.integrity);
  const bytes = await fetchTarball(found, context);
  const sum = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  checkPin(name, resolved.integrity, sum, `the registry ${found.registry.url.host}`);
  const files = unpackArchive(bytes, { ...context, name });
  const { folders, diagnostics } = findPackageSkills(files, name);
  if (deprecated !== undefined) {
    const message = `its authors say not to use ${resolved.version} any more: ${quoteName(deprecated.slice(0, 200))}`;
    const hint = "look for a newer version or another package";
    const file = `npm:${resolved.name}`;
    diagnostics.unshift({ code: "npm-deprecated", severity: "warning", message, file, hint });
  }
  return openTree({ resolved, files, diagnostics, skillFolders: folders.length === 0 ? undefined : folders });
}

export async function resolveNpm(source: SourceOf<"npm">, context: FetchContext): Promise<ResolvedOf<"npm">> {
  return (await findVersion(source, context)).resolved;
}

async function fetchTarball({ registry, tarball }: FoundVersion, context: FetchContext): Promise<Uint8Array> {
  const url = checkUrl(tarball);
  const isOwn = url.origin === registry.url.origin;
  if (!isOwn && !isAllowedHost(url, context.allowedPrivateHosts)) {
    const message = `The registry ${registry.url.host} keeps this package on another site, ${showUrl(url)}, which was not asked for; nothing is downloaded. If that is right, allow it: ${allowHostCommand(url.host, context)}`;
    const data = { registry: registry.url.host, url: showUrl(url) };
    throw new SkilletError("npm-tarball-elsewhere", message, { data });
  }
  return (await download(url.href, context, isOwn ? { headers: registry.headers } : {})).bytes;
}

const SKILL_FILE = /^(?:(?:dist\/)?skills\/[^/]+\/)?SKILL\.md$/;

/**
 * The folders of a package's skills: its root, below `skills/` and `dist/skills/`, and those that
 * `agentskills` in its package.json names. The source wins over a built copy of the same skill.
 */
function findPackageSkills(
  files: readonly TreeFile[],
  name: string,
): { readonly folders: readonly string[]; readonly diagnostics: Diagnostic[] } {
  const paths = new Set(files.map(({ path }) => path));
  const folderOf = (path: string): string => path.replace(/(?:^|\/)SKILL\.md$/, "");
  const usual = new Set([...paths].filter((path) => SKILL_FILE.test(path)).map(folderOf));
  const isBuilt = (folder: string): boolean =>
    folder.startsWith("dist/") && usual.has(folder.slice("dist/".length));
  const folders = new Set([...usual].filter((folder) => !isBuilt(folder)));
  const diagnostics: Diagnostic[] = [];
  for (const declared of declaredFolders(files)) {
    const written = folderOf(declared.replace(/^\.\//, "").replace(/\/+$/, ""));
    const folder = written === "." ? "" : written;
    const problem = folder === "" ? undefined : checkEntryPath(folder);
    if (problem === undefined && paths.has(folder === "" ? "SKILL.md" : `${folder}/SKILL.md`)) {
      folders.add(folder);
      continue;
    }
    const fault = problem === undefined ? "which has no SKILL.md" : `whose path ${problem}`;
    const message = `its package.json names the skill ${quoteName(declared.slice(0, 200))}, ${fault}`;
    const hint = "tell the package's publisher; its other skills can be installed";
    diagnostics.push({ code: "npm-skill-missing", severity: "warning", message, file: `npm:${name}`, hint });
  }
  return { folders: [...folders].sort(compareByteOrder), diagnostics };
}

function declaredFolders(files: readonly TreeFile[]): readonly string[] {
  // A package with an unreadable manifest declares nothing; its skills are found in the usual folders.
  const manifest = parseJson(files.find(({ path }) => path === "package.json")?.bytes);
  const skills = fieldOf(fieldOf(manifest, "agentskills"), "skills");
  const listed: readonly unknown[] = Array.isArray(skills) ? skills : [];
  return listed.map((skill) => fieldOf(skill, "path")).filter((path) => typeof path === "string");
}

interface FoundVersion {
  readonly registry: NpmRegistry;
  readonly resolved: ResolvedOf<"npm">;
  readonly tarball: string;
  readonly deprecated: string | undefined;
}

async function findVersion(
  { name, version: wanted = "latest" }: Pick<SourceOf<"npm">, "name" | "version">,
  context: FetchContext,
): Promise<FoundVersion> {
  if (!isNpmName(name)) {
    const shown = name.slice(0, 214);
    const message = `${quoteName(shown)} cannot be the name of an npm package; write it like npm:name or npm:@scope/name.`;
    throw new SkilletError("npm-name-invalid", message, { data: { name: shown } });
  }
  const registry = await npmRegistry(name, context);
  const { versions = {}, "dist-tags": tags = {} } = await readPackument(name, registry, context);
  const version = own(versions, wanted) === undefined ? (own(tags, wanted) ?? "") : wanted;
  const found = own(versions, version);
  if (found === undefined) throw unknownVersion(name, wanted, Object.keys(tags));
  const { tarball, integrity: sums = "" } = found.dist;
  // Older and shorter hashes can be matched by other bytes.
  const integrity = sums.split(/\s+/).find((sum) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(sum));
  if (integrity === undefined) {
    const message = `The registry has no sha512 for ${name}@${version}, so its bytes cannot be checked; nothing is downloaded. Ask for a newer version.`;
    throw new SkilletError("npm-integrity-missing", message, { data: { name, version } });
  }
  const resolved = { kind: "npm", name, version, integrity } as const;
  return { registry, resolved, tarball, deprecated: found.deprecated };
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function unknownVersion(name: string, written: string, listed: readonly string[]): SkilletError {
  const version = written.slice(0, 80);
  const tags = listed.slice(0, 10).map((tag) => quoteName(tag.slice(0, 40)));
  const known = tags.length === 0 ? "" : `: ${tags.join(", ")}`;
  const message = `The package ${name} has no version or tag ${quoteName(version)}; give an exact version or one of its tags${known}.`;
  return new SkilletError("npm-version-unknown", message, { data: { name, version, tags } });
}

// The short form, without readmes.
const ACCEPT = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

async function readPackument(name: string, registry: NpmRegistry, context: FetchContext): Promise<Packument> {
  const { url, headers } = registry;
  const data = { name, registry: url.host };
  context.onStep?.({ step: "resolve", what: `npm:${name}` });
  const address = new URL(name.replace("/", "%2f"), url);
  const { bytes, status } = await download(address.href, context, {
    accept: ACCEPT,
    headers,
    statuses: [404],
  });
  if (status === 404) {
    const message = `The npm registry ${url.host} has no package ${name}, or you may not see it; check the name, and the token in ~/.npmrc.`;
    throw new SkilletError("npm-package-unknown", message, { data });
  }
  const { value, faults } = readDocument(packument, parseJson(bytes), {
    maxFaults: Number.POSITIVE_INFINITY,
  });
  if (value !== undefined) return value;
  const message = `${url.host} answered for ${name} with something that is not a package document (${faults[0]?.message}); check which registry is configured.`;
  throw new SkilletError("npm-answer-invalid", message, { data });
}

interface Manifest {
  readonly dist: { readonly tarball: string; readonly integrity?: string };
  readonly deprecated?: string;
}

interface Packument {
  readonly "dist-tags"?: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, Manifest>>;
}

// An unreadable version counts as absent; the others remain usable.
const packument = partial<Packument>({
  "dist-tags": record(lenient(text)),
  versions: record(
    lenient(
      object<Manifest>({
        dist: object<Manifest["dist"]>({ tarball: text, integrity: lenient(text) }, { unknown: "drop" }),
        deprecated: lenient(filledText),
      }),
    ),
    // The version appears in messages and locks.
    { key: matching(/^[0-9][0-9A-Za-z.+-]{0,255}$/, "a version") },
  ),
});
