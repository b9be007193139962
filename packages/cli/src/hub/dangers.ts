import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveHome } from "@skillet/core";
import type { SwitchStep } from "@skillet/hub";
import { canonicalPath, isInside } from "@skillet/kit/files";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";

/** Where the skill of a step lies; a scan that failed says nothing, so it is not called safe either. */
export type Dangers = ReadonlyMap<SwitchStep, { readonly folder: string; readonly isScanned: boolean }>;

/** Which steps let agents load a skill again that the scan does not clear and that was not approved. */
export async function dangerousSteps(
  context: CommandContext,
  steps: readonly SwitchStep[],
  plugins: string,
): Promise<Dangers> {
  const { home } = resolveHome(context.environment);
  // Where the skill lies now; a link that was moved leads nowhere, and what it led to has a step of its own.
  const folderOf = ({ record, isBack }: SwitchStep): string | undefined => {
    if (isBack !== true || (record.kind === "edit" && record.hooks !== undefined)) return undefined;
    if (record.kind === "target") return join(plugins, record.entry);
    if (record.kind === "edit") return dirname(record.skillFile);
    return isInside(record.from, join(home, "disabled")) ? undefined : record.to;
  };
  const found = steps.flatMap((step) => {
    const folder = folderOf(step);
    return folder !== undefined && existsSync(folder) ? [[step, folder] as const] : [];
  });
  const skillsRoots = [...new Set(found.map(([, folder]) => folder))];
  if (found.length === 0) return new Map();
  const skills = await openRegistry({ ...context, skillsRoots }, { cached: false });
  const shown = skills.snapshot.skills;
  const facts = await vetShown(context, skills, shown, { maxScanned: shown.length });
  const dangers = found.flatMap(([step, folder]) => {
    const isHere = (file: string): boolean => isInside(canonicalPath(file), canonicalPath(folder));
    const here = shown.filter(({ path, alsoAt }) => [path, ...alsoAt].some(isHere));
    const verdicts = here.map((one) => (facts.get(one)?.approved ? "safe" : facts.get(one)?.verdict));
    const isScanned = here.length > 0 && !verdicts.some((one) => one === undefined || one === "unknown");
    return isScanned && !verdicts.includes("dangerous") ? [] : [[step, { folder, isScanned }] as const];
  });
  return new Map(dangers);
}
