import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ContentBounds, SkillContent, Skills, SkillToVet } from "@skillet/core";
import {
  type Approval,
  parseSkillBytes,
  readApprovals,
  readCommandContent,
  readSkillContent,
} from "@skillet/core/internal";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { canonicalPath } from "@skillet/kit/files";
import { present } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import {
  approvalHolds,
  type Finding,
  RULE_SET,
  type ScannedSkill,
  type ScanReport,
  type ScanResult,
  type SuppressedFinding,
} from "@skillet/scan";
import { onSkilletError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openIfPossible, openVetter, orWarned, toVet } from "../context/open-registry.ts";
import { describeFailure } from "../context/report-failure.ts";
import type { Scanning } from "../load-beside.ts";
import type { SkillFile } from "../validate/find-skill-files.ts";
import { isAlone, targetFile } from "./find-targets.ts";
import type { ScanInputs } from "./read-scan-inputs.ts";

export interface ScannedTarget extends ScanResult {
  /** Before the baseline was applied. */
  readonly allFindings: readonly Finding[];
  readonly allSuppressed: readonly SuppressedFinding[];
  /** The digests of files with findings; dismissals refer to them. */
  readonly fileDigests: ReadonlyMap<string, Digest>;
  readonly approval?: Approval;
  /** Why it was not scanned, or why a requested second opinion is missing. */
  readonly diagnostics: readonly Diagnostic[];
}

interface ScanRun {
  readonly scanning: Scanning;
  readonly inputs: ScanInputs;
  readonly memory?: ScanMemory | undefined;
  readonly signal?: AbortSignal;
  /** What to do if the scanner itself fails on a skill. */
  readonly onFailure: "go-on" | "throw";
}

/** Scans skills one by one; only the result of each is kept when the next one is read. */
export async function* scanTargets(
  targets: readonly SkillFile[],
  run: ScanRun,
): AsyncGenerator<ScannedTarget, void, undefined> {
  for (const target of targets) {
    // Reading and scanning may never pause, but signals arrive only while the process waits.
    await setImmediate();
    run.signal?.throwIfAborted();
    yield await scanTarget(target, run);
  }
}

async function scanTarget(target: SkillFile, run: ScanRun): Promise<ScannedTarget> {
  const { inputs, memory, scanning } = run;
  const installed = memory?.skillOf(target);
  // Taken before reading, so that a change in between does not pass for what was scanned.
  const stamp = installed?.stamp();
  const found = await readAndScan(target, run, installed);
  if ("failure" in found) return failedTarget(target, found.failure);
  const { name, content, scanned } = found;
  const { files, digest, readDigest, skillDigest, isElsewhere } = content;
  const checked = cut(withBaseline(scanned, target, run), scanning.DEFAULT_SCAN_LIMITS.maxFindings);
  const read = await inputs.reader?.read({ files, report: checked }, run.signal);
  const report = read?.report ?? checked;
  if (installed !== undefined && digest !== undefined && readDigest !== undefined) {
    const kept = present({ digest, readDigest, skillDigest, isElsewhere });
    const { opinion } = report;
    // With the reader's finding; the others uncut, as in a session.
    const whole = opinion === undefined ? scanned : report;
    await memory?.keep(installed, { content: kept, stamp, report: whole });
  }
  const shown = [...report.findings, ...report.suppressed.map(({ finding }) => finding)];
  const named = new Set(shown.map(({ file }) => outerFile(file)));
  const approval = await memory?.approvalOf({ ...(digest !== undefined && { digest }), report }, installed);
  return {
    path: target.path,
    folder: folderOf(target),
    name,
    report,
    ...(digest !== undefined && { digest }),
    ...(approval !== undefined && { approval }),
    excerpts: scanning.excerptsOf(files, shown),
    allFindings: scanned.findings,
    allSuppressed: scanned.suppressed,
    fileDigests: new Map(
      files
        .filter(({ path, unread }) => unread === undefined && named.has(path))
        .map(({ path, bytes }) => [path, digestBytes(bytes)]),
    ),
    diagnostics: read?.diagnostics ?? [],
  };
}

async function readAndScan(
  target: SkillFile,
  { scanning, inputs, signal, onFailure }: ScanRun,
  installed: SkillToVet | undefined,
): Promise<(ReadTarget & { readonly scanned: ScanReport }) | { readonly failure: unknown }> {
  // Uncut, because otherwise known findings could crowd out those that are not in the baseline.
  const limits = { ...inputs.options.limits, maxFindings: Number.POSITIVE_INFINITY };
  try {
    const read = await readTarget(target, scanning.DEFAULT_SCAN_LIMITS, installed);
    const options = { ...inputs.options, limits, ...(signal && { signal }) };
    return { ...read, scanned: await scanning.scanSkill(read.content.files, options) };
  } catch (error) {
    // A scanner failure on one skill's file must not hide the results for others.
    if (signal?.aborted === true || onFailure === "throw") throw error;
    return { failure: error };
  }
}

function folderOf(target: SkillFile): string {
  return isAlone(target) ? dirname(target.path) : target.path;
}

// Baseline findings are shown as dismissed; the verdict ignores them, but is never safe over unread files.
function withBaseline(report: ScanReport, { path }: SkillFile, { scanning, inputs }: ScanRun): ScanReport {
  const { baseline } = inputs;
  if (baseline === undefined) return report;
  const skill = baseline.keyOf(path);
  const { fresh, known } = scanning.applyBaseline({ skill, findings: report.findings }, baseline.baseline);
  const counting = known.filter(({ severity }) => severity !== "info");
  return {
    ...report,
    verdict: scanning.decideVerdict(fresh, report.coverage),
    findings: fresh,
    suppressed: [
      ...report.suppressed,
      ...counting.map((finding) => ({ finding, reason: "in the baseline" })),
    ],
  };
}

