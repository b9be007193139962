import type { SkillContent, SkillToVet, TreeStamp } from "@skillet/core";
import { type Approval, type KnownPlace, type KnownVerdict, readApprovals } from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { UnfinishedScans } from "../cache/unfinished-scans.ts";
import { summariseReport, type VerdictCache } from "../cache/verdict-cache.ts";
import type { SkillFile } from "../file/file-kind.ts";
import type { Judge } from "../judge/create-judge.ts";
import { judgeReport } from "../judge/judge-report.ts";
import type { ScanReport } from "../scan-report.ts";
import { worseVerdict } from "../verdict/decide-verdict.ts";
import { decide, deriveOrigin } from "./decide.ts";
import { skillCommand } from "./scanning-vetter.ts";
import type { FileScan, Inspection, ScannedSkill, Unjudged } from "./vetter.ts";

export interface InspectorParts {
  readonly home: string;
  readonly cache: VerdictCache;
  readonly scan: FileScan;
  readonly judge: Judge | undefined;
  readonly unfinished: UnfinishedScans;
  readonly trustedSources: readonly string[];
  readonly falseAlarms: boolean;
  sourceOf(skill: SkillToVet): string | undefined;
}

interface Cancellable {
  readonly signal?: AbortSignal;
}

export interface InspectedSkill extends Inspection {
  readonly isNew: boolean;
  /** Where and what it was; absent if the next start could not tell whether it has changed. */
  readonly place: SkillPlace | undefined;
}

export interface SkillPlace extends Pick<KnownPlace, "digest" | "read" | "skill"> {
  readonly stamp: TreeStamp;
}

type Judged = Pick<InspectedSkill, "known" | "diagnostics" | "isNew" | "place"> & {
  readonly digest: Digest | undefined;
};

/** Inspects skills: by the cache if their bytes are known, otherwise by a scan. */
export class SkillInspector {
  readonly #parts: InspectorParts;

  constructor(parts: InspectorParts) {
    this.#parts = parts;
  }

  async inspect(skill: SkillToVet, options: Cancellable): Promise<InspectedSkill | Unjudged> {
    const judged = await this.#judge(skill, options);
    return "problem" in judged ? judged : this.#conclude(skill, judged);
  }

  /** Takes the result of a scan made elsewhere; undefined if this inspector would not have made the same scan. */
  take(skill: SkillToVet, scanned: ScannedSkill): InspectedSkill | undefined {
    const { content, stamp, report, isRecorded = false } = scanned;
    const { scan, judge, unfinished } = this.#parts;
    const { digest } = content;
    if (report.ruleSet !== scan.ruleSet || digest === undefined) return undefined;
    unfinished.clear(digest);
    if (judge !== undefined && report.opinion?.by !== judge.by) return undefined;
    const found = this.#lookUp(digest);
    // A new reading by a judge outweighs an earlier one by the rules alone, or by another judge.
    const isNews = report.opinion !== undefined && found?.readBy !== report.opinion.by;
    const before = isNews ? undefined : found;
    const known = before ?? this.#keep(digest, report);
    const isNew = before === undefined && !isRecorded;
    return this.#conclude(skill, { digest, known, diagnostics: [], isNew, place: placeOf(content, stamp) });
  }

