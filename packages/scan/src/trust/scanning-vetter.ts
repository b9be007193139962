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
  type KnownFinding,
  type KnownVerdict,
  withdrawApproval,
} from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { UnfinishedScans } from "../cache/unfinished-scans.ts";
import { VerdictCache } from "../cache/verdict-cache.ts";
import { type InspectedSkill, SkillInspector } from "./skill-inspector.ts";
import type { Inspection, ScannedSkill, Unjudged, Vetter, VetterOptions } from "./vetter.ts";

// Source under development has no version, so its earlier results may be out of date.
const UNBUILT = "from-source";

type VetterParts = VetterOptions & Required<Pick<VetterOptions, "home" | "clock" | "scan">>;

/** The vetter. It does not import a scanner, so that a host with every verdict cached need not load one. */
export class ScanningVetter implements Vetter {
  readonly ruleSet: string;
  readonly #options: VetterParts;
  readonly #cache: VerdictCache;
  readonly #inspector: SkillInspector;
  /** Content that the user declined in this process; they are not asked again. */
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
      falseAlarms: options.falseAlarms ?? true,
      sourceOf: options.sourceOf ?? (() => undefined),
    });
  }

  // One at a time: a skill is in memory during its scan, and a user gets one question at a time.
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
    inspection: Inspection,
    { forced, reason }: Pick<Approval, "forced" | "reason">,
  ): Promise<void> {
    const { digest, verdict, known } = inspection;
    if (digest === undefined)
      throw new SkilletError(
        "approval-impossible",
        `${skill.name} cannot be approved: its files cannot all be read, so it is unknown what the approval would cover.`,
        { data: { skill: skill.name } },
      );
    const { home, clock } = this.#options;
    const { criticalRules } = known;
    const why = reason === undefined ? (forced ? "forced: " : "") : `false alarm: ${reason}; `;
    // The audit log entry comes first, so that nothing is loosened unrecorded.
    await this.#record("approve", skill, inspection, why);
    const approval = { digest, skill: skill.name, verdict, criticalRules, forced, reason };
    await approveSkill({ home, approval, clock });
    this.#declined.delete(digest);
  }

  async decline(skill: SkillToVet, inspection: Inspection): Promise<void> {
    if (inspection.digest !== undefined) this.#declined.add(inspection.digest);
    await this.#record("decline", skill, inspection, "declined: ");
  }

  async withdraw({ skill, digest }: Approval): Promise<boolean> {
    const had = await withdrawApproval({ home: this.#options.home, digest });
    if (had) await this.#audit({ action: "withdraw", skill, digest, decision: "allow" });
    return had;
  }

  async keep(skill: SkillToVet, scanned: ScannedSkill): Promise<void> {
    const inspection = this.#inspector.take(skill, scanned);
    if (inspection === undefined) return;
    await this.#settle(skill, inspection, inspection.decision.outcome === "allow" || inspection.approved);
  }

  /** Caches the outcome for the skill's path, and records a new block; returns why the skill is withheld. */
  async #settle(skill: SkillToVet, inspection: InspectedSkill, isLet: boolean): Promise<string | undefined> {
    const { place, verdict, isNew } = inspection;
    const withheld = isLet ? undefined : withheldReason(skill, inspection);
    if (place !== undefined && skill.frozen === undefined)
      this.#cache.keepPlace(skill.path, place.stamp, { ...place, verdict, withheld });
    if (withheld !== undefined && isNew)
      await this.#record("block", skill, inspection).catch((error) => {
        // It is withheld either way; a read-only home must not keep other skills from being offered.
        if (!SkilletError.isInstance(error)) throw error;
      });
    return withheld;
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
    const { digest, verdict, decision } = inspection;
    const isKept = decision.outcome === "allow" || inspection.approved;
    const choice = isKept ? undefined : await this.#ask(skill, inspection, options);
    const isLet = isKept || choice === "allow" || choice === "always";
    // Allowed for this session only, it is withheld from all others.
    const withheld = await this.#settle(skill, inspection, isKept || choice === "always");
    return {
      outcome: isLet ? "allow" : "withhold",
      verdict,
      ...(isLet && (decision.outcome !== "allow" || inspection.approved) && { approved: true }),
      ...(withheld !== undefined && !isLet && { reason: withheld }),
      ...(digest !== undefined && { digest }),
      diagnostics: isLet
        ? [...noticesOf(skill, inspection, choice === "allow"), ...inspection.diagnostics]
        : inspection.diagnostics,
    };
  }

  async #ask(skill: SkillToVet, inspection: Inspection, { ask }: VetOptions): Promise<string | undefined> {
    const { digest, decision, known } = inspection;
    if (decision.outcome !== "ask" || ask === undefined) return undefined;
    if (digest === undefined || this.#declined.has(digest)) return undefined;
    const question: Question = {
      kind: "verdict",
      skill: skill.name,
      digest,
      reason: describeVerdict(known, skill.name),
      shown: known.findings
        .map(({ rule, file, line, message }) => `${rule} ${file}:${line} ${message}`)
        .join("\n"),
      choices: ["allow", "always", "deny"],
    };
    const choice = (await ask(question))?.choice;
    if (choice === "always") await this.approve(skill, inspection, { forced: false });
    if (choice === "allow") await this.#record("approve", skill, inspection, "this time only: ");
    if (choice === "deny") await this.decline(skill, inspection);
    return choice;
  }

  #record(
    what: "approve" | "decline" | "block",
    { name, scope, path }: SkillToVet,
    { digest, known }: Inspection,
    why = "",
  ): Promise<void> {
    const action = what === "block" ? "block" : "approve";
    const decision = what === "approve" ? "allow" : "deny";
    const reason = `${why}${describeVerdict(known)}`;
    return this.#audit({ action, skill: name, scope, path, ...(digest && { digest }), decision, reason });
  }

  async #audit(record: AuditEntry): Promise<void> {
    const { home, clock } = this.#options;
    await appendAudit({ file: auditPath(home), record, clock, actor: auditActor() });
  }
}

