import type { Diagnostic } from "@skillet/kit/diagnostics";
import { parseJsonObject, textOf } from "@skillet/kit/json";
import type { OpenedSource } from "../sources/opened-source.ts";
import type { Offer } from "./offer.ts";
import { pluginManifests } from "./plugin-documents.ts";
import { MARKETPLACE_FILES, type MarketplaceOffer, readMarketplace } from "./read-marketplace.ts";

/** The plugins that a folder of a source is or lists; those elsewhere in it are offered as the skills they hold. */
export async function findPlugins(
  opened: OpenedSource,
  { folder, signal }: { readonly folder: string; readonly signal?: AbortSignal | undefined },
): Promise<{
  readonly offers: readonly (Offer | MarketplaceOffer)[];
  readonly diagnostics: readonly Diagnostic[];
}> {
  const prefix = folder === "" ? "" : `${folder}/`;
  const lists = MARKETPLACE_FILES.map((name) => `${prefix}${name}`);
  const manifests = pluginManifests(folder);
  const candidates = new Set([...lists, ...manifests]);
  const present = new Set<string>();
  for (const { path, mode } of opened.entries)
    if (candidates.has(path) && (mode === "644" || mode === "755")) present.add(path);
  const marketplace = lists.find((path) => present.has(path));
  const own = manifests.find((path) => present.has(path));
  const wanted = [marketplace, own].filter((path) => path !== undefined);
  if (wanted.length === 0) return { offers: [], diagnostics: [] };
  const files = await opened.read(wanted, { signal });
  const bytesOf = (path: string | undefined): Uint8Array | undefined =>
    path === undefined ? undefined : files[wanted.indexOf(path)]?.bytes;
  const list = bytesOf(marketplace);
  const { offers, diagnostics } =
    list === undefined || marketplace === undefined
      ? { offers: [], diagnostics: [] }
      : readMarketplace(list, { file: marketplace, root: folder });
  const manifest = bytesOf(own);
  const offer = manifest && pluginOffer(manifest, folder);
  const isListed = offer !== undefined && offers.some(({ name }) => name === offer.name);
  return { offers: offer === undefined || isListed ? offers : [offer, ...offers], diagnostics };
}

function pluginOffer(bytes: Uint8Array, folder: string): Offer | undefined {
  const manifest = parseJsonObject(bytes);
  const name = textOf(manifest, "name");
  if (name === undefined) return undefined;
  const description = textOf(manifest, "description") ?? "";
  return { kind: "plugin", name, description, folder, internal: false };
}
