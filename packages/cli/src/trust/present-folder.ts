import { readAudit, type Skill, type Skills, type SkillToVet, type Snapshot } from "@skillet/core";
import {
  type Approval,
  auditPath,
  changeAllowedScripts,
  needsTrust,
  readAllowedScripts,
  readApprovals,
} from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { type Inspection, withheldReason } from "@skillet/scan";
import { type AgentsOf, openAgentsOf } from "../context/agents-of.ts";
import { type CliError, refusalError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { yesNeeded } from "../context/create-ask.ts";
import { lookUpSkill, openRegistry, openVetter, resolveSkill, toVet } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";
import { factsOf, vetShown, wasLookedAt } from "../context/vet-shown.ts";
import { skillList } from "../ui/skill-list.ts";
import { type SkillFacts, stillLoaded, verdictPaint } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, showPath, stripControl, wrap } from "../ui/text.ts";

const MAX_SCRIPTS = 5;
const MAX_NAMES = 10;
const MAX_FINDINGS = 3;

export async function presentFolder(
  skills: Skills,
  project: {
    readonly root: string;
    readonly judged: readonly JudgedSkill[];
    readonly taken: readonly TakenName[];
    readonly readersOf: AgentsOf["readersOf"];
    /** What changed since the folder was trusted; undefined if it is not trusted. */
    readonly changes?: readonly string[] | undefined;
  },
  layout: Layout,
): Promise<string[]> {
  const { judged, taken, readersOf, changes } = project;
  const { environment, colours } = layout;
  const held = judged.map(({ skill }) => skill);
  const root = showPath(project.root, environment);
  const notes = new Map<Skill, readonly string[]>();
  for (const known of judged) notes.set(known.skill, await skillNotes(skills, known, taken, layout));
  // The list says it once; the command that approves a skill is for later.
  const verdicts = new Map(judged.map((known) => [known.skill, { ...known, ...stays(known) }]));
  const scopes = [...new Set(held.map(({ scope }) => scope))];
  const list = skillList(held, { ...layout, scopes, notes, verdicts, order: "given" });
  const offered = judged.some(({ withheld }) => withheld !== undefined) ? "its other skills" : "them";
  const means = changes
    ? `The folder is trusted already, but since then ${listFirst(changes, MAX_NAMES)}.`
    : held.length === 0
      ? "Trusting the folder lets its config be read; skills that appear later need to be trusted again."
      : `Once the folder is trusted, agents that use Skillet are told of ${offered}, and its config is read.`;
  const title =
    held.length === 0 ? `${root} holds no skills yet.` : `${root} holds ${count(held.length, "skill")}:`;
  const takenNames = taken.map(({ owner }) => owner.name);
  const names = listFirst(takenNames, MAX_NAMES);
  const warning =
    taken.length === 1
      ? `The name ${names} would then mean the project's skill; yours keeps a qualified name.`
      : `${taken.length} names would then mean the project's skills: ${names}. Yours keep qualified names.`;
  return [
    ...wrap(title, layout),
    "",
    ...(list.length > 0 ? [...list, ""] : []),
    ...wrap(stripControl(means), layout),
    ...hang(taken.length === 0 ? "" : warning, layout, { indent: 2, lead: `${colours.yellow("!")} ` }),
    ...loadedLines(judged, readersOf, layout),
  ];
}

/** Says which agents load withheld skills regardless of Skillet's trust, and how to stop that. */
export function loadedLines(
  judged: readonly (SkillFacts & Pick<JudgedSkill, "skill">)[],
  readersOf: AgentsOf["readersOf"],
  layout: Layout,
): string[] {
  const told = judged.flatMap(({ skill, ...known }) => {
    const loaded = stillLoaded(skill, known, readersOf(skill));
    return loaded ? [`${skill.qualifiedName}: ${loaded.who}. To stop that: ${loaded.stop}`] : [];
  });
  return warningLines(told, layout);
}

