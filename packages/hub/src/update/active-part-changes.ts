import type { PluginParts } from "../discover/plugin-parts.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { CapabilityChange } from "./version-changes.ts";

type ActiveParts = Pick<PluginParts, "hooks" | "mcpServers">;

/** What a plugin would run by itself that another version of it would not. */
export function activePartChanges(
  before: ActiveParts | undefined,
  after: ActiveParts,
): readonly CapabilityChange[] {
  const known = new Set([...(before?.hooks ?? []), ...(before?.mcpServers ?? [])].map(keyOf));
  const hooks = after.hooks.filter((hook) => !known.has(keyOf(hook)));
  const servers = after.mcpServers.filter((server) => !known.has(keyOf(server)));
  return [
    ...hooks.map(({ event, command }): CapabilityChange => {
      const value = `${event}: ${command}`;
      return { kind: "hooks", value, text: `has the hook ${value}` };
    }),
    ...servers.map(({ name, command, url }): CapabilityChange => {
      const value = [name, command ?? url].filter((part) => part !== undefined).join(": ");
      return { kind: "mcpServers", value, text: `brings the server ${value}` };
    }),
  ];
}

/**
 * Which allowances of a plugin hold for another version of it: those for parts that are the same, run by the same files.
 *
 * Prose may change; a script or a setting that changed is one that nobody has allowed.
 */
export function heldAllowances(
  before: LockEntry,
  after: Pick<LockEntry, "files" | "digest">,
  parts: { readonly before: ActiveParts | undefined; readonly after: ActiveParts },
): NonNullable<LockEntry["allowed"]> {
  const { hooks, mcpServers } = before.allowed ?? { hooks: false, mcpServers: false };
  if (before.digest === after.digest) return { hooks, mcpServers };
  const isSame = parts.before !== undefined && sameFiles(before.files, after.files);
  const held = (key: keyof ActiveParts): boolean =>
    isSame && JSON.stringify(parts.before?.[key]) === JSON.stringify(parts.after[key]);
  return { hooks: hooks && held("hooks"), mcpServers: mcpServers && held("mcpServers") };
}

// Manifests change with every version; what they say is compared by itself.
const PROSE = /(?:\.md|\.txt|^\.[a-z]+-plugin\/plugin\.json|(?:^|\/)LICENSE)$/;

function sameFiles(before: LockEntry["files"], after: LockEntry["files"]): boolean {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths.every((path) => {
    if (PROSE.test(path)) return true;
    const [old, now] = [before, after].map((files) => (Object.hasOwn(files, path) ? files[path] : undefined));
    return old !== undefined && old.digest === now?.digest && old.mode === now.mode;
  });
}

function keyOf(part: object): string {
  return JSON.stringify(part);
}
