import type { Digest } from "@skillet/kit/digest";
import { asObject, fieldOf, textOf } from "@skillet/kit/json";
import type { TreeFile } from "../registry/read-tree.ts";
import type { ServerDefinition } from "./mcp-servers.ts";

/** An installed plugin whose hooks or servers the user allowed for these bytes; see `hub.plugins()`. */
export interface AllowedPlugin {
  readonly name: string;
  readonly digest: Digest;
  readonly root: string;
  /** Where an Agent Plugin's servers keep data; set for that form alone, whose placeholders it fills. */
  readonly data?: string;
  /** The files that the digest covers: hooks run from a copy of them, even if the folder has changed. */
  readonly files: readonly TreeFile[];
  /** Empty unless allowed, like the servers. */
  readonly hooks: readonly PluginHook[];
  readonly mcpServers: readonly ServerDefinition[];
}

const HOOK_EVENTS = ["SessionStart", "PreToolUse", "PostToolUse"] as const;

/** The events of a session that run hooks; hooks of other events belong to other agents. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** A command that a plugin runs on an event. */
export interface PluginHook {
  readonly event: HookEvent;
  /** Tool names separated by `|`, or else a regular expression; absent: every tool. */
  readonly matcher?: string;
  /** For a POSIX shell. */
  readonly command: string;
  readonly timeoutMs: number;
  /** The skill whose header declares the hook; it runs once that skill is loaded. */
  readonly skill?: string;
}

/** Starts one hook of a plugin; `createHookStarter` of `@skillet/run` makes one. */
export type HookStarter = (job: HookJob) => Promise<HookEnd>;

/** A hook to start, from a copy of the plugin's files and with a minimal environment. */
export interface HookJob {
  readonly plugin: Pick<AllowedPlugin, "name" | "digest" | "files">;
  readonly command: string;
  /** The event as JSON, for standard input. */
  readonly input: string;
  /** Absent in an untrusted project, whose files programs would obey: the hook starts in the copy instead. */
  readonly cwd?: string;
  readonly timeoutMs: number;
}

/** How a hook ended; `failed` says why it did not start, or why its answer cannot be relied on. */
export type HookEnd =
  | { readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly failed: string };

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_HOOKS = 200;

/** Reads hooks from `hooks/hooks.json`, a manifest or a skill's header; skips entries other than commands. */
export function readHooks(document: unknown, skill?: string): readonly PluginHook[] {
  const events = fieldOf(document, "hooks") ?? document;
  return HOOK_EVENTS.flatMap((event) =>
    listOf(fieldOf(events, event)).flatMap((group) => {
      const matcher = textOf(group, "matcher");
      return listOf(fieldOf(group, "hooks")).flatMap((entry): readonly PluginHook[] => {
        const command = textOf(entry, "command");
        const type = fieldOf(entry, "type") ?? "command";
        if (command === undefined || type !== "command") return [];
        const about = { ...(matcher !== undefined && { matcher }), ...(skill !== undefined && { skill }) };
        return [{ event, ...about, command, timeoutMs: timeoutOf(entry) }];
      });
    }),
  ).slice(0, MAX_HOOKS);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((item) => asObject(item) !== undefined) : [];
}

// In seconds.
function timeoutOf(entry: unknown): number {
  const timeout = fieldOf(entry, "timeout");
  const isNumber = typeof timeout === "number" && timeout > 0;
  return isNumber ? Math.min(MAX_TIMEOUT_MS, Math.ceil(timeout * 1_000)) : DEFAULT_TIMEOUT_MS;
}
