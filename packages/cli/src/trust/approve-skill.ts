import type { Skill } from "@skillet/core";
import { readApprovals } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import type { Inspection } from "@skillet/scan";
import { CliError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { yesNeeded } from "../context/create-ask.ts";
import { lookUpSkill, openRegistry, openVetter, resolveSkill, toVet } from "../context/open-registry.ts";
import { verdictPaint } from "../ui/skill-state.ts";
import { hang, showPath, stripControl } from "../ui/text.ts";

/** Shows what the scan found in a skill and, once agreed, lets exactly these files be offered anyway. */
export async function approveSkill(
  context: CommandContext,
  word: string,
  options: { readonly force: boolean; readonly yes: boolean },
): Promise<ExitCode> {
  const { json, confirm, terminal } = context;
  const skills = await openRegistry(context);
  const skill = resolveSkill(skills, word, context.workspace);
  const { qualifiedName } = skill;
  const judged = toVet(skills, skill);
  const vetter = await openVetter(context, skills);
  const inspection = await vetter.inspect(judged);
  if ("problem" in inspection)
    throw new CliError("scan-failed", `${qualifiedName} was not judged: ${inspection.problem}.`, {
      exitCode: 1,
      hints: [`See: skillet scan ${shellArgument(qualifiedName)}`],
    });
  const { decision, digest, verdict, known } = inspection;
  if (!json) terminal.print(inspectionLines(context, skill, inspection));
  const changed = decision.outcome !== "allow" && !inspection.approved;
  if (changed) {
    requireForce(qualifiedName, inspection, options);
    if (!options.yes && (confirm === undefined || json)) {
      const flags = options.force ? "--force --yes" : "--yes";
      throw yesNeeded("Approving a skill", `skillet trust --approve ${shellArgument(word)} ${flags}`);
    }
    if (!options.yes && (await confirm?.("Use exactly these files anyway?")) !== true) {
      await vetter.decline(judged, inspection);
      terminal.print("Nothing was changed.");
      return 1;
    }
    await vetter.approve(judged, inspection, { forced: decision.outcome === "block" });
    // So that a list of skills shows it at once.
    await vetter.vet([judged]);
  }
  const approved = changed || decision.forceable;
  const { findings } = known;
  return answer(context, { skill: qualifiedName, digest, verdict, findings, approved, changed }, () => {
    const name = stripControl(qualifiedName);
    if (changed) return `${terminal.colours.green("✓")} Approved ${name}. Any change to its files ends that.`;
    return approved ? `${name} is already approved.` : `${name} needs no approval: ${decision.reason}.`;
  });
}

function requireForce(
  name: string,
  { decision: { forceable, reason, outcome }, digest }: Inspection,
  { force, yes }: { readonly force: boolean; readonly yes: boolean },
): void {
  const refuse = (code: string, message: string, hints: readonly string[] = []): CliError =>
    new CliError(code, `${name} ${message}`, { exitCode: 1, hints });
  if (!forceable)
    throw refuse("approval-impossible", `cannot be approved: ${reason}, and nothing overrides that.`);
  if (digest === undefined)
    throw refuse(
      "approval-impossible",
      "cannot be approved: not all of its files can be read, so it is unknown what the approval would cover.",
      [`See which: skillet explain ${shellArgument(name)}`],
    );
  if (outcome !== "block" || force) return;
  throw refuse("approval-needs-force", `is blocked: ${reason}.`, [
    "To use it anyway, run:",
    `  skillet trust --approve ${shellArgument(name)} ${yes ? "--force --yes" : "--force"}`,
  ]);
}

/** Verdict, place, digest and the worst findings. */
function inspectionLines(
  { terminal, environment }: CommandContext,
  { qualifiedName, path }: Skill,
  { verdict, origin, digest, known }: Inspection,
): readonly string[] {
  const { bold, dim } = terminal.colours;
  const { critical, warn } = known.counts;
  const more = critical + warn - known.findings.length;
  const notes = [
    ...known.findings.map(({ rule, file, line, message }) => `${rule} ${file}:${line} ${message}`),
    ...(more > 0 ? [`and ${more} more: skillet scan ${shellArgument(qualifiedName)}`] : []),
    ...known.opinions.map((one) => `${one.by} calls it ${one.verdict}: ${one.reasons.join(" ")}`),
  ];
  return [
    `${bold(stripControl(qualifiedName))}  ${verdictPaint(verdict, terminal.colours)(verdict)}  ${dim(origin)}`,
    `  ${showPath(path, environment)}`,
    `  ${dim(digest ?? "no digest: not all of its files can be read")}`,
    ...notes.flatMap((text) => hang(text, terminal, { indent: 4 })),
  ];
}

/** Takes back every approval of a skill of that name, or of that digest. */
export async function withdrawSkill(context: CommandContext, wanted: string): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const vetter = await openVetter(context, skills);
  const found = lookUpSkill(skills, wanted, context.workspace);
  const skill = found.kind === "found" ? found.skill : undefined;
  const name = skill?.qualifiedName ?? wanted;
  // An approval is of bytes, which keep it under any name.
  const present = skill && (await vetter.inspect(toVet(skills, skill)));
  const current = present !== undefined && "digest" in present ? present.digest : undefined;
  const approvals = [...readApprovals(skills.home).approvals.values()].filter(
    (one) => one.skill === name || one.digest === wanted || one.digest === current,
  );
  for (const approval of approvals) await vetter.withdraw(approval);
  if (skill !== undefined) await vetter.vet([toVet(skills, skill)]);
  const changed = approvals.length > 0;
  return answer(
    context,
    { skill: name, approved: false, changed },
    () => `${stripControl(name)} ${changed ? "is no longer approved" : "was not approved"}.`,
  );
}
