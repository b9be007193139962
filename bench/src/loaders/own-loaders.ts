import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { costOf } from "../measure/cost.ts";
import { discover, loadProduct, type Snapshot } from "../measure/product.ts";
import type { Loader, OpenLoader } from "./loader.ts";

/** What is measured of Skillet, and the loops that it is compared with. */
export type OwnName =
  | "loop"
  | "loop-utf8"
  | "cold"
  | "cold-without-cache"
  | "warm"
  | "warm-described"
  | "fresh";

/** The first is what everything is compared with. */
export const OWN_LOADERS: readonly Loader[] = [
  loop("loop", (path) => readFileSync(path)),
  loop("loop-utf8", (path) => readFileSync(path, "utf8")),
  skillet("cold", { prepare: empty }),
  skillet("cold-without-cache", { prepare: () => undefined }),
  skillet("warm", {}),
  // A header is parsed when its description is asked for.
  skillet("warm-described", {
    use: ({ skills }) => skills.reduce((sum, skill) => sum + skill.manifest.description.length, 0),
  }),
  // The first calls of a process: nothing is compiled yet. The second finds the cache of the first.
  { ...skillet("fresh", {}), runsTwice: false },
];

function loop(name: OwnName, read: (path: string) => unknown): Loader {
  return {
    name,
    runsTwice: true,
    async open({ root }): Promise<OpenLoader> {
      const files = readdirSync(root, { recursive: true, encoding: "utf8" });
      const paths = files.filter((file) => file.endsWith("SKILL.md")).map((file) => join(root, file));
      return async () => ({
        ...(await costOf(() => {
          for (const path of paths) read(path);
        })),
        found: paths.length,
      });
    },
  };
}

/** `prepare` may empty the cache, and says which is used; `use` is part of what is measured. */
function skillet(
  name: OwnName,
  {
    prepare = (cache) => cache,
    use,
  }: {
    readonly prepare?: (cache: string) => string | undefined;
    readonly use?: (snapshot: Snapshot) => unknown;
  },
): Loader {
  return {
    name,
    runsTwice: true,
    async open({ root, workDirectory, build }): Promise<OpenLoader> {
      const product = await loadProduct(build);
      return async () => {
        const cache = prepare(join(workDirectory, "cache"));
        let found = 0;
        const cost = await costOf(async () => {
          const snapshot = await discover(root, cache, product);
          use?.(snapshot);
          found = snapshot.skills.length;
        });
        return { ...cost, found };
      };
    },
  };
}

function empty(cache: string): string {
  rmSync(cache, { recursive: true, force: true });
  return cache;
}
