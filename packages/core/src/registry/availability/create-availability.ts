import { lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Gating } from "../../format/manifest.ts";
import type { MissingRequirement } from "../skill.ts";
import { createCommandFinder } from "./find-command.ts";

/** What the machine and the host have; what the host does not say is taken to be there. */
export interface AvailabilityContext {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly mcpServers?: readonly string[];
  readonly tools?: readonly string[];
  readonly toolsets?: readonly string[];
  /** The host's own settings, asked for by dotted path. */
  readonly hostConfig?: Readonly<Record<string, unknown>>;
}

/** Answers what a skill lacks here; nothing missing is an empty list. */
export type Availability = (gating: Gating) => readonly MissingRequirement[];

const NONE: readonly MissingRequirement[] = [];

// What one host that coined `requires.config` takes for granted when it is not set.
const HOST_CONFIG_DEFAULTS: ReadonlyMap<string, unknown> = new Map([
  ["browser.enabled", true],
  ["browser.evaluateEnabled", true],
]);

/** Prepares the look-ups for one machine and host; answers are kept for the life of the function. */
export function createAvailability(context: AvailabilityContext): Availability {
  const hasCommand = createCommandFinder(context);
  const platform = context.platform === "android" ? "linux" : context.platform;
  const known = new WeakMap<Gating, readonly MissingRequirement[]>();
  return (gating) => {
    let missing = known.get(gating);
    if (missing === undefined) {
      missing = findMissing(gating, { ...context, platform }, hasCommand);
      known.set(gating, missing);
    }
    return missing;
  };
}

function findMissing(
  gating: Gating,
  context: AvailabilityContext,
  hasCommand: (command: string) => boolean,
): readonly MissingRequirement[] {
  const missing: MissingRequirement[] = [];
  const { platform } = context;
  if (gating.os.length > 0 && !gating.os.includes(platform))
    missing.push({
      kind: "platform",
      names: gating.os,
      message: `needs ${gating.os.join(" or ")}, this is ${platform}`,
    });
  if (gating.always) return missing;
  addAll(
    missing,
    "command",
    "missing commands",
    gating.bins.filter((name) => !hasCommand(name)),
  );
  if (gating.anyBins.length > 0 && !gating.anyBins.some(hasCommand))
    missing.push({
      kind: "any-command",
      names: gating.anyBins,
      message: `needs one of the commands: ${gating.anyBins.join(", ")}`,
    });
  addAll(missing, "environment", "missing environment variables", missingEnvironment(gating, context));
  addAll(
    missing,
    "config",
    "missing host settings",
    gating.config.filter((path) => !isConfigured(context, path)),
  );
  addAll(
    missing,
    "credential-file",
    "missing credential files",
    gating.credentialFiles.filter((path) => !isThere(context, path)),
  );
  addAll(
    missing,
    "mcp",
    "missing MCP servers",
    unless(
      context.mcpServers,
      gating.mcp.map(({ name }) => name),
    ),
  );
  addAll(missing, "tool", "missing tools", unless(context.tools, gating.requiresTools));
  addAll(missing, "tool", "missing toolsets", unless(context.toolsets, gating.requiresToolsets));
  addAll(missing, "tool", "stands in for what is there", present(context.tools, gating.fallbackForTools));
  addAll(
    missing,
    "tool",
    "stands in for what is there",
    present(context.toolsets, gating.fallbackForToolsets),
  );
  return missing.length === 0 ? NONE : missing;
}

function addAll(
  missing: MissingRequirement[],
  kind: MissingRequirement["kind"],
  title: string,
  names: readonly string[],
): void {
  if (names.length > 0) missing.push({ kind, names, message: `${title}: ${names.join(", ")}` });
}

function missingEnvironment(gating: Gating, { environment }: AvailabilityContext): string[] {
  return gating.env
    .filter(({ name, optional }) => optional !== true && !environment[name]?.trim())
    .map(({ name }) => name);
}

function isConfigured({ hostConfig }: AvailabilityContext, path: string): boolean {
  if (hostConfig === undefined) return true;
  let value: unknown = hostConfig;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) value = undefined;
    else value = (value as Record<string, unknown>)[key];
  }
  value ??= HOST_CONFIG_DEFAULTS.get(path);
  return typeof value === "string" ? value.trim() !== "" : Boolean(value);
}

// Only whether it is there: a credential is never opened.
function isThere({ userHome }: AvailabilityContext, path: string): boolean {
  const relative = path.startsWith("~/") ? path.slice(2) : path;
  return (
    lstatSync(isAbsolute(relative) ? relative : join(userHome, relative), { throwIfNoEntry: false }) !==
    undefined
  );
}

function unless(having: readonly string[] | undefined, wanted: readonly string[]): readonly string[] {
  return having === undefined ? [] : wanted.filter((name) => !having.includes(name));
}

function present(having: readonly string[] | undefined, names: readonly string[]): readonly string[] {
  return having === undefined ? [] : names.filter((name) => having.includes(name));
}
