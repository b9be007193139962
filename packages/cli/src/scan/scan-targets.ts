import { dirname } from "node:path";
import { type Diagnostic, type Digest, digestBytes } from "@skillet/core";
import type { Finding, ScanReport, ScanResult, SkillFile } from "@skillet/scan";
import { loadScanning } from "./load-scanning.ts";
import type { ScanInputs } from "./read-scan-inputs.ts";
import { readTarget } from "./read-target.ts";
import type { ScanMemory } from "./scan-memory.ts";
import type { ScanTarget } from "./scan-target.ts";

/** A result, and what a command needs besides. */
export interface ScannedTarget extends ScanResult {
  /** What was found before a baseline took out what it knows. */
  readonly allFindings: readonly Finding[];
  /** Of the files that findings are about; a dismissal names them. */
  readonly fileDigests: ReadonlyMap<string, Digest>;
  /** Why there is no second opinion, where one was asked for. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Scans one skill after the other; of each only its result is left when the next is read. */
export async function* scanTargets(
  targets: readonly ScanTarget[],
  inputs: ScanInputs,
  memory?: ScanMemory,
): AsyncGenerator<ScannedTarget, void, undefined> {
  const { scanSkill, excerptsOf, judgeReport, DEFAULT_SCAN_LIMITS } = loadScanning();
  for (const target of targets) {
    const installed = memory?.skillOf(target);
    // Before it is read: what changes meanwhile must not pass for what was scanned.
    const stamp = installed?.stamp();
    const { name, content } = await readTarget(target, DEFAULT_SCAN_LIMITS, installed);
    const { files, digest, readDigest, skillDigest, isElsewhere } = content;
    // Uncut, else what a baseline knows could crowd out what it does not.
    const limits = { ...inputs.options.limits, maxFindings: Number.POSITIVE_INFINITY };
    const scanned = await scanSkill(files, { ...inputs.options, limits });
    const report = cut(withBaseline(scanned, target, inputs), DEFAULT_SCAN_LIMITS.maxFindings);
    const { judge } = inputs;
    const judged = judge === undefined ? undefined : await judgeReport({ report, files, judge });
    const opinion = judged?.opinion;
    if (installed !== undefined && digest !== undefined && readDigest !== undefined)
      await memory?.keep(installed, {
        content: {
          digest,
          readDigest,
          ...(skillDigest !== undefined && { skillDigest }),
          ...(isElsewhere !== undefined && { isElsewhere }),
        },
        stamp,
        report: scanned,
        ...(opinion !== undefined && { opinion }),
      });
    const shown = [...report.findings, ...report.suppressed.map(({ finding }) => finding)];
    yield {
      path: target.path,
      folder: target.extent === "file" ? dirname(target.path) : target.path,
      name,
      ...(digest !== undefined && { digest }),
      report,
      excerpts: excerptsOf(files, shown),
      ...(opinion !== undefined && { opinion }),
      allFindings: scanned.findings,
      fileDigests: digestsOf(files, shown),
      diagnostics: judged?.diagnostics ?? [],
    };
  }
}

// What the baseline knows is shown as dismissed; the verdict is that of the rest, and never safe over an unread file.
function withBaseline(report: ScanReport, { path }: ScanTarget, { baseline }: ScanInputs): ScanReport {
  if (baseline === undefined) return report;
  const { applyBaseline, decideVerdict } = loadScanning();
  const { fresh, known } = applyBaseline({ skill: path, findings: report.findings }, baseline);
  const counting = known.filter(({ severity }) => severity !== "info");
  return {
    ...report,
    verdict: decideVerdict(fresh, report.coverage),
    findings: fresh,
    suppressed: [
      ...report.suppressed,
      ...counting.map((finding) => ({ finding, reason: "in the baseline" })),
    ],
  };
}

function cut(report: ScanReport, maxFindings: number): ScanReport {
  const { findings, suppressed } = report;
  return {
    ...report,
    findings: findings.slice(0, maxFindings),
    suppressed: suppressed.slice(0, maxFindings),
  };
}

function digestsOf(files: readonly SkillFile[], findings: readonly Finding[]): ReadonlyMap<string, Digest> {
  const named = new Set(findings.map(({ file }) => outerFile(file)));
  return new Map(
    files
      .filter(({ path, unread }) => unread === undefined && named.has(path))
      .map(({ path, bytes }) => [path, digestBytes(bytes)]),
  );
}

/** The file on disk that a finding is about: of an archive's member, the archive. */
export function outerFile(file: string): string {
  const inner = file.indexOf("!/");
  return inner === -1 ? file : file.slice(0, inner);
}