function cut(report: ScanReport, maxFindings: number): ScanReport {
  const { findings, suppressed } = report;
  const [most, mostSuppressed] = [findings.slice(0, maxFindings), suppressed.slice(0, maxFindings)];
  return { ...report, findings: most, suppressed: mostSuppressed };
}

/** Returns the file on disk that a finding is about: for a member of an archive, the archive. */
export function outerFile(file: string): string {
  const inner = file.indexOf("!/");
  return inner === -1 ? file : file.slice(0, inner);
}

/** The result for a skill on which the scanner failed: not analysed, and never safe. */
function failedTarget(target: SkillFile, error: unknown): ScannedTarget {
  const { path, fileName: file, directoryName } = target;
  const reason = "the scan of this skill failed";
  return {
    path,
    folder: folderOf(target),
    name: isAlone(target) ? file : directoryName,
    report: {
      verdict: "caution",
      findings: [],
      suppressed: [],
      capabilities: {
        network: [],
        commands: [],
        paths: [],
        secrets: [],
        persistence: [],
        agentConfig: [],
        packages: [],
        remoteInstructions: [],
      },
      coverage: [{ file, kind: "text", size: 0, state: "unread", reason }],
      ruleSet: RULE_SET,
    },
    excerpts: new Map(),
    allFindings: [],
    allSuppressed: [],
    fileDigests: new Map(),
    diagnostics: [
      diagnostic(
        "error",
        "skill-not-scanned",
        path,
        `This skill was not analysed; the others were. ${describeFailure(error).message}`,
        `see where, and report it with the output of: skillet scan ${shellArgument(path)} --debug`,
      ),
    ],
  };
}

/** A skill whose folder is inaccessible has a file without bytes, and no digests. */
type TargetContent = Pick<SkillContent, "files"> & Partial<Omit<SkillContent, "files">>;

interface ReadTarget {
  readonly name: string;
  readonly content: TargetContent;
}

/** Reads all files of a skill through the file gate; an unreadable file is included with the reason. */
export async function readTarget(
  target: SkillFile,
  bounds: ContentBounds,
  installed?: Pick<SkillToVet, "read">,
): Promise<ReadTarget> {
  const { source, folder, fileName: file, directoryName } = target;
  const readAll = isAlone(target) ? readCommandContent : readSkillContent;
  // Read in the same way as in sessions, so that the digest is the one they look up.
  const reading = installed?.read(bounds) ?? readAll(source, { folder, file }, bounds);
  const content: TargetContent = await reading.catch(
    onSkilletError(({ message: unread }) => ({
      files: [{ path: file, mode: "644" as const, bytes: new Uint8Array(), unread }],
    })),
  );
  if (isAlone(target)) return { name: file, content };
  const skillFile = content.files.find(({ path, unread }) => path === file && unread === undefined);
  const parsed = skillFile && parseSkillBytes(skillFile.bytes, { mode: "lenient", file, directoryName });
  return { name: parsed?.manifest?.name ?? directoryName, content };
}

interface ScanMemory {
  skillOf(target: SkillFile): SkillToVet | undefined;
  keep(skill: SkillToVet, scanned: ScannedSkill): Promise<void>;
  /** Returns an approval of exactly these bytes, if a session would accept it. */
  approvalOf(
    found: Pick<ScannedTarget, "digest" | "report">,
    installed: SkillToVet | undefined,
  ): Promise<Approval | undefined>;
  flush(): Promise<void>;
}

/** Opens the cache of scans; undefined if this scan judges differently from sessions. */
export async function openScanMemory(
  context: CommandContext,
  { sessionRuleSet: ruleSet }: ScanInputs,
  registry: Skills | undefined,
): Promise<ScanMemory | undefined> {
  if (ruleSet === undefined) return undefined;
  // Scanning a folder does not need the user's skills; if they cannot be found, nothing is cached.
  const skills = registry ?? (await openIfPossible(context));
  if (skills === undefined) return undefined;
  const vetter = await openVetter(context, skills);
  const none = { file: "", approvals: new Map() };
  const { approvals } = await orWarned(context, () => readApprovals(skills.home), none);
  const known = new Map(
    skills.snapshot.skills.map((skill) => [join(canonicalPath(skill.directory), skill.source.file), skill]),
  );
  return {
    skillOf: (target) => {
      const skill = known.get(targetFile(target));
      // A SKILL.md that was named as a plain file is scanned without the files beside it.
      return skill && isAlone(skill) === isAlone(target) ? toVet(skills, skill) : undefined;
    },
    keep: (skill, scanned) => vetter.keep(skill, { ...scanned, report: { ...scanned.report, ruleSet } }),
    approvalOf: async ({ digest, report }, installed) => {
      const approval = digest && report.verdict !== "safe" ? approvals.get(digest) : undefined;
      if (approval === undefined) return undefined;
      if (installed !== undefined) {
        const inspection = await vetter.inspect(installed);
        const passes =
          "approved" in inspection && (inspection.approved || inspection.decision.outcome === "allow");
        return passes ? approval : undefined;
      }
      // A folder that no session reads counts as the user's own, which any approval covers.
      const critical = report.findings.filter(({ severity }) => severity === "critical");
      const now = { verdict: report.verdict, criticalRules: critical.map(({ rule }) => rule) };
      return approvalHolds(approval, now) ? approval : undefined;
    },
    flush: () => vetter.flush(),
  };
}
