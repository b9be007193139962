import { dirname, resolve } from "node:path";
import { type Diagnostic, readBoundedFile } from "@skillet/core";
import type { ImportedSkill, InstallRequest, Plan, PlanItem, Refusal } from "@skillet/hub";
import { CliError } from "../cli-error.ts";
import { loadInstalling } from "./load-installing.ts";
import type { HubWork } from "./with-hub.ts";

const MAX_IMPORT_BYTES = 16 * 1024 * 1024;

/** What another tool's lock lists, planned as one: all of it, or nothing. */
export async function planImport(
  { hub, userHome }: HubWork,
  file: string,
  request: Pick<InstallRequest, "agents" | "agentTargets" | "force">,
): Promise<{ readonly plan: Plan; readonly pinned: readonly string[] }> {
  const { importSkillsLock, showSource } = loadInstalling();
  const bytes = readBoundedFile(file, { maxBytes: MAX_IMPORT_BYTES });
  if (bytes === undefined)
    throw new CliError("import-missing", `There is no file ${file}.`, {
      hints: ["Name a skills-lock.json or .skill-lock.json that exists."],
      details: { file },
    });
  const root = resolve(dirname(file));
  const imported = importSkillsLock(Buffer.from(bytes).toString(), { file, root, userHome });
  const items: PlanItem[] = [];
  const refusals: Refusal[] = [];
  const diagnostics: Diagnostic[] = [...imported.diagnostics];
  for (const skill of imported.skills) {
    const source = showSource(skill.source);
    const plan = await hub.planInstall({ ...request, source, names: [], all: false, link: false });
    diagnostics.push(...plan.diagnostics);
    refusals.push(...plan.refusals);
    for (const item of plan.items) {
      const refusal = checkHash(skill, item);
      if (refusal === undefined) items.push(item);
      else refusals.push(refusal);
    }
  }
  const pinned = imported.skills.filter((skill) => skill.pinned).map(({ name }) => name);
  const unusable = imported.diagnostics.find(({ severity }) => severity === "error");
  if (unusable !== undefined)
    throw new CliError("import-invalid", unusable.message, {
      hints: unusable.hint === undefined ? [] : [unusable.hint],
      details: { file },
    });
  return { plan: { items, refusals, diagnostics }, pinned };
}

// That lock's own tool installs changed content without a word; whoever comes from there must hear of it.
function checkHash(
  { computedHash }: ImportedSkill,
  { name, entry, candidate }: PlanItem,
): Refusal | undefined {
  if (computedHash === undefined || loadInstalling().skillsHash(candidate.files) === computedHash)
    return undefined;
  const { source, digest } = entry;
  const reason = `${name} is not what that lock says any more: its source changed since. Install it by hand after a look: skillet install ${source}`;
  return { name, source, digest, code: "frozen-mismatch", reason };
}
