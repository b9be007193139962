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
  /** Where and what it was; absent where the next start could not tell whether it is still the same. */
  readonly place: SkillPlace | undefined;
}

/** A skill in its place: the status of its files before they were read, and what they were. */
export interface SkillPlace extends Pick<KnownPlace, "digest" | "read" | "skill"> {
  readonly stamp: TreeStamp;
}

type Judged = Pick<InspectedSkill, "known" | "diagnostics" | "isNew" | "place"> & {
  readonly digest: Digest | undefined;
};

/** Finds out about skills: from the cache where their bytes are known, else by a scan. */
export class SkillInspector {
  readonly #parts: InspectorParts;

  constructor(parts: InspectorParts) {
    this.#parts = parts;
  }

  async inspect(skill: SkillToVet, options: Cancellable): Promise<InspectedSkill | Unjudged> {
    const judged = await this.#judge(skill, options);
    return "problem" in judged ? judged : this.#conclude(skill, judged);
  }

  /** The inspection by a scan that was made elsewhere; undefined where it is not one that this inspector would make. */
  take(skill: SkillToVet, scanned: ScannedSkill): InspectedSkill | undefined {
    const { content, stamp, report, isRecorded = false } = scanned;
    const { scan, judge, unfinished } = this.#parts;
    const { digest } = content;
    if (report.ruleSet !== scan.ruleSet || digest === undefined) return undefined;
    unfinished.clear(digest);
    if (judge !== undefined && report.opinion?.by !== judge.by) return undefined;
    const found = this.#lookUp(digest);
    // What a judge read now counts more than what only the rules, or another judge, said before.
    const isNews = report.opinion !== undefined && found?.readBy !== report.opinion.by;
    const before = isNews ? undefined : found;
    const known = before ?? this.#keep(digest, report);
    const isNew = before === undefined && !isRecorded;
    return this.#conclude(skill, { digest, known, diagnostics: [], isNew, place: placeOf(content, stamp) });
  }

  #conclude(skill: SkillToVet, { digest, known, diagnostics, isNew, place }: Judged): InspectedSkill {
    const verdict = worseVerdict(known.verdict, "safe");
    const { trustedSources, sourceOf } = this.#parts;
    // The place may say more than its scope: an agent wrote there, or a link of the user's leads to a stranger's clone.
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

  // Read anew each time: someone may say yes in another process meanwhile.
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

  /** The digest that the skill must have, if it is what is known of its place or was frozen; nothing of it is read for that. */
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

  // What another judge read does not count where one is wanted.
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
    // The rules say the same of the same bytes; a scan without a judge must not erase what one read.
    if (before?.readBy !== undefined && report.opinion === undefined) return before;
    const known = summariseReport(report);
    // A report of other rules than those of the cache does not count as one of these.
    if (digest !== undefined && report.ruleSet === scan.ruleSet) cache.keepVerdict(digest, known);
    return known;
  }

  async #run(files: readonly SkillFile[], options: Cancellable): Promise<ScanReport | Unjudged> {
    try {
      return await this.#parts.scan.run(files, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      // A skill that breaks the scanner must neither pass nor keep every other skill from being judged. The message may
      // quote it, and this clause can reach a model.
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

/** Why what was read is not what is shown; a skill that changes meanwhile is not. */
function differs({ shown, frozen }: SkillToVet, content: SkillContent): string | undefined {
  if (frozen === undefined)
    return shown === undefined || shown === content.skillDigest
      ? undefined
      : "its SKILL.md is no longer the one that was found; reload the skills";
  // Two that have no digest are not the same for that.
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
 * Whether a yes of then is one to what the rules say now.
 *
 * The bytes are the same, but newer rules may see more in them than was shown to the person who approved.
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
