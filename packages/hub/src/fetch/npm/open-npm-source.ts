import { createHash } from "node:crypto";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { quoteName } from "@skillet/kit/text";
import type { NpmSource, ResolvedNpm } from "../../source/source.ts";
import { unpackArchive } from "../archive/unpack-archive.ts";
import { checkEntryPath } from "../check-entry-path.ts";
import { checkPin, type FetchContext } from "../fetch-context.ts";
import { checkUrl, isAllowedHost, showUrl } from "../http/check-url.ts";
import { allowHostCommand } from "../http/checked-addresses.ts";
import { download } from "../http/download.ts";
import { type OpenedSource, openTree } from "../opened-source.ts";
import { type FoundVersion, findVersion } from "./find-version.ts";

/**
 * Opens a package of an npm registry. Nothing of it is run: no npm, no install scripts, no dependencies. With a pin,
 * that version is fetched, and it must still have the same sum.
 */
export async function openNpmSource(
  source: NpmSource,
  context: FetchContext,
  expected?: ResolvedNpm,
): Promise<OpenedSource> {
  const found = await findVersion(expected ?? source, context);
  const { resolved } = found;
  const what = `${resolved.name}@${resolved.version}`;
  if (expected !== undefined) checkPin({ what, expected: expected.integrity, found: resolved.integrity });
  const bytes = await fetchTarball(found, context);
  const promisedBy = `the registry ${found.registry.url.host}`;
  checkPin({ what, expected: resolved.integrity, found: sha512(bytes), promisedBy });
  context.onStep?.({ step: "unpack", what });
  const files = unpackArchive(bytes, { name: what, limits: context.limits });
  const { folders, diagnostics } = findPackageSkills(files, { name: what });
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

export async function resolveNpm(source: NpmSource, context: FetchContext): Promise<ResolvedNpm> {
  return (await findVersion(source, context)).resolved;
}

const SKILL_FILE = /^(?:(?:dist\/)?skills\/[^/]+\/)?SKILL\.md$/;

/**
 * Where a package has its skills: at its root, below `skills/` and `dist/skills/`, and where `agentskills` of its
 * package.json says. Of a skill that is in both, the source is taken.
 */
function findPackageSkills(
  files: readonly TreeFile[],
  { name }: { readonly name: string },
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
    else diagnostics.push(missingSkill(declared, { name, problem }));
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

function missingSkill(
  declared: string,
  { name, problem }: { readonly name: string; readonly problem: string | undefined },
): Diagnostic {
  return {
    code: "npm-skill-missing",
    severity: "warning",
    message: `its package.json names the skill ${quoteName(declared.slice(0, 200))}, ${problem === undefined ? "which has no SKILL.md" : `whose path ${problem}`}`,
    file: `npm:${name}`,
    hint: "tell whoever publishes the package; its other skills can be installed",
  };
}
