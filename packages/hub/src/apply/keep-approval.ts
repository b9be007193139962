import { approveSkill } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
import type { HubParts } from "../plan/hub-parts.ts";
import type { PlanItem } from "../plan/plan.ts";
import { treeDigestOf } from "../tree-digest-of.ts";

/** Keeps the yes to what the table would not have offered: whoever gave it is not asked again for the same bytes. */
export async function keepApproval(parts: HubParts, item: PlanItem): Promise<void> {
  const { name, decision } = item;
  if (item.report.verdict === "safe" || !decision.forceable) return;
  // Where the table asks, and a person said yes, nobody insisted.
  const forced = decision.outcome === "allow";
  for (const { digest, report } of await offeredOf(parts, item)) {
    if (report.verdict === "safe") continue;
    const { verdict, findings } = report;
    const critical = findings.filter(({ severity }) => severity === "critical").map(({ rule }) => rule);
    const criticalRules = [...new Set(critical)].sort();
    const approval = { digest, skill: name, verdict, criticalRules, forced };
    await approveSkill({ home: parts.home, approval, clock: parts.clock });
  }
}

interface Offered {
  readonly digest: Digest;
  readonly report: PlanItem["report"];
}

// A plugin is installed whole, but offered skill by skill: the yes to it holds for each as far as that one needs it, and
// not for what the worst of them was found to do.
async function offeredOf(
  { scan, signal }: HubParts,
  { candidate, report }: PlanItem,
): Promise<readonly Offered[]> {
  const { files, parts, digest } = candidate;
  if (parts === undefined) return [{ digest, report }];
  const offered: Offered[] = [];
  for (const { folder } of parts.skills) {
    const prefix = folder === "" ? "" : `${folder}/`;
    const own = files
      .filter(({ path }) => path.startsWith(prefix))
      .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
    offered.push({ digest: treeDigestOf(own), report: await scan(own, { ...(signal && { signal }) }) });
  }
  return offered;
}
