import { createHash } from "node:crypto";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { NpmSource } from "../../source/source.ts";
import { unpackArchive } from "../archive/unpack-archive.ts";
import { checkPin } from "../check-pin.ts";
import type { FetchContext } from "../fetch-context.ts";
import { allowHostCommand } from "../http/allow-host-command.ts";
import { checkUrl } from "../http/check-url.ts";
import { download } from "../http/download.ts";
import { isAllowedHost } from "../http/is-allowed-host.ts";
import { showUrl } from "../http/show-url.ts";
import { openTree } from "../open-tree.ts";
import type { OpenedSource } from "../opened-source.ts";
import type { ResolvedNpm } from "../resolved.ts";
import { findPackageSkills } from "./find-package-skills.ts";
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
  if (!isOwn && !isAllowedHost(url, context.allowedPrivateHosts))
    throw new SkilletError(
      "npm-tarball-elsewhere",
      `The registry ${registry.url.host} keeps this package on another site, ${showUrl(url)}, which was not asked for; nothing is downloaded. If that is right, allow it: ${allowHostCommand(url.host, context)}`,
      { data: { registry: registry.url.host, url: showUrl(url) } },
    );
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