function noticesOf(
  { name, path }: SkillToVet,
  inspection: Inspection,
  isThisTime: boolean,
): readonly Diagnostic[] {
  const { decision, known, approved } = inspection;
  const what = describeVerdict(known);
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  if (isThisTime) {
    const message = `${sentence} A person allowed exactly these files this time.`;
    return [{ code: "scan-approved", severity: "info", message, file: path }];
  }
  if (approved || decision.outcome === "ask") {
    const message = `${sentence} A person approved exactly these files.`;
    const hint = `To take that back: ${approvalCommand("--withdraw", name)}`;
    return [{ code: "scan-approved", severity: "info", message, file: path, hint }];
  }
  if (!decision.notice) return [];
  const hint = `Look at what was found before you rely on it: skillet scan ${shellArgument(name)}`;
  return [{ code: "scan-caution", severity: "warning", message: sentence, file: path, hint }];
}

/** Why a skill is not offered, with the exact command that would change it, if there is one. */
export function withheldReason(
  { name }: Pick<SkillToVet, "name">,
  { digest, decision, known }: Pick<Inspection, "digest" | "decision" | "known">,
): string {
  const what = `${describeVerdict(known)}; ${decision.reason}`;
  if (digest === undefined) return `${what}, and it cannot be approved, because its files cannot all be read`;
  if (!decision.forceable)
    return `${what}; if that is a false alarm, run: ${approvalCommand("--approve", name, "--reason TEXT")}`;
  const flags = decision.outcome === "block" ? ["--force"] : [];
  return `${what}; to use it all the same, run: ${approvalCommand("--approve", name, ...flags)}`;
}

function approvalCommand(
  option: "--approve" | "--withdraw",
  name: string,
  ...flags: readonly string[]
): string {
  return [skillCommand(`trust ${option}`, name), ...flags].join(" ");
}

/** A command line about one skill, with the name quoted for a shell if necessary. */
export function skillCommand(command: string, name: string): string {
  return `skillet ${command} ${shellArgument(name.replaceAll(/\p{C}/gu, ""))}`;
}

const MAX_NAMED = 2;
// The clause can reach a model, and the skill chooses its file names.
const PLAIN_PATH = /^[\w./!-]{1,80}$/;

/** A clause about a scan's findings: `the scan calls it dangerous: EX1 at scripts/run.sh:3`. */
function describeVerdict(
  { verdict, findings, counts }: Pick<KnownVerdict, "verdict" | "findings" | "counts">,
  name = "it",
): string {
  const total = counts.critical + counts.warn;
  const named = findings.slice(0, MAX_NAMED).map(placeOf);
  const more = total > named.length ? ` and ${total - named.length} more` : "";
  const word = verdict === "caution" ? "the scan asks for caution" : `the scan calls ${name} ${verdict}`;
  return `${word}${named.length === 0 ? "" : `: ${named.join(", ")}${more}`}`;
}

function placeOf({ rule, file, line }: KnownFinding): string {
  return PLAIN_PATH.test(file) ? `${rule} at ${file}:${line}` : rule;
}
