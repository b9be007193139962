import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ManifestRow, readManifest } from "./manifest.ts";

/** A labelled set that is reported by itself. */
export interface ScanSet {
  readonly name: string;
  readonly root: string;
  readonly rows: readonly ManifestRow[];
  /** Whether its rows may be listed. Of the others only totals are printed, so that no rule is written from them. */
  readonly isOpen: boolean;
}

/**
 * The sets below a folder: pairs as `pairs-NAME/HAND/manifest.jsonl`, one set a hand, `honest-dev` and `scan-dev`; those that
 * are missing are left out. The first hand of `pairs-dev` and those in `pairs-open` may be looked at.
 */
export function readScanSets(folder: string): readonly ScanSet[] {
  const read = (path: string): readonly ManifestRow[] => {
    const manifest = join(folder, path, "manifest.jsonl");
    return existsSync(manifest) ? readManifest(manifest) : [];
  };
  const set = (name: string, path: string, rows: readonly ManifestRow[], isOpen: boolean): ScanSet => ({
    name,
    root: join(folder, path),
    rows,
    isOpen,
  });
  const hands = handsBelow(folder).map((path) => {
    const isOpen = path === "pairs-dev/amber" || path.startsWith("pairs-open/");
    const hand = path.slice(path.indexOf("/") + 1);
    return set(`pairs, ${hand} (${isOpen ? "seen" : "unseen"})`, path, read(path), isOpen);
  });
  const honest = read("honest-dev");
  const half = (isOpen: boolean, stratum: string): readonly ManifestRow[] =>
    honest.filter((row) => row.stratum === stratum && isOpenRepository(row.group) === isOpen);
  const scanDev = read("scan-dev").filter(({ stratum }) => !stratum.endsWith("-renamed"));
  return [
    ...hands,
    set("honest code (seen half)", "honest-dev", half(true, "honest-code"), true),
    set("honest code (unseen half)", "honest-dev", half(false, "honest-code"), false),
    set("honest text (seen half)", "honest-dev", half(true, "honest-text"), true),
    set("honest text (unseen half)", "honest-dev", half(false, "honest-text"), false),
    set("scan-dev (seen)", "scan-dev", scanDev, true),
  ].filter(({ rows }) => rows.length > 0);
}

function handsBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith("pairs-"))
    .flatMap((name) => readdirSync(join(folder, name)).map((hand) => `${name}/${hand}`))
    .filter((path) => existsSync(join(folder, path, "manifest.jsonl")))
    .sort();
}

/** Whether a repository of honest skills lies in the half that may be looked at. */
export function isOpenRepository(repository: string): boolean {
  const [first = 0] = createHash("sha256").update(`skillet-scan-honest\n${repository}`).digest();
  return first % 2 === 0;
}
