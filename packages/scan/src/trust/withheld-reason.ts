import type { SkillToVet } from "@skillet/core";
import type { KnownFinding, KnownVerdict } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import type { Inspection } from "./vetter.ts";

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
  return `skillet ${command} ${shellArgument(name.replaceAll(/\p{C}/gu, ""))}`;
}

const MAX_NAMED = 2;
// The clause can reach a model, and the names of files are the skill's own words.
const PLAIN_PATH = /^[\w./!-]{1,80}$/;

/** A clause about what a scan found: `the scan calls it dangerous: EX1 at scripts/run.sh:3`. */
export function describeVerdict({
  verdict,
  findings,
  counts,
}: Pick<KnownVerdict, "verdict" | "findings" | "counts">): string {
  const total = counts.critical + counts.warn;
  const named = findings.slice(0, MAX_NAMED).map(placeOf);
  const more = total > named.length ? ` and ${total - named.length} more` : "";
  const word = verdict === "caution" ? "the scan asks for caution" : `the scan calls it ${verdict}`;
  return `${word}${named.length === 0 ? "" : `: ${named.join(", ")}${more}`}`;
}

function placeOf({ rule, file, line }: KnownFinding): string {
  return PLAIN_PATH.test(file) ? `${rule} at ${file}:${line}` : rule;
}
