import type { Capabilities } from "@skillet/scan";
import type { LockEntry } from "../lock/lock-entry.ts";
import { isProgramPath } from "./is-program-path.ts";

/** What another version of a skill changes, for people who must say yes to it. */
export interface VersionChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** What it could not do before; each is a reason to ask again. */
  readonly gained: readonly CapabilityChange[];
  readonly lost: readonly CapabilityChange[];
}

/** One thing that a skill can do. */
export interface CapabilityChange {
  readonly kind:
    | keyof Capabilities
    | "scripts"
    | "hooks"
    | "mcpServers"
    | "skills"
    | "slashCommands"
    | "agents"
    | "instructions"
    | "settings"
    | "allowedTools"
    | "limits";
  readonly value: string;
  /** For people, such as `contacts api.example.com`. */
  readonly text: string;
}

type Version = Pick<LockEntry, "files" | "capabilities">;

/** Compares two versions, by file and by capability. */
export function versionChanges(before: Version, after: Version): VersionChanges {
  const had = before.files;
  const has = after.files;
  const added = Object.keys(has).filter((path) => !Object.hasOwn(had, path));
  const removed = Object.keys(had).filter((path) => !Object.hasOwn(has, path));
  const changed = Object.keys(has).filter((path) => {
    const [old, now] = [Object.hasOwn(had, path) ? had[path] : undefined, has[path]];
    return old !== undefined && now !== undefined && (old.digest !== now.digest || old.mode !== now.mode);
  });
  const gained = capabilityChanges(before, after);
  return { added, removed, changed, gained, lost: capabilityChanges(after, before) };
}

/** Everything that a version can do, for people who have not met it before. */
export function abilitiesOf(version: Version): readonly CapabilityChange[] {
  const capabilities = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Capabilities;
  return capabilityChanges({ files: {}, capabilities }, version);
}

function capabilityChanges(from: Version, to: Version): readonly CapabilityChange[] {
  const listed = KINDS.flatMap((kind) => {
    const known = new Set(from.capabilities[kind] ?? []);
    const values = (to.capabilities[kind] ?? []).filter((value) => !known.has(value));
    return values.map((value): CapabilityChange => ({ kind, value, text: `${VERBS[kind]} ${value}` }));
  });
  const known = new Set(scriptsOf(from));
  const scripts = scriptsOf(to).filter((path) => !known.has(path));
  return [
    ...listed,
    ...scripts.map(
      (value): CapabilityChange => ({ kind: "scripts", value, text: `has the script ${value}` }),
    ),
  ];
}

// Whatever can be run: by its mode, its place or its name. What only its bytes tell is among its powers.
function scriptsOf({ files }: Version): readonly string[] {
  return Object.keys(files).filter((path) => files[path]?.mode === "755" || isProgramPath(path));
}

const VERBS: Readonly<Record<keyof Capabilities, string>> = {
  network: "contacts",
  commands: "runs",
  paths: "reaches",
  secrets: "asks for",
  persistence: "stays by",
  agentConfig: "changes",
  packages: "installs",
  remoteInstructions: "follows",
};

const KINDS = Object.keys(VERBS) as readonly (keyof Capabilities)[];
