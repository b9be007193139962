import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ContentBounds, Skill, SkillContent, Skills, SkillToVet } from "@skillet/core";
import { parseSkillBytes, readCommandContent, readSkillContent } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import {
  type Finding,
  RULE_SET,
  type ScannedSkill,
  type ScanReport,
  type ScanResult,
  type SkillFile,
  type SuppressedFinding,
} from "@skillet/scan";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry, openVetter, toVet } from "../context/open-registry.ts";
import { describeFailure } from "../context/report-failure.ts";
import type { Scanning } from "../load-beside.ts";
import { type ScanTarget, targetFile } from "./find-targets.ts";
import type { ScanInputs } from "./read-scan-inputs.ts";

export interface ScannedTarget extends ScanResult {
  /** What was found before a baseline took out what it knows. */
  readonly allFindings: readonly Finding[];
  /** What dismissals took out, before the report was cut. */
  readonly allSuppressed: readonly SuppressedFinding[];
  /** Of the files that findings are about; a dismissal names them. */
  readonly fileDigests: ReadonlyMap<string, Digest>;
  /** Why it was not scanned, or why there is no second opinion where one was asked for. */
  readonly diagnostics: readonly Diagnostic[];
}

interface ScanRun {
  readonly scanning: Scanning;
  readonly inputs: ScanInputs;
  readonly memory?: ScanMemory | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What a skill at which the scanner itself breaks does to the others. */
  readonly onFailure: "go-on" | "throw";
}

/** Scans one skill after the other; of each only its result is left when the next is read. */
export async function* scanTargets(
  targets: readonly ScanTarget[],
  run: ScanRun,
): AsyncGenerator<ScannedTarget, void, undefined> {
  for (const target of targets) {
    // Reading and scanning may never wait for anything, and a signal is heard only where the process does.
    await setImmediate();
    run.signal?.throwIfAborted();
    yield await scanTarget(target, run);
  }
}

async function scanTarget(target: ScanTarget, run: ScanRun): Promise<ScannedTarget> {
  const { inputs, memory, scanning } = run;
  const { excerptsOf, judgeReport, DEFAULT_SCAN_LIMITS } = scanning;
  const installed = memory?.skillOf(target);
  // Before it is read: what changes meanwhile must not pass for what was scanned.
  const stamp = installed?.stamp();
  const read = await readAndScan(target, run, installed);
  if ("failure" in read) return failedTarget(target, read.failure);
  const { name, content, scanned } = read;
  const { files, digest, readDigest, skillDigest, isElsewhere } = content;
  const report = cut(withBaseline(scanned, target, run), DEFAULT_SCAN_LIMITS.maxFindings);
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
  return {
    path: target.path,
    folder: folderOf(target),
    name,
    ...(digest !== undefined && { digest }),
    report,
    excerpts: excerptsOf(files, shown),
    ...(opinion !== undefined && { opinion }),
    allFindings: scanned.findings,
    allSuppressed: scanned.suppressed,
    fileDigests: digestsOf(files, shown),
    diagnostics: judged?.diagnostics ?? [],
  };
}

async function readAndScan(
  target: ScanTarget,
  { scanning, inputs, signal, onFailure }: ScanRun,
  installed: SkillToVet | undefined,
): Promise<(ReadTarget & { readonly scanned: ScanReport }) | { readonly failure: unknown }> {
  const { scanSkill, DEFAULT_SCAN_LIMITS } = scanning;
  // Uncut, else what a baseline knows could crowd out what it does not.
  const limits = { ...inputs.options.limits, maxFindings: Number.POSITIVE_INFINITY };
  try {
    const read = await readTarget(target, DEFAULT_SCAN_LIMITS, installed);
    const scanned = await scanSkill(read.content.files, {
      ...inputs.options,
      limits,
      ...(signal !== undefined && { signal }),
    });
    return { ...read, scanned };
  } catch (error) {
    // Whatever it is, it is this skill's: a fault that one file brings out must not hide what the others hold.
    if (signal?.aborted === true || onFailure === "throw") throw error;
    return { failure: error };
  }
}

function folderOf({ extent, path }: ScanTarget): string {
  return extent === "file" ? dirname(path) : path;
}