  #conclude(skill: SkillToVet, { digest, known, diagnostics, isNew, place }: Judged): InspectedSkill {
    const verdict = worseVerdict(known.verdict, "safe");
    const { trustedSources, sourceOf } = this.#parts;
    // The origin may be less trusted than its scope: an agent wrote it, or a user's link leads to a stranger's clone.
    const { origin: told } = skill;
    const source = sourceOf(skill) ?? (told === "agent-created" || told === "community" ? told : undefined);
    const origin = deriveOrigin({ scope: skill.scope, source, trustedSources });
    const approval = this.#approvalOf(digest, { verdict, criticalRules: known.criticalRules });
    const force = approval?.forced === true;
    const isFalseAlarm = approval?.reason !== undefined && this.#parts.falseAlarms;
    const decision = decide({ origin, verdict, force, isFalseAlarm });
    return {
      ...(digest !== undefined && { digest }),
      origin,
      verdict,
      known,
      decision,
      approved:
        approval !== undefined && decision.forceable && (force || isFalseAlarm || decision.outcome === "ask"),
      diagnostics,
      isNew,
      place,
    };
  }

  // Read again each time: a user may approve it in another process meanwhile.
  #approvalOf(digest: Digest | undefined, now: Parameters<typeof approvalHolds>[1]): Approval | undefined {
    if (digest === undefined || now.verdict === "safe") return undefined;
    const approval = readApprovals(this.#parts.home).approvals.get(digest);
    return approval !== undefined && approvalHolds(approval, now) ? approval : undefined;
  }

  async #judge(skill: SkillToVet, options: Cancellable): Promise<Judged | Unjudged> {
    const { scan, unfinished } = this.#parts;
    const stamp = skill.stamp();
    const expected = this.#expect(skill, stamp);
    const found = expected && this.#lookUp(expected.digest);
    if (expected !== undefined && found !== undefined)
      return { digest: expected.digest, known: found, diagnostics: [], isNew: false, place: expected.place };
    const content = await readContent(skill, { ...scan.bounds, ...options });
    if ("problem" in content) return content;
    const { digest, files } = content;
    const problem = differs(skill, content);
    if (problem !== undefined) return { problem };
    const place = placeOf(content, stamp);
    const known = digest && this.#lookUp(digest);
    if (known !== undefined) return { digest, known, diagnostics: [], isNew: false, place };
    const mark = digest ?? content.readDigest;
    if (unfinished.has(mark)) {
      const again = skillCommand("scan", skill.name);
      return { problem: `its scan did not finish; to scan it again, run: ${again}` };
    }
    const scanned = await this.#scan(files, { digest, mark }, options);
    return "problem" in scanned ? scanned : { ...scanned, digest, isNew: true, place };
  }

  /** The digest that the skill must have, known by its path or frozen, without reading any of its files. */
  #expect(
    { path, shown, frozen }: SkillToVet,
    stamp: TreeStamp | undefined,
  ): { readonly digest: Digest; readonly place: SkillPlace | undefined } | undefined {
    if (frozen?.digest !== undefined) return { digest: frozen.digest, place: undefined };
    const known = this.#parts.cache.placeAt(path, stamp);
    if (known === undefined || stamp === undefined) return undefined;
    const { digest, read, skill } = known;
    const isIt =
      frozen === undefined
        ? shown === undefined || shown === skill
        : frozen.read === read && (frozen.skill === undefined || frozen.skill === skill);
    return isIt ? { digest, place: { stamp, digest, read, skill } } : undefined;
  }

  // If a judge is wanted, another judge's reading does not count.
  #lookUp(digest: Digest): Inspection["known"] | undefined {
    const { cache, judge } = this.#parts;
    const known = cache.verdictOf(digest);
    if (judge === undefined || judge.isOut?.() === true) return known;
    return known?.readBy === judge.by ? known : undefined;
  }

  async #scan(
    files: readonly SkillFile[],
    { digest, mark }: { readonly digest: Digest | undefined; readonly mark: Digest },
    options: Cancellable,
  ): Promise<Pick<Judged, "known" | "diagnostics"> | Unjudged> {
    const { scan, judge, unfinished } = this.#parts;
    await scan.prepare?.();
    const report = await unfinished.during(mark, () => this.#run(files, options));
    if ("problem" in report) return report;
    const judged = judge && (await judgeReport({ report, files, judge, ...options }));
    return { known: this.#keep(digest, judged?.report ?? report), diagnostics: judged?.diagnostics ?? [] };
  }

  #keep(digest: Digest | undefined, report: ScanReport): Inspection["known"] {
    const { cache, scan } = this.#parts;
    const before = digest && cache.verdictOf(digest);
    // The rules' result for these bytes is the same; a scan without a judge must not erase a judge's reading.
    if (before?.readBy !== undefined && report.opinion === undefined) return before;
    const known = summariseReport(report);
    // A report by other rules than the cache's is not stored in it.
    if (digest !== undefined && report.ruleSet === scan.ruleSet) cache.keepVerdict(digest, known);
    return known;
  }

  async #run(files: readonly SkillFile[], options: Cancellable): Promise<ScanReport | Unjudged> {
    try {
      return await this.#parts.scan.run(files, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      // A skill that breaks the scanner must neither pass nor block the vetting of all other skills. The
      // error's message may quote the skill, and this clause can reach a model.
      return { problem: `the scan of it failed (${error instanceof Error ? error.name : "no error"})` };
    }
  }
}

async function readContent(
  skill: SkillToVet,
  bounds: Parameters<SkillToVet["read"]>[0],
): Promise<SkillContent | Unjudged> {
  try {
    return await skill.read(bounds);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { problem: `its files cannot be read (${error.code})` };
  }
}

/** Why the content read differs from the content shown; undefined if the skill has not changed meanwhile. */
function differs({ shown, frozen }: SkillToVet, content: SkillContent): string | undefined {
  if (frozen === undefined)
    return shown === undefined || shown === content.skillDigest
      ? undefined
      : "its SKILL.md is no longer the one that was found; reload the skills";
  // Two skills without a digest are not the same for that reason alone.
  const isSame =
    frozen.digest === undefined
      ? frozen.read !== undefined && frozen.read === content.readDigest
      : frozen.digest === content.digest;
  const isSameText = frozen.skill === undefined || frozen.skill === content.skillDigest;
  return isSame && isSameText ? undefined : "it changes while it is being read";
}

function placeOf(
  { digest, readDigest: read, skillDigest: skill, isElsewhere }: Omit<SkillContent, "files">,
  stamp: TreeStamp | undefined,
): SkillPlace | undefined {
  if (stamp === undefined || isElsewhere || digest === undefined || skill === undefined) return undefined;
  return { stamp, digest, read, skill };
}

/**
 * Whether an earlier approval covers the rules' present findings. The bytes are the same, but newer rules may
 * see more in them than was shown to the user who approved.
 */
export function approvalHolds(
  approval: Approval,
  now: { readonly verdict: string; readonly criticalRules: KnownVerdict["criticalRules"] },
): boolean {
  return (
    worseVerdict(approval.verdict, now.verdict) === worseVerdict(approval.verdict, approval.verdict) &&
    now.criticalRules.every((rule) => approval.criticalRules.includes(rule))
  );
}
