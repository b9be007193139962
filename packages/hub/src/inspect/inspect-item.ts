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

/** The files of a folder of a tree, by their paths in it. */
export function filesBelow<File extends { readonly path: string }>(
  files: readonly File[],
  folder: string,
): readonly File[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const below = files.filter(({ path }) => path.startsWith(prefix));
  return below.map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}

/** A tree that was installed once, as it would have been read. */
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

/** Judges files; `scanSkill` of `@skillet/scan`, perhaps with rules of the user's own. */
export type Scan = (
  files: readonly SkillFile[],
  options: ScannedItem & Pick<ScanOptions, "signal">,
) => Promise<ScanReport>;

/** What is known of the files before they are scanned. */
interface ScannedItem extends Pick<ScanOptions, "skillFolders"> {
  readonly origin?: Origin;
}

/** With the signal of the hub. */
export type SignalledScan = (files: readonly SkillFile[], options?: ScannedItem) => Promise<ScanReport>;

/**
 * Scans what was read and looks the decision up; nothing that its text or a lock says about origin or verdict counts.
 * Installed bytes that a person approved stay approved: sessions offer them as well.
 */
export async function inspectItem(
  item: ReadItem,
  options: {
    readonly scan: SignalledScan;
    readonly trustedSources: readonly string[];
    /** Overrides the table's decision only. */
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

/** The approvals of this machine; none where the file is broken, since then nothing counts as approved. */
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
  // The folder says nothing about its owner, and may have characters that no identity has.
  const source = unproven === true ? "" : originSource(resolved, trusted, "");
  return deriveOrigin({ scope: "plugin", source, trustedSources });
}
