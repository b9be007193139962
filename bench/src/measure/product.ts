import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Catalog, CatalogOptions } from "@skillet/core";
import * as core from "@skillet/core";
import { createCatalog } from "@skillet/core/internal";

export type { Catalog, CatalogOptions };

/** What discovery gives, and one skill of it. */
export type Snapshot = Awaited<ReturnType<typeof core.discoverSkills>>;
export type Skill = Snapshot["skills"][number];

/** What the bench calls of a build. */
type Product = Pick<typeof core, "discoverSkills" | "LocalSource">;

/** The build of another checkout, so that two can be compared. */
export async function loadProduct(checkout: string): Promise<Product> {
  return import(pathToFileURL(join(checkout, "packages/core/dist/index.js")).href);
}

/** The one place where the bench calls the product; finds all skills below `root`. */
export async function discover(
  root: string,
  cacheDirectory: string | undefined,
  product: Product = core,
): Promise<Snapshot> {
  return product.discoverSkills({
    roots: [
      {
        scope: "explicit",
        origin: "local",
        source: new product.LocalSource(root),
        path: root,
        trust: { kind: "trusted" },
      },
    ],
    ...(cacheDirectory !== undefined && { cacheDirectory }),
  });
}

/** Writes a catalogue of these skills. */
export function catalog(skills: readonly Skill[], options: CatalogOptions): Catalog {
  return createCatalog(skills, options);
}
