import { type Catalog, type CatalogOptions, discoverSkills, LocalSource } from "@skillet/core";
import { createCatalog } from "@skillet/core/internal";

export type { Catalog, CatalogOptions };

/** What discovery gives, and one skill of it. */
export type Snapshot = Awaited<ReturnType<typeof discoverSkills>>;
export type Skill = Snapshot["skills"][number];

/** The one place where the bench calls the product; finds all skills below `root`. */
export async function discover(root: string, cacheDirectory: string | undefined): Promise<Snapshot> {
  return discoverSkills({
    roots: [
      {
        scope: "explicit",
        origin: "local",
        source: new LocalSource(root),
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
