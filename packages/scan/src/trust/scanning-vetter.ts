import {
  type AuditEntry,
  appendAudit,
  type Question,
  type SkillToVet,
  type VetOptions,
  type Vetting,
} from "@skillet/core";
import {
  type Approval,
  approveSkill,
  auditActor,
  auditPath,
  DEFAULT_TRUSTED_SOURCES,
  withdrawApproval,
} from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { UnfinishedScans } from "../cache/unfinished-scans.ts";
import { VerdictCache } from "../cache/verdict-cache.ts";
import { describeVerdict } from "./describe-verdict.ts";
import type { Inspection, Unjudged } from "./inspection.ts";
import { SkillInspector } from "./skill-inspector.ts";
import type { ScannedSkill, Vetter, VetterOptions } from "./vetter.ts";
import { approvalCommand, withheldReason } from "./withheld-reason.ts";

// Source that is being worked on has no version; what it said a minute ago may be out of date.
const UNBUILT = "from-source";

type VetterParts = VetterOptions & Required<Pick<VetterOptions, "home" | "clock" | "scan">>;

/** The vetter itself. It brings no scanner along, so that a host which knows every verdict need not load one. */
export class ScanningVetter implements Vetter {
  readonly ruleSet: string;
  readonly #options: VetterParts;
  readonly #cache: VerdictCache;
  readonly #inspector: SkillInspector;
  /** Content that someone said no to in this process, who is not asked twice. */
  readonly #declined = new Set<Digest>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: VetterParts) {
    const { home, cacheDirectory, clock, judge, scan } = options;
    const directory = scan.ruleSet.startsWith(UNBUILT) ? undefined : cacheDirectory;
    this.ruleSet = scan.ruleSet;
    this.#options = options;
    this.#cache = new VerdictCache({ directory, ruleSet: scan.ruleSet, clock });
    this.#inspector = new SkillInspector({
      ...{ home, scan, judge },
      cache: this.#cache,
      unfinished: new UnfinishedScans(directory),
      trustedSources: options.trustedSources ?? DEFAULT_TRUSTED_SOURCES,
      sourceOf: options.sourceOf ?? (() => undefined),
    });
  }

  // One at a time: a skill is in memory while it is scanned, and no person is asked two things at once.
  vet(skills: readonly SkillToVet[], options: VetOptions = {}): Promise<readonly Vetting[]> {
    return this.#inTurn(async () => {
      const answers: Vetting[] = [];
      const { before = 0, total = skills.length } = options.among ?? {};
      for (const skill of skills) {
        options.signal?.throwIfAborted();
        answers.push(await this.#vetOne(skill, options));
        this.#options.onProgress?.({ done: before + answers.length, total, name: skill.name });
      }
      return answers;
    });
  }

  inspect(
    skill: SkillToVet,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Inspection | Unjudged> {
    return this.#inTurn(() => this.#inspector.inspect(skill, options));
  }

  async approve(
    skill: SkillToVet,
    { digest, verdict, known }: Inspection,
    { forced }: { readonly forced: boolean },
  ): Promise<void> {
    if (digest === undefined)
      throw new SkilletError(
        "approval-impossible",
        `${skill.name} cannot be approved: its files cannot all be read, so it is unknown what the approval would cover.`,
        { data: { skill: skill.name } },
      );
    const { home, clock } = this.#options;
    const { name, scope, path } = skill;
    const reason = `${forced ? "forced: " : ""}${describeVerdict(known)}`;
    // The record comes first, so that nothing is loosened unrecorded.
    await this.#audit({ action: "approve", skill: name, scope, path, digest, decision: "allow", reason });
    const { criticalRules } = known;
    await approveSkill({ home, approval: { digest, skill: name, verdict, criticalRules, forced }, clock });
    this.#declined.delete(digest);
  }

  async decline({ name, scope, path }: SkillToVet, { digest, known }: Inspection): Promise<void> {
    if (digest !== undefined) this.#declined.add(digest);
    await this.#audit({
      action: "approve",
      skill: name,
      scope,
      path,
      ...(digest !== undefined && { digest }),
      decision: "deny",
      reason: `declined: ${describeVerdict(known)}`,
    });
  }

  async withdraw({ skill, digest }: Approval): Promise<boolean> {
    const had = await withdrawApproval({ home: this.#options.home, digest });
    if (had) await this.#audit({ action: "withdraw", skill, digest, decision: "allow" });
    return had;
  }

  async keep(skill: SkillToVet, scanned: ScannedSkill): Promise<void> {
    const inspection = this.#inspector.take(skill, scanned);
    if (inspection === undefined) return;
    const { place, verdict } = inspection;
    const isLet = inspection.decision.outcome === "allow" || inspection.approved;
    const withheld = isLet ? undefined : withheldReason(skill, inspection);
    if (place !== undefined) this.#cache.keepPlace(skill.path, place.stamp, { ...place, verdict, withheld });
    if (withheld !== undefined && inspection.isNew) await this.#recordBlock(skill, inspection);
  }

  flush(): Promise<void> {
    return this.#inTurn(async () => undefined);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#queue.then(async () => {
      try {
        return await work();
      } finally {
        await this.#cache.flush();
      }
    });
    this.#queue = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  async #vetOne(skill: SkillToVet, options: VetOptions): Promise<Vetting> {
    const { signal } = options;
    const inspection = await this.#inspector.inspect(skill, { ...(signal && { signal }) });
    if ("problem" in inspection)
      return { outcome: "withhold", verdict: "unknown", reason: inspection.problem, diagnostics: [] };
    const { digest, verdict, decision, place } = inspection;
    const isLet =
      decision.outcome === "allow" || inspection.approved || (await this.#ask(skill, inspection, options));
    const withheld = isLet ? undefined : withheldReason(skill, inspection);
    if (place !== undefined && skill.frozen === undefined)
      this.#cache.keepPlace(skill.path, place.stamp, { ...place, verdict, withheld });
    if (withheld !== undefined && inspection.isNew) await this.#recordBlock(skill, inspection);
    return {
      outcome: isLet ? "allow" : "withhold",
      verdict,
      ...(isLet && decision.outcome !== "allow" && { approved: true }),
      ...(withheld !== undefined && { reason: withheld }),
      ...(digest !== undefined && { digest }),
      diagnostics: isLet
        ? [...noticesOf(skill, inspection), ...inspection.diagnostics]
        : inspection.diagnostics,
    };
  }

  async #ask(skill: SkillToVet, inspection: Inspection, { ask }: VetOptions): Promise<boolean> {
    const { digest, decision, known } = inspection;
    if (decision.outcome !== "ask" || ask === undefined) return false;
    if (digest === undefined || this.#declined.has(digest)) return false;
    const question: Question = {
      kind: "verdict",
      skill: skill.name,
      digest,
      reason: describeVerdict(known),
      choices: ["allow", "deny"],
    };
    const answer = await ask(question);
    if (answer?.choice === "allow") {
      await this.approve(skill, inspection, { forced: false });
      return true;
    }
    if (answer?.choice === "deny") await this.decline(skill, inspection);
    return false;
  }

  async #recordBlock({ name, scope, path }: SkillToVet, { digest, known }: Inspection): Promise<void> {
    const reason = describeVerdict(known);
    try {
      await this.#audit({
        action: "block",
        skill: name,
        scope,
        path,
        ...(digest !== undefined && { digest }),
        decision: "deny",
        reason,
      });
    } catch (error) {
      // It is withheld either way; a home that cannot be written must not keep everything else from being offered.
      if (!SkilletError.isInstance(error)) throw error;
    }
  }

  async #audit(record: AuditEntry): Promise<void> {
    const { home, clock } = this.#options;
    await appendAudit({ file: auditPath(home), record, clock, actor: auditActor() });
  }
}

function noticesOf({ name, path }: SkillToVet, inspection: Inspection): readonly Diagnostic[] {
  const { decision, known, approved } = inspection;
  const what = describeVerdict(known);
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  if (approved || decision.outcome === "ask")
    return [
      {
        code: "scan-approved",
        severity: "info",
        message: `${sentence} A person approved exactly these files.`,
        file: path,
        hint: `To take that back: ${approvalCommand("--withdraw", name)}`,
      },
    ];
  if (!decision.notice) return [];
  return [
    {
      code: "scan-caution",
      severity: "warning",
      message: sentence,
      file: path,
      hint: "Look at what was found before you rely on it: skillet scan",
    },
  ];
}
