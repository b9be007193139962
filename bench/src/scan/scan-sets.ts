import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SkillFile } from "@skillet/scan";
import { type ManifestRow, readManifest } from "./manifest.ts";
import { readFiles } from "./read-files.ts";
import { skillFolders } from "./skill-folders.ts";

/** A labelled set that is reported by itself. */
export interface ScanSet {
  readonly name: string;
  readonly rows: readonly LabelledSkill[];
  /** Whether its rows may be listed. Of the others only totals are printed, so that no rule is written from them. */
  readonly isOpen: boolean;
}

interface LabelledSkill extends ManifestRow {
  readonly files: () => readonly SkillFile[];
}

/** The pairs of attacks and honest twins that come with the repository, a file an author; those in `held` are not fitted on. */
const OWN_PAIRS = join(import.meta.dirname, "../../scan-pairs");

/**
 * The sets below a folder with `pairs-dev`, `honest-dev` and `scan-dev`, and our own pairs; those that are missing are left
 * out. To fit on, public skills too, nearly all of which are honest, and no pairs that are held back; to report, these.
 */
export function readScanSets(
  folder: string,
  {
    use = "report",
    ownPairs = OWN_PAIRS,
  }: { readonly use?: "fit" | "report"; readonly ownPairs?: string } = {},
): readonly ScanSet[] {
  const read = (path: string): readonly LabelledSkill[] => {
    const manifest = join(folder, path, "manifest.jsonl");
    if (!existsSync(manifest)) return [];
    return readManifest(manifest).map((row) => ({
      ...row,
      files: () => readFiles(join(folder, path, row.path)),
    }));
  };
  const honest = read("honest-dev");
  const half = (isOpen: boolean, stratum: string): readonly LabelledSkill[] =>
    honest.filter((row) => row.stratum === stratum && isOpenRepository(row.group) === isOpen);
  const pairsIn = (path: string, isOpen: boolean): readonly ScanSet[] =>
    (existsSync(path) ? readdirSync(path) : [])
      .filter((name) => name.endsWith(".txt"))
      .sort()
      .map((name) => ({
        name: `pairs, ${basename(name, ".txt")} (${isOpen ? "own" : "held"})`,
        rows: parsePairs(readFileSync(join(path, name), "utf8")),
        isOpen,
      }));
  return [
    { name: "pairs, author A (rules)", rows: read("pairs-dev/amber"), isOpen: true },
    { name: "pairs, author B (unseen)", rows: read("pairs-dev/basil"), isOpen: false },
    ...pairsIn(ownPairs, true),
    ...(use === "report" ? pairsIn(join(ownPairs, "held"), false) : []),
    { name: "honest code (seen half)", rows: half(true, "honest-code"), isOpen: true },
    { name: "honest code (unseen half)", rows: half(false, "honest-code"), isOpen: false },
    { name: "honest text (seen half)", rows: half(true, "honest-text"), isOpen: true },
    { name: "honest text (unseen half)", rows: half(false, "honest-text"), isOpen: false },
    {
      name: "scan-dev (seen)",
      rows: read("scan-dev").filter(({ stratum }) => !stratum.endsWith("-renamed")),
      isOpen: true,
    },
    ...(use === "fit"
      ? [{ name: "public skills", rows: readPublic(join(folder, "skills-wild")), isOpen: true }]
      : []),
  ].filter(({ rows }) => rows.length > 0);
}

/** `@@@ skill ID attack|honest PAIR CATEGORY LANGUAGE`, then for each file `@@@ file PATH` and its text. */
function parsePairs(text: string): readonly LabelledSkill[] {
  return text
    .split(/^@@@ skill /m)
    .slice(1)
    .map((part) => {
      const [head = "", ...files] = part.split(/^@@@ file /m);
      const [id = "", label, group = id, stratum = ""] = head.trim().split(/\s+/);
      if (label !== "attack" && label !== "honest") throw new TypeError(`Skill ${id} has no label.`);
      return {
        id,
        path: id,
        group,
        stratum,
        label: label === "attack" ? ("malicious" as const) : ("benign" as const),
        files: () =>
          files.map((file) => {
            const end = file.indexOf("\n");
            const path = file.slice(0, end).trim();
            return { path, mode: "644" as const, bytes: Buffer.from(`${file.slice(end + 1).trim()}\n`) };
          }),
      };
    });
}

function readPublic(root: string): readonly LabelledSkill[] {
  return skillFolders(root).map((path) => ({
    id: path,
    path,
    label: "benign" as const,
    stratum: "public",
    group: path.split("/")[0] ?? path,
    files: () => readFiles(join(root, path)),
  }));
}

/** Whether a repository of honest skills lies in the half that may be looked at. */
export function isOpenRepository(repository: string): boolean {
  const [first = 0] = createHash("sha256").update(`skillet-scan-honest\n${repository}`).digest();
  return first % 2 === 0;
}
