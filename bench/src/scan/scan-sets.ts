import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
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

/** The sets below a folder with `pairs-dev`, `honest-dev` and `scan-dev`; those that are missing are left out. */
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
  const honest = read("honest-dev");
  const half = (isOpen: boolean, stratum: string): readonly ManifestRow[] =>
    honest.filter((row) => row.stratum === stratum && isOpenRepository(row.group) === isOpen);
  const scanDev = read("scan-dev").filter(({ stratum }) => !stratum.endsWith("-renamed"));
  return [
    set("pairs, author A (rules)", "pairs-dev/amber", read("pairs-dev/amber"), true),
    set("pairs, author B (unseen)", "pairs-dev/basil", read("pairs-dev/basil"), false),
    set("honest code (seen half)", "honest-dev", half(true, "honest-code"), true),
    set("honest code (unseen half)", "honest-dev", half(false, "honest-code"), false),
    set("honest text (seen half)", "honest-dev", half(true, "honest-text"), true),
    set("honest text (unseen half)", "honest-dev", half(false, "honest-text"), false),
    set("scan-dev (seen)", "scan-dev", scanDev, true),
  ].filter(({ rows }) => rows.length > 0);
}

/** Whether a repository of honest skills lies in the half that may be looked at. */
export function isOpenRepository(repository: string): boolean {
  const [first = 0] = createHash("sha256").update(`skillet-scan-honest\n${repository}`).digest();
  return first % 2 === 0;
}