// What the baseline knows is shown as dismissed; the verdict is that of the rest, and never safe over an unread file.
function withBaseline(report: ScanReport, { path }: ScanTarget, { scanning, inputs }: ScanRun): ScanReport {
  const { baseline } = inputs;
  if (baseline === undefined) return report;
  const { applyBaseline, decideVerdict } = scanning;
  const skill = baseline.keyOf(path);
  const { fresh, known } = applyBaseline({ skill, findings: report.findings }, baseline.baseline);
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

/** A skill at which the scanner broke: nothing is known about it, so it is not analysed and never safe. */
function failedTarget(target: ScanTarget, error: unknown): ScannedTarget {
  const { path, extent, file, directoryName } = target;
  const reason = "the scan of this skill broke off";
  return {
    path,
    folder: folderOf(target),
    name: extent === "file" ? file : directoryName,
    report: {
      verdict: "caution",
      findings: [],
      suppressed: [],
      capabilities: {
        ...{ network: [], commands: [], paths: [], secrets: [], persistence: [] },
        ...{ agentConfig: [], packages: [], remoteInstructions: [] },
      },
      coverage: [{ file, kind: "text", size: 0, state: "unread", reason }],
      ruleSet: RULE_SET,
    },
    excerpts: new Map(),
    allFindings: [],
    allSuppressed: [],
    fileDigests: new Map(),
    diagnostics: [
      {
        code: "skill-not-scanned",
        severity: "error",
        message: `This skill was not analysed; the others were. ${describeFailure(error).message}`,
        file: path,
        hint: `see where, and report it with the output of: skillet scan ${shellArgument(path)} --debug`,
      },
    ],
  };
}

/** What could not be entered at all has files without bytes, and no digests. */
type TargetContent = Pick<SkillContent, "files"> & Partial<Omit<SkillContent, "files">>;

interface ReadTarget {
  readonly name: string;
  readonly content: TargetContent;
}

/** Reads all files of a skill through the file gate; what cannot be had is handed over with the reason. */
export async function readTarget(
  target: ScanTarget,
  bounds: ContentBounds,
  installed?: Pick<SkillToVet, "read">,
): Promise<ReadTarget> {
  const content = await readContent(target, bounds, installed);
  return { name: nameOf(target, content), content };
}

async function readContent(
  { source, folder, file, extent }: ScanTarget,
  bounds: ContentBounds,
  installed: Pick<SkillToVet, "read"> | undefined,
): Promise<TargetContent> {
  try {
    // Read as sessions read it, so that the digest is the one that they look up.
    if (installed !== undefined) return await installed.read(bounds);
    if (extent === "file") return await readCommandContent(source, { folder, file }, bounds);
    return await readSkillContent(source, { folder, file }, bounds);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { files: [{ path: file, mode: "644", bytes: new Uint8Array(), unread: error.message }] };
  }
}

function nameOf({ extent, file, directoryName }: ScanTarget, { files }: TargetContent): string {
  if (extent === "file") return file;
  const skillFile = files.find(({ path, unread }) => path === file && unread === undefined);
  if (skillFile === undefined) return directoryName;
  const { manifest } = parseSkillBytes(skillFile.bytes, { mode: "lenient", file, directoryName });
  return manifest?.name ?? directoryName;
}

/** Lets sessions and lists of skills know what a scan said about skills in their places. */
export interface ScanMemory {
  /** The skill that a target is, where it lies in a place that Skillet knows. */
  skillOf(target: ScanTarget): SkillToVet | undefined;
  keep(skill: SkillToVet, scanned: ScannedSkill): Promise<void>;
  flush(): Promise<void>;
}

/** Opens the memory of a scan; undefined where the scan judges in another way than sessions do. */
export async function openScanMemory(
  context: CommandContext,
  inputs: ScanInputs,
  registry: Skills | undefined,
): Promise<ScanMemory | undefined> {
  const { sessionRuleSet } = inputs;
  if (sessionRuleSet === undefined) return undefined;
  const skills = registry ?? (await openIfPossible(context));
  if (skills === undefined) return undefined;
  const vetter = await openVetter(context, skills);
  const known = new Map(skills.snapshot.skills.map((skill) => [fileOf(skill), skill]));
  return {
    skillOf: (target) => {
      const skill = known.get(targetFile(target));
      return skill && isSameExtent(skill, target) ? toVet(skills, skill) : undefined;
    },
    keep: (skill, scanned) =>
      vetter.keep(skill, { ...scanned, report: { ...scanned.report, ruleSet: sessionRuleSet } }),
    flush: () => vetter.flush(),
  };
}

// A scan of a folder needs no skills of the user's; where they cannot be found, nothing is kept.
async function openIfPossible(context: CommandContext): Promise<Skills | undefined> {
  try {
    return await openRegistry(context);
  } catch (error) {
    if (SkilletError.isInstance(error) || error instanceof CliError) return undefined;
    throw error;
  }
}

function fileOf({ directory, source }: Skill): string {
  return join(canonicalPath(directory), source.file);
}

// A SKILL.md that was named as a plain file is scanned without what lies beside it.
function isSameExtent({ kind }: Skill, { extent }: ScanTarget): boolean {
  return (kind === "command") === (extent === "file");
}