function stays({ verdict, withheld, findings }: JudgedSkill): Pick<JudgedSkill, "withheld"> {
  if (withheld === undefined || findings.length === 0) return {};
  return { withheld: `${verdict}, so it stays withheld when the folder is trusted` };
}

async function skillNotes(
  skills: Skills,
  { skill, findings }: JudgedSkill,
  taken: readonly TakenName[],
  { environment }: Layout,
): Promise<readonly string[]> {
  // Discovery checks only SKILL.md; scripts and references count, too.
  const isEdited =
    skill.diagnostics.some(({ code }) => code === "changed-since-trust") ||
    (await skills.reader.verifyTrust(skill)).outcome === "changed";
  const owner = taken.find(({ taker }) => taker === skill)?.owner;
  const { resources } = await skills.reader.indexResources(skill);
  const scripts = resources.filter(({ script }) => script !== undefined).map(({ path }) => path);
  return [
    ...findings.slice(0, MAX_FINDINGS),
    ...(isEdited ? ["edited since the folder was trusted"] : []),
    ...(owner === undefined
      ? []
      : [`takes the name ${owner.name} from the ${owner.scope} skill ${showPath(owner.path, environment)}`]),
    ...(scripts.length === 0
      ? []
      : [`${count(scripts.length, "script")}: ${listFirst(scripts, MAX_SCRIPTS)}`]),
  ];
}

export interface JudgedSkill extends SkillFacts {
  readonly skill: Skill;
  readonly findings: readonly string[];
}

const WORST_FIRST = ["unknown", "dangerous", "caution", "safe"];

/** Scans a folder's skills that are not known yet; the worst come first. */
export async function judgeFolder(
  context: CommandContext,
  skills: Skills,
  held: readonly Skill[],
): Promise<readonly JudgedSkill[]> {
  const vetter = await openVetter(context, skills);
  // Vets all in one call, which shows progress and caches the results for lists and sessions.
  const answers = await vetter.vet(held.map((skill) => toVet(skills, skill)));
  const judged: JudgedSkill[] = [];
  for (const [index, skill] of held.entries()) {
    const { verdict = "unknown", reason } = answers[index] ?? {};
    const inspection = verdict === "safe" ? undefined : await vetter.inspect(toVet(skills, skill));
    if (inspection === undefined) judged.push({ skill, verdict, findings: [] });
    else if ("problem" in inspection)
      judged.push({ skill, verdict: "unknown", withheld: inspection.problem, findings: [] });
    else {
      const name = lastingName(skills, skill);
      judged.push({
        skill,
        verdict,
        ...(inspection.approved && { approved: true }),
        ...(reason !== undefined && { withheld: withheldReason({ name }, inspection) }),
        findings: inspection.known.findings.map(
          ({ rule, file, line, message }) => `${rule} at ${file}:${line}: ${message}`,
        ),
      });
    }
  }
  const rank = ({ verdict }: JudgedSkill): number => WORST_FIRST.indexOf(verdict);
  return judged.sort((left, right) => rank(left) - rank(right));
}

// Trust can move a name from one skill to another, but the command must still be about this one.
function lastingName({ snapshot }: Skills, skill: Skill): string {
  const isShared = snapshot.skills.some((other) => other !== skill && other.name === skill.name);
  return isShared ? skill.path : skill.qualifiedName;
}

interface TakenName {
  readonly taker: Skill;
  readonly owner: Skill;
}

export function takenNames(snapshot: Snapshot, held: readonly Skill[]): readonly TakenName[] {
  const ranks = new Map(snapshot.roots.map(({ sourceId }, index) => [sourceId, index]));
  const rankOf = (skill: Skill): number => ranks.get(skill.source.id) ?? ranks.size;
  const isOffered = ({ state }: Skill): boolean => state === "enabled" || state === "unavailable";
  const owners = new Map(
    snapshot.skills
      .filter((skill) => skill.qualifiedName === skill.name && !needsTrust(skill.scope) && isOffered(skill))
      .map((skill) => [skill.name, skill]),
  );
  const takers = new Map<string, Skill>();
  for (const skill of held) {
    if (skill.state !== "untrusted" || skill.plugin !== undefined) continue;
    const first = takers.get(skill.name);
    if (first === undefined || rankOf(skill) < rankOf(first)) takers.set(skill.name, skill);
  }
  return [...takers].flatMap(([name, taker]) => {
    const owner = owners.get(name);
    return owner !== undefined && rankOf(taker) < rankOf(owner) ? [{ taker, owner }] : [];
  });
}

