import type { Inspected } from "../inspect/inspected.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { versionChanges } from "../update/version-changes.ts";
import type { HubParts } from "./hub-parts.ts";
import type { Refusal } from "./plan.ts";
import { scopedCommand } from "./scoped-command.ts";
import { shellWord } from "./shell-word.ts";

const MAX_NAMED = 5;

/**
 * The refusal of an entry that says other things of what its files can do than the same rules find in them; undefined
 * where it does not, or where other rules wrote it.
 */
export function refuseClaims(
  parts: Pick<HubParts, "scope">,
  name: string,
  { entry, report }: { readonly entry: LockEntry; readonly report: Inspected["report"] },
): Refusal | undefined {
  if (entry.report.scanner !== report.ruleSet) return undefined;
  const { source, digest, capabilities } = entry;
  const found = { files: {}, capabilities: report.capabilities };
  const { gained, lost } = versionChanges(found, { files: {}, capabilities });
  const differences = [
    ...gained.map(({ text }) => `nothing in them ${text}`),
    ...lost.map(({ text }) => `the lock leaves out that it ${text}`),
  ];
  if (differences.length === 0) return undefined;
  const more = differences.length > MAX_NAMED ? `; and ${differences.length - MAX_NAMED} more` : "";
  const install = scopedCommand(parts, `install ${shellWord(source)}`);
  const reason = `What the lock says ${name} can do is not what its files can: ${differences.slice(0, MAX_NAMED).join("; ")}${more}. Take the lock from version control again, or have the entry written anew: ${install}`;
  return { name, source, digest, code: "frozen-mismatch", reason };
}
