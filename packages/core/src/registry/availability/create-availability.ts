import { isAbsolute, join } from "node:path";
import { statusOf } from "@skillet/kit/files";
import { fieldOf } from "@skillet/kit/json";
import { createProgramFinder } from "@skillet/kit/program";
import type { Gating } from "../../format/manifest.ts";
import type { MissingRequirement } from "../skill.ts";

/** What the machine and the host offer; a list that the host leaves out makes nothing count as missing. */
export interface AvailabilityContext {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly mcpServers?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly toolsets?: readonly string[] | undefined;
  /** The host's own settings, looked up by dotted path. */
  readonly hostConfig?: Readonly<Record<string, unknown>> | undefined;
}

/** Lists what a skill lacks here. */
export type Availability = (gating: Gating) => readonly MissingRequirement[];

/** Prepares look-ups for one machine and host; the function caches its answers. */
export function createAvailability(context: AvailabilityContext): Availability {
  const questions = createQuestions(context);
  const platform = context.platform === "android" ? "linux" : context.platform;
  const known = new WeakMap<Gating, readonly MissingRequirement[]>();
  return (gating) => {
    let missing = known.get(gating);
    if (missing === undefined) {
      missing = findMissing(gating, platform, questions);
      known.set(gating, missing);
    }
    return missing;
  };
}

/** One kind of requirement: its description, its names in a gating, and the test for a missing one. */
type Question = readonly [
  kind: MissingRequirement["kind"],
  title: string,
  names: (gating: Gating) => readonly string[],
  lacks: (name: string) => boolean,
];

function createQuestions(context: AvailabilityContext): readonly Question[] {
  const { environment, mcpServers, tools, toolsets } = context;
  const findCommand = createProgramFinder(context);
  const hasCommand = (name: string): boolean => findCommand(name) !== undefined;
  // If the host says nothing, a name counts as neither missing nor present.
  const lacks = (known: readonly string[] | undefined) => (name: string) => known?.includes(name) === false;
  const has = (known: readonly string[] | undefined) => (name: string) => known?.includes(name) === true;
  const fallback = "stands in for what is there";
  return [
    ["command", "missing commands", ({ bins }) => bins, (name) => !hasCommand(name)],
    [
      "any-command",
      "needs one of the commands",
      ({ anyBins }) => (anyBins.some(hasCommand) ? NO_NAMES : anyBins),
      () => true,
    ],
    [
      "environment",
      "missing environment variables",
      ({ env }) => env.filter(({ optional }) => optional !== true).map(({ name }) => name),
      (name) => !isSet(environment, name),
    ],
    ["config", "missing host settings", ({ config }) => config, (path) => !isConfigured(context, path)],
    [
      "credential-file",
      "missing credential files",
      ({ credentialFiles }) => credentialFiles,
      (path) => !isThere(context, path),
    ],
    ["mcp", "missing MCP servers", ({ mcp }) => mcp.map(({ name }) => name), lacks(mcpServers)],
    ["tool", "missing tools", ({ requiresTools }) => requiresTools, lacks(tools)],
    ["tool", "missing toolsets", ({ requiresToolsets }) => requiresToolsets, lacks(toolsets)],
    ["tool", fallback, ({ fallbackForTools }) => fallbackForTools, has(tools)],
    ["tool", fallback, ({ fallbackForToolsets }) => fallbackForToolsets, has(toolsets)],
  ];
}

const NONE: readonly MissingRequirement[] = [];
const NO_NAMES: readonly string[] = [];

function findMissing(
  gating: Gating,
  platform: string,
  questions: readonly Question[],
): readonly MissingRequirement[] {
  const missing: MissingRequirement[] = [];
  const { os, always } = gating;
  if (os.length > 0 && !os.includes(platform))
    missing.push({ kind: "platform", names: os, message: `needs ${os.join(" or ")}, this is ${platform}` });
  // Even a skill that is always offered cannot run on another system.
  if (always) return missing;
  for (const [kind, title, names, lacks] of questions) {
    const asked = names(gating);
    if (asked.length === 0) continue;
    const lacking = asked.filter(lacks);
    if (lacking.length > 0)
      missing.push({ kind, names: lacking, message: `${title}: ${lacking.join(", ")}` });
  }
  return missing.length === 0 ? NONE : missing;
}

// Defaults of the host that introduced `requires.config`.
const HOST_CONFIG_DEFAULTS: ReadonlyMap<string, unknown> = new Map([
  ["browser.enabled", true],
  ["browser.evaluateEnabled", true],
]);

function isConfigured({ hostConfig }: AvailabilityContext, path: string): boolean {
  if (hostConfig === undefined) return true;
  const value = path.split(".").reduce<unknown>(fieldOf, hostConfig) ?? HOST_CONFIG_DEFAULTS.get(path);
  return typeof value === "string" ? value.trim() !== "" : Boolean(value);
}

// Names come from skills: `toString` must not find inherited properties.
function isSet(environment: AvailabilityContext["environment"], name: string): boolean {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value !== undefined && value.trim() !== "";
}

// Tests only existence: a credential is never opened. Only below the home folder, so that a skill cannot ask
// about other files of the machine.
function isThere({ userHome }: AvailabilityContext, path: string): boolean {
  const relative = path.startsWith("~/") ? path.slice(2) : path;
  const parts = relative.split("/");
  if (isAbsolute(relative) || parts.includes("..")) return false;
  return statusOf(join(userHome, relative)) !== undefined;
}
