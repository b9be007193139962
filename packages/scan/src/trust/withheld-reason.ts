import type { SkillToVet } from "@skillet/core";
import { describeVerdict } from "./describe-verdict.ts";
import type { Inspection } from "./inspection.ts";

/** Why a skill is not offered, and the exact command that would change it, where one does. */
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

export function approvalCommand(
  option: "--approve" | "--withdraw",
  name: string,
  ...flags: readonly string[]
): string {
  return [skillCommand(`trust ${option}`, name), ...flags].join(" ");
}

/** A command line about one skill, whose name is quoted where a shell would not take it as it is. */
export function skillCommand(command: string, name: string): string {
  const argument = /^[\w:@./-]+$/.test(name)
    ? name
    : `'${name.replaceAll(/\p{C}/gu, "").replaceAll("'", String.raw`'\''`)}'`;
  return `skillet ${command} ${argument}`;
}