const MAX_TOLD = 10;

export function trustQuestion(judged: readonly JudgedSkill[], what = "this folder"): string {
  const withheld = judged.filter((skill) => skill.withheld !== undefined).length;
  const offered = judged.filter((skill) => skill.withheld === undefined && skill.verdict !== "safe");
  const approved = offered.filter((skill) => skill.verdict === "dangerous" && skill.approved === true).length;
  const odd = offered.length - approved;
  const were = approved === 1 ? "is dangerous and was" : "are dangerous and were";
  const parts = [
    ...(withheld > 0 ? [`${count(withheld, "skill")} ${withheld === 1 ? "stays" : "stay"} withheld`] : []),
    ...(approved > 0 ? [`${count(approved, "skill")} ${were} approved earlier`] : []),
    ...(odd > 0 ? [`${count(odd, "skill")} ${odd === 1 ? "asks" : "ask"} for caution`] : []),
  ];
  return parts.length === 0 ? `Trust ${what}?` : `${parts.join(", ")}. Trust ${what} anyway?`;
}

export function withheldLines(withheld: readonly JudgedSkill[], layout: Layout): string[] {
  const told = withheld.map(
    ({ skill, withheld: reason = "" }) => `${skill.qualifiedName} stays withheld: ${reason}`,
  );
  return warningLines(told, layout);
}

/** Sentences, usually one per skill. */
export function warningLines(told: readonly string[], layout: Layout): string[] {
  const lead = `${layout.colours.yellow("!")} `;
  return firstLines(
    told,
    MAX_TOLD,
    (text) => hang(text, layout, { indent: 2, lead }),
    (rest) => `  and ${count(rest, "more skill")}`,
  );
}

/** Shows a skill's scan findings and, once the user agrees, lets exactly these files be offered anyway. */
export async function approveSkill(
  context: CommandContext,
  word: string,
  options: { readonly force: boolean; readonly yes: boolean; readonly reason: string | undefined },
): Promise<ExitCode> {
  const { json, confirm, terminal } = context;
  const skills = await openRegistry(context, { servers: true });
  const judged =
    (await byDigest(skills.home, word)) ?? toVet(skills, resolveSkill(skills, word, context.workspace));
  const { name: qualifiedName } = judged;
  const vetter = await openVetter(context, skills);
  const inspection = await vetter.inspect(judged);
  if ("problem" in inspection)
    throw refusalError("scan-failed", `${qualifiedName} was not judged: ${inspection.problem}.`, {}, [
      judged.frozen === undefined
        ? `See: skillet scan ${shellArgument(qualifiedName)}`
        : "Try to install it first: what is blocked is remembered.",
    ]);
  const { decision, digest, verdict, known } = inspection;
  if (!json) terminal.print(inspectionLines(context, judged, inspection));
  const isApproved = inspection.approved || wasLookedAt(skills, inspection);
  const standing = approvalsOf(skills).find((one) => one.digest === digest);
  // A caution that blocks nothing is a false alarm if the user gives a reason; one can also be added later.
  const isNoted =
    options.reason !== undefined &&
    (verdict === "caution" || isApproved) &&
    options.reason !== standing?.reason;
  const changed = isNoted || (decision.outcome !== "allow" && !isApproved);
  if (changed) {
    if (options.reason === undefined) requireForce(qualifiedName, inspection, { ...options, word });
    else requireFalseAlarms(skills, qualifiedName);
    if (!options.yes && confirm === undefined) {
      const reason = options.reason === undefined ? "" : `--reason ${shellArgument(options.reason)} `;
      const flags = `${reason}${options.force ? "--force --yes" : "--yes"}`;
      throw yesNeeded("Approving a skill", `skillet trust --approve ${shellArgument(word)} ${flags}`);
    }
    const question = isNoted
      ? "Approve exactly these files, wherever they come from?"
      : "Use exactly these files anyway?";
    if (!options.yes && (await confirm?.(question)) !== true) {
      await vetter.decline(judged, inspection);
      terminal.print("Nothing was changed.");
      return 1;
    }
    const { reason } = options;
    await vetter.approve(judged, inspection, { forced: decision.outcome === "block", reason });
    // So that lists of skills show it immediately.
    await vetter.vet([judged]);
  }
  const approved = changed || isApproved || decision.forceable;
  const { findings } = known;
  const but = await changedSince(context, skills, word);
  return answer(context, { skill: qualifiedName, digest, verdict, findings, approved, changed }, () => {
    const name = stripControl(qualifiedName);
    const done = `${terminal.colours.green("✓")} Approved ${name}. Any change to its files ends that, and so does:`;
    if (changed) return [done, `  skillet trust --withdraw ${shellArgument(word)}`];
    if (approved) return `${name} is already approved.`;
    const mark = verdict === "caution" ? " To mark it as a false alarm: add --reason TEXT" : "";
    return `${name} needs no approval: ${decision.reason}.${mark}${but}`;
  });
}

