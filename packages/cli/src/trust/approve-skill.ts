import type { Skill } from "@skillet/core";
import { readApprovals } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import type { Inspection } from "@skillet/scan";
import { answer, CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { yesNeeded } from "../context/create-ask.ts";
import { lookUpSkill, openRegistry, openVetter, resolveSkill, toVet } from "../context/open-registry.ts";
import { hang, showPath, stripControl } from "../ui/text.ts";

interface ApproveOptions {
  readonly approve: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** Shows what the scan found in a skill and, on a yes, lets exactly these files be offered all the same. */
export async function approveSkill(context: CommandContext, options: ApproveOptions): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const skill = resolveSkill(skills, options.approve, context.workspace);
  const judged = toVet(skills, skill);
  const vetter = await openVetter(context, skills);
  const inspection = await vetter.inspect(judged);
  if ("problem" in inspection)
    throw new CliError("scan-failed", `${skill.qualifiedName} was not judged: ${inspection.problem}.`, {
      exitCode: 1,
      hints: [`See: skillet scan ${shellArgument(skill.qualifiedName)}`],
    });
  const { decision, approved } = inspection;
  if (!context.json) presentInspection(context, skill, inspection);
  if (decision.outcome === "allow" || approved) return report(context, skill, inspection, { changed: false });
  requireForce(skill, inspection, options);
  if (options.yes !== true && !(await ask(context, options))) {
    await vetter.decline(judged, inspection);
    context.terminal.print("Nothing was changed.");
    return 1;
  }
  await vetter.approve(judged, inspection, { forced: decision.outcome === "block" });
  // So that a list of skills shows it at once.
  await vetter.vet([judged]);
  return report(context, skill, inspection, { changed: true });
}

/** Takes every yes back that was given to a skill of that name, or to that digest: it waits for another one. */
export async function withdrawSkill(
  context: CommandContext,
  options: { readonly withdraw: string },
): Promise<ExitCode> {
  const { withdraw: wanted } = options;
  const skills = await openRegistry(context);
  const vetter = await openVetter(context, skills);
  const found = lookUpSkill(skills, wanted, context.workspace);
  const name = found.kind === "found" ? found.skill.qualifiedName : wanted;
  // A yes is to bytes, which keep it under whatever name they lie now.
  const present = found.kind === "found" ? await vetter.inspect(toVet(skills, found.skill)) : undefined;
  const current = present !== undefined && "digest" in present ? present.digest : undefined;
  const approvals = [...readApprovals(skills.home).approvals.values()].filter(
    ({ skill, digest }) => skill === name || digest === wanted || digest === current,
  );
  for (const approval of approvals) await vetter.withdraw(approval);
  if (found.kind === "found") await vetter.vet([toVet(skills, found.skill)]);
  const changed = approvals.length > 0;
  return answer(
    context,
    { skill: name, approved: false, changed },
    () => `${stripControl(name)} ${changed ? "is no longer approved" : "was not approved"}.`,
  );
}

function requireForce(
  { qualifiedName }: Skill,
  { decision, digest }: Inspection,
  { force, yes }: ApproveOptions,
): void {
  if (!decision.forceable)
    throw new CliError(
      "approval-impossible",
      `${qualifiedName} cannot be approved: ${decision.reason}, and nothing overrides that.`,
      { exitCode: 1 },
    );
  if (digest === undefined)
    throw new CliError(
      "approval-impossible",
      `${qualifiedName} cannot be approved: its files cannot all be read, so nobody knows what the yes would cover.`,
      { exitCode: 1, hints: [`See which: skillet explain ${shellArgument(qualifiedName)}`] },
    );
  if (decision.outcome !== "block" || force === true) return;
  const flags = yes === true ? "--force --yes" : "--force";
  throw new CliError("approval-needs-force", `${qualifiedName} is blocked: ${decision.reason}.`, {
    exitCode: 1,
    hints: [
      "To use it all the same, run:",
      `  skillet trust --approve ${shellArgument(qualifiedName)} ${flags}`,
    ],
  });
}

function ask({ confirm, json }: CommandContext, { approve, force }: ApproveOptions): Promise<boolean> {
  if (confirm !== undefined && !json) return confirm("Use exactly these files all the same?");
  const flags = force === true ? "--force --yes" : "--yes";
  throw yesNeeded("Approving a skill", `skillet trust --approve ${shellArgument(approve)} ${flags}`);
}

function report(
  context: CommandContext,
  { qualifiedName }: Skill,
  { digest, verdict, known: { findings }, decision }: Inspection,
  { changed }: { readonly changed: boolean },
): ExitCode {
  const approved = changed || decision.forceable;
  const name = stripControl(qualifiedName);
  return answer(context, { skill: qualifiedName, digest, verdict, findings, approved, changed }, () => {
    if (changed)
      return `${context.terminal.colours.green("✓")} Approved ${name}. Any change to its files ends that.`;
    return approved ? `${name} is approved already.` : `${name} needs no approval: ${decision.reason}.`;
  });
}

/** Shows what a scan found, before somebody is asked: verdict, place, digest and the worst findings. */
function presentInspection(
  { terminal, environment }: CommandContext,
  { qualifiedName, path }: Skill,
  { verdict, origin, digest, known }: Inspection,
): void {
  const { colours } = terminal;
  const paint = verdict === "safe" ? colours.green : verdict === "caution" ? colours.yellow : colours.red;
  const { critical, warn } = known.counts;
  const more = critical + warn - known.findings.length;
  const notes = [
    ...known.findings.map(({ rule, file, line, message }) => `${rule} ${file}:${line} ${message}`),
    ...(more > 0 ? [`and ${more} more: skillet scan ${shellArgument(qualifiedName)}`] : []),
    ...known.opinions.map(
      (opinion) => `${opinion.by} calls it ${opinion.verdict}: ${opinion.reasons.join(" ")}`,
    ),
  ];
  terminal.print([
    `${colours.bold(stripControl(qualifiedName))}  ${paint(verdict)}  ${colours.dim(origin)}`,
    `  ${showPath(path, environment)}`,
    `  ${colours.dim(digest ?? "no digest: not all of its files can be read")}`,
    ...notes.flatMap((text) => hang(text, terminal, { indent: 4 })),
  ]);
}
