import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveHome } from "@skillet/core";
import type { SwitchStep } from "@skillet/hub";
import { isInside } from "@skillet/kit/files";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";

/** Which steps let agents load a skill again that the scan calls dangerous and that was not approved, and where it lies. */
export async function dangerousSteps(
  context: CommandContext,
  steps: readonly SwitchStep[],
): Promise<ReadonlyMap<SwitchStep, string>> {
  const { home } = resolveHome(context.environment);
  // Where the skill lies now; a link that was moved leads nowhere, and what it led to has a step of its own.
  const folderOf = ({ record, isBack }: SwitchStep): string | undefined => {
    if (isBack !== true || (record.kind === "edit" && record.hooks !== undefined)) return undefined;
    if (record.kind === "target") return join(home, "plugins", record.entry);
    if (record.kind === "edit") return dirname(record.skillFile);
    return isInside(record.from, join(home, "disabled")) ? undefined : record.to;
  };
  const found = steps.flatMap((step) => {
    const folder = folderOf(step);
    return folder !== undefined && existsSync(folder) ? [[step, folder] as const] : [];
  });
  const folders = new Set(found.map(([, folder]) => folder));
  if (folders.size === 0) return new Map();
  const skills = await openRegistry({ ...context, skillsRoots: [...folders] }, { cached: false });
  const shown = skills.snapshot.skills;
  const facts = await vetShown(context, skills, shown, { maxScanned: shown.length });
  const dangerous = shown.filter((skill) => {
    const known = facts.get(skill);
    return known?.verdict === "dangerous" && known.approved !== true;
  });
  const files = dangerous.flatMap(({ path, alsoAt }) => [path, ...alsoAt]);
  return new Map(found.filter(([, folder]) => files.some((file) => isInside(file, folder))));
}