/** An approved or safe skill may still differ from what was trusted. */
async function changedSince(context: CommandContext, skills: Skills, word: string): Promise<string> {
  const found = lookUpSkill(skills, word, context.workspace);
  const [facts] = (await vetShown(context, skills, found.kind === "found" ? [found.skill] : [])).values();
  return facts?.changed === undefined ? "" : ` But ${facts.changed}.`;
}

function requireForce(
  name: string,
  { decision: { forceable, reason, outcome }, digest }: Inspection,
  { force, yes, word }: { readonly force: boolean; readonly yes: boolean; readonly word: string },
): void {
  const refuse = (code: string, message: string, hints: readonly string[] = []): CliError =>
    refusalError(code, `${name} ${message}`, {}, hints);
  if (!forceable)
    throw refuse("approval-needs-reason", `is blocked: ${reason}.`, [
      "If that is a false alarm, say why; it is recorded, and ends with any change of its files:",
      `  skillet trust --approve ${shellArgument(word)} --reason TEXT`,
    ]);
  if (digest === undefined)
    throw refuse(
      "approval-impossible",
      "cannot be approved: not all of its files can be read, so it is unknown what the approval would cover.",
      [`See which: skillet explain ${shellArgument(name)}`],
    );
  if (outcome !== "block" || force) return;
  throw refuse("approval-needs-force", `is blocked: ${reason}.`, [
    "To use it anyway, run:",
    `  skillet trust --approve ${shellArgument(word)} ${yes ? "--force --yes" : "--force"}`,
  ]);
}

/**
 * Finds bytes that are not on this machine by `NAME@sha256:…`, as a blocked install names them; their
 * findings are cached. Uses the blocked name, because the typed one could be another skill's.
 */
async function byDigest(home: string, word: string): Promise<SkillToVet | undefined> {
  const digest = digestIn(word);
  if (digest === undefined) return undefined;
  let name: string = digest;
  for await (const { record } of readAudit(auditPath(home)))
    if (record?.action === "block" && record.digest === digest) name = record.skill ?? name;
  const frozen = { digest, read: undefined };
  const read: SkillToVet["read"] = async () => {
    throw new SkilletError("skill-not-found", `Nothing is known of ${digest}.`);
  };
  return {
    name,
    scope: "plugin",
    path: "",
    frozen,
    read,
    stamp: () => undefined,
  };
}

const approvalsOf = ({ home }: Skills): readonly Approval[] => [...readApprovals(home).approvals.values()];

const digestIn = (word: string): Digest | undefined =>
  /^(?:.+@)?(sha256:[0-9a-f]{64})$/.exec(word)?.[1] as Digest | undefined;

