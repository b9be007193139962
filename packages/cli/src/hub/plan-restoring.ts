import { existsSync } from "node:fs";
import type { Plan, PlanItem, Verification } from "@skillet/hub";
import { CliError } from "../cli-error.ts";
import { driftWords, isEdit } from "./drift-words.ts";
import { loadInstalling } from "./load-installing.ts";
import type { HubWork } from "./with-hub.ts";

/** Brings back what the lock says, as a plan that leaves alone what is there already. */
export async function planRestoring(
  work: HubWork,
  options: { readonly force: boolean; readonly discard: boolean; readonly frozen: boolean },
): Promise<Plan> {
  const { hub } = work;
  const { force, discard, frozen } = options;
  // In the wrong folder a pipeline would otherwise install nothing, and be content.
  if (frozen && !existsSync(hub.lockFile))
    throw new CliError("lock-missing", `There is no ${hub.lockFile}, so there is nothing to hold on to.`, {
      exitCode: 1,
      hints: [
        work.scope.kind === "project"
          ? "Run it where the lock is, or name the folder with --workspace."
          : "This is your own lock; for that of a project pass --project.",
      ],
      details: { file: hub.lockFile },
    });
  const verified = new Map((await hub.verify([])).map((found) => [found.name, found]));
  // Also what is there is judged anew: a lock says nothing about whether its skills may be used.
  const plan = await hub.planRestore({ names: [], force, frozen });
  const items = plan.items.map(
    (item): PlanItem => (isIntact(verified.get(item.name)) ? { ...item, action: "unchanged" } : item),
  );
  if (discard) return { ...plan, items };
  const edited = items.filter(({ name, action }) => action !== "unchanged" && isEdited(verified.get(name)));
  const command = loadInstalling().scopedCommand(work, "install --discard");
  const refusals = edited.map(({ name, entry }) => ({
    name,
    source: entry.source,
    digest: entry.digest,
    code: "frozen-mismatch" as const,
    reason: `${name} was edited: ${driftWords(verified.get(name)?.drift ?? [])}. \`${command}\` puts back what the lock says.`,
  }));
  const rest = items.filter((item) => !edited.includes(item));
  return { ...plan, items: rest, refusals: [...plan.refusals, ...refusals] };
}

function isIntact(found: Verification | undefined): boolean {
  return found?.drift.length === 0;
}

function isEdited(found: Verification | undefined): boolean {
  return (found?.drift ?? []).some(isEdit);
}
