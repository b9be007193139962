import type { Origin, TreeFile } from "@skillet/core";
import { type ApprovalStore, parseSkillBytes, readApprovals } from "@skillet/core/internal";
import { treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import {
  approvalHolds,
  decide,
  deriveOrigin,
  type ScanOptions,
  type ScanReport,
  type SkillFile,
} from "@skillet/scan";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import type { JudgedItem, ReadItem } from "../plan-item.ts";
import { originSource, trustedSpelling } from "./installed-sources.ts";

export function skillFileOf(files: readonly TreeFile[]): TreeFile | undefined {
  return files.find(({ path }) => path === "SKILL.md") ?? files.find(({ path }) => path === "skill.md");
}

/** The files in a folder of a tree, with paths relative to it. */
export function filesBelow<File extends { readonly path: string }>(
  files: readonly File[],
  folder: string,
): readonly File[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const below = files.filter(({ path }) => path.startsWith(prefix));
  return below.map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}

/** Rebuilds the item for a tree that was installed before, as if it had just been read. */
export function itemOfTree(
  files: readonly TreeFile[],
  known: Pick<ReadItem, "kind" | "name" | "resolved" | "folder"> & {
    readonly identity: string | undefined;
    readonly isProven: boolean;
  },
): ReadItem {
  const { kind, name, resolved, folder, identity, isProven } = known;
  const main = kind === "skill" ? skillFileOf(files) : undefined;
  const parsed = main && parseSkillBytes(main.bytes, { file: main.path, directoryName: name });
  return {
    state: "read",
    kind,
    name,
    files,
    digest: treeDigestOf(files),
    ...(parsed?.manifest && { manifest: parsed.manifest }),
    ...(kind === "plugin" && { parts: readPluginParts(files, { name }).parts }),
    resolved,
    folder,
    ...(identity !== undefined && { identity }),
    ...(!isProven && { unproven: true }),
    diagnostics: parsed?.diagnostics ?? [],
  };
}

/** Judges files: `scanSkill` of `@skillet/scan`, possibly with the user's own rules. */
export type Scan = (
  files: readonly SkillFile[],
  options: ScannedItem & Pick<ScanOptions, "signal">,
) => Promise<ScanReport>;

/** What is known about the files before the scan. */
interface ScannedItem extends Pick<ScanOptions, "skillFolders"> {
  readonly origin?: Origin;
}

/** Bound to the hub's signal. */
export type SignalledScan = (files: readonly SkillFile[], options?: ScannedItem) => Promise<ScanReport>;

/**
 * Scans an item and decides about it; claims of its text or of a lock about origin or verdict do not count.
 * Installed bytes that the user approved stay approved, because sessions offer them as well.
 */
export async function inspectItem(
  item: ReadItem,
  options: {
    readonly scan: SignalledScan;
    readonly trustedSources: readonly string[];
    /** Overrides the trust table's decision only. */
    readonly force: boolean;
    readonly home: string;
    /** Whether an approval that calls this a false alarm counts. */
    readonly falseAlarms: boolean;
    /** Whether the lock has exactly these bytes. */
    readonly isInstalled: boolean;
  },
): Promise<JudgedItem> {
  const { scan, trustedSources, force, home, isInstalled, falseAlarms } = options;
  const skillFolders = item.parts?.skills.map(({ folder }) => folder);
  const origin = originOf(item, trustedSources);
  const report = await scan(item.files, { origin, ...(skillFolders && { skillFolders }) });
  const { verdict } = report;
  const decision = decide({ origin, verdict, force });
  const judged = { ...item, state: "judged", report, origin } as const;
  const approval = decision.outcome === "allow" ? undefined : readApprovalsOrNone(home).get(item.digest);
  const isFalseAlarm = approval?.reason !== undefined && falseAlarms;
  const isOpen =
    isInstalled && decision.forceable && (approval?.forced === true || decision.outcome === "ask");
  const isApproved =
    approval !== undefined &&
    approvalHolds(approval, { verdict, criticalRules: criticalRulesOf(report) }) &&
    (isFalseAlarm || isOpen);
  if (!isApproved) return { ...judged, decision };
  const reason = "an earlier approval of exactly these bytes holds";
  return { ...judged, decision: { ...decision, forceable: true, outcome: "allow", reason }, approved: true };
}

/** The approvals on this machine; none if the file is broken, since then nothing counts as approved. */
export function readApprovalsOrNone(home: string): ApprovalStore["approvals"] {
  try {
    return readApprovals(home).approvals;
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "approvals-invalid") return new Map();
    throw error;
  }
}

export function criticalRulesOf({ findings }: ScanReport): readonly string[] {
  const critical = findings.filter(({ severity }) => severity === "critical").map(({ rule }) => rule);
  return [...new Set(critical)].sort();
}

export function originOf(
  item: Pick<ReadItem, "resolved" | "unproven"> & { readonly identity?: string | undefined },
  trustedSources: readonly string[],
): Origin {
  const { resolved, identity, unproven } = item;
  const trusted = trustedSpelling(identity, trustedSources);
  // The folder says nothing about the owner, and may contain characters that no identity has.
  const source = unproven === true ? "" : originSource(resolved, trusted, "");
  return deriveOrigin({ scope: "plugin", source, trustedSources });
}
