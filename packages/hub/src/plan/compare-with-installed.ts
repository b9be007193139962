import type { TreeFile } from "@skillet/core";
import { boundedText } from "../discover/plugin-documents.ts";
import { type Allowed, type LockEntry, lockedFiles } from "../lock/lock-entry.ts";
import type { CapabilityChange, ReadItem, VersionChanges } from "../plan-item.ts";
import { gainedPowers } from "./gained-powers.ts";
import type { HubParts } from "./hub-parts.ts";
import { installedFiles } from "./read-installed.ts";
import { abilitiesOf, versionChanges } from "./version-changes.ts";

/**
 * Abilities are derived from the installed bytes: the author of a project's lock could have listed there what
 * the next version adds, and nobody would be asked.
 */
export async function compareWithInstalled(
  parts: HubParts,
  before: LockEntry,
  item: Pick<ReadItem, "kind" | "files" | "digest">,
  entry: LockEntry,
): Promise<VersionChanges> {
  if (before.digest === item.digest) return versionChanges(entry, entry);
  const kept = await installedFiles(parts, before);
  const changes = await changesSince(parts, before, kept, entry);
  const gained = gainedPowers(kept && { kind: before.kind, files: kept }, item);
  // A variable that is both declared and mentioned is one question.
  const everything = [...changes.gained, ...gained, ...(kept === undefined ? [UNKNOWN_LIMITS] : [])];
  const byText = new Map(everything.map((change) => [change.text, change]));
  return { ...changes, gained: [...byText.values()] };
}

// Only the old header shows what was removed from it.
const UNKNOWN_LIMITS: CapabilityChange = {
  kind: "limits",
  value: "unknown",
  text: "may have fewer restrictions: the installed version is gone, so they cannot be compared",
};

async function changesSince(
  { scan, scope }: HubParts,
  before: LockEntry,
  kept: readonly TreeFile[] | undefined,
  entry: LockEntry,
): Promise<VersionChanges> {
  if (kept !== undefined) {
    const { capabilities } = await scan(kept);
    return versionChanges({ files: lockedFiles(kept), capabilities }, entry);
  }
  const changes = versionChanges(before, entry);
  return scope.kind === "user" ? changes : { ...changes, gained: abilitiesOf(entry), lost: [] };
}

/** None unless every byte is the same: a hook runs whatever file it names, even one called `notes.md`. */
export function heldAllowances(
  before: Pick<LockEntry, "allowed" | "digest"> | undefined,
  after: Pick<LockEntry, "digest">,
): Allowed {
  const none = { hooks: false, mcpServers: false };
  return before?.digest === after.digest ? (before.allowed ?? none) : none;
}

// Users read a screen or two; longer lists can hide something.
const MAX_ASKED = 50;
const MAX_GAIN_CHARACTERS = 200;

// Everything that acts by itself, is used without asking or is handed over comes first and is never cut:
// fifty harmless hosts must not push a hook out of the question.
const NEVER_CUT: readonly CapabilityChange["kind"][] = [
  "hooks",
  "mcpServers",
  "allowedTools",
  "limits",
  "secrets",
  "settings",
  "instructions",
];

export function askAboutGains(gained: readonly CapabilityChange[]): string | undefined {
  if (gained.length === 0) return undefined;
  const first = NEVER_CUT.flatMap((kind) => gained.filter((change) => change.kind === kind));
  const rest = gained.filter(({ kind }) => !NEVER_CUT.includes(kind));
  const asked = [...first, ...rest.slice(0, Math.max(0, MAX_ASKED - first.length))];
  const texts = asked.map(({ text }) => boundedText(text, MAX_GAIN_CHARACTERS));
  const more = gained.length - texts.length;
  return `the new version ${texts.join("; ")}${more > 0 ? `; and can do ${more} more things that it could not` : ""}`;
}