function requireFalseAlarms({ config }: Skills, name: string): void {
  if (config.config.scan.falseAlarms) return;
  const [file] = config.layers.flatMap(({ values, file: from }) =>
    values.scan?.falseAlarms === false ? [from ?? "the configuration"] : [],
  );
  throw refusalError("approval-forbidden", `${name} cannot be approved: ${file} forbids it.`, {}, [
    "scan.falseAlarms is false there. Ask the person who maintains that file.",
  ]);
}

function inspectionLines(
  { terminal, environment }: CommandContext,
  { name: qualifiedName, path }: SkillToVet,
  { verdict, origin, digest, known }: Inspection,
): readonly string[] {
  const { bold, dim } = terminal.colours;
  const { critical, warn } = known.counts;
  const more = critical + warn - known.findings.length;
  const notes = [
    ...known.findings.map(({ rule, file, line, message }) => `${rule} ${file}:${line} ${message}`),
    ...(more > 0 ? [`and ${more} more: skillet scan ${shellArgument(qualifiedName)}`] : []),
  ];
  return [
    `${bold(stripControl(qualifiedName))}  ${verdictPaint(verdict, terminal.colours)(verdict)}  ${dim(origin)}`,
    ...(path === "" ? [] : [`  ${showPath(path, environment)}`]),
    `  ${dim(digest ?? "no digest: not all of its files can be read")}`,
    ...notes.flatMap((text) => hang(text, terminal, { indent: 4 })),
  ];
}

export async function withdrawSkill(context: CommandContext, wanted: string): Promise<ExitCode> {
  const skills = await openRegistry(context, { servers: true });
  const vetter = await openVetter(context, skills);
  const all = approvalsOf(skills);
  const given = digestIn(wanted);
  const approved = all.find(({ digest }) => digest === given)?.skill ?? wanted;
  const found = lookUpSkill(skills, approved, context.workspace);
  const skill = found.kind === "found" ? found.skill : undefined;
  const name = skill?.qualifiedName ?? approved;
  const isMeant = (one: Pick<Approval, "skill" | "digest">): boolean =>
    given === undefined ? one.skill === name : one.digest === given;
  // An approval belongs to the bytes, under any name.
  const present = skill && (await vetter.inspect(toVet(skills, skill)));
  const current = present !== undefined && "digest" in present ? present.digest : undefined;
  const approvals = all.filter((one) => isMeant(one) || (given === undefined && one.digest === current));
  for (const approval of approvals) await vetter.withdraw(approval);
  const [vetting] = skill === undefined ? [] : await vetter.vet([toVet(skills, skill)]);
  const scripts = readAllowedScripts(skills.home).filter(
    (one) => isMeant(one) || `${one.skill}:${one.path}` === wanted,
  );
  for (const script of scripts) {
    const { digest, path } = script;
    const decision = { action: "withdraw", skill: script.skill, digest, path, decision: "allow" } as const;
    await recordAndApply(skills.home, decision, () =>
      changeAllowedScripts(skills.home, (kept) => kept.delete(`${digest} ${path}`)),
    );
  }
  const changed = approvals.length > 0 || scripts.length > 0;
  // A name that neither exists nor was approved is a typo.
  if (!changed) resolveSkill(skills, wanted, context.workspace);
  return answer(context, { skill: name, approved: false, changed, scripts: scripts.length }, () => {
    const shown = stripControl(name);
    if (approvals.length > 0 || !changed) {
      const said = `${shown} ${changed ? "is no longer" : "was not"} approved.`;
      const { readersOf } = openAgentsOf(context, skills);
      const loaded = vetting && skill && stillLoaded(skill, factsOf(vetting), readersOf(skill));
      const rest = loaded ? ` ${loaded.who}. To stop that: ${loaded.stop}` : "";
      return hang(`${said}${rest}`, context.terminal);
    }
    return `${count(scripts.length, "script")} of ${shown} will be asked about again.`;
  });
}
