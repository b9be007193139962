import { cutPath, fitsPaths, matchesName, parseStars } from "@skillet/kit/glob";
import type { PolicyMode } from "../config/config.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Skill } from "../registry/skill.ts";

/** Who asks for skills, and under what rules. */
export interface VisibilityFilter {
  /** Default: a model. */
  readonly viewer?: "model" | "user";
  /** `plan` hides skills that change things, `locked` all that are not in `allowed`; default: neither. */
  readonly mode?: PolicyMode;
  /** Names and patterns with `*`, for `locked`. */
  readonly allowed?: readonly string[];
  /** For `plan`: without it, only skills that say so are taken to change nothing. */
  readonly hasScripts?: HasScripts;
  /** Files in play, relative to the workspace; unless given, the `paths` of skills do not count. */
  readonly files?: readonly string[];
  /** What the host is; unless given, the `products` of skills do not count. */
  readonly product?: string;
}

/** A skill that is kept from the viewer, and why. */
export interface HiddenSkill {
  readonly skill: Skill;
  readonly cause:
    | "state"
    | "verdict"
    | "policy"
    | "invocation"
    | "product"
    | "paths"
    | "plan-mode"
    | "locked-mode";
  /** For people, such as `only the user can invoke it`. */
  readonly reason: string;
}

/** Parts skills into those that a viewer may see and those that it may not; hidden means absent, not blocked. */
export function visibleSkills(
  skills: readonly Skill[],
  filter: VisibilityFilter = {},
): { readonly visible: readonly Skill[]; readonly hidden: readonly HiddenSkill[] } {
  const obstaclesOf = createObstacles(filter);
  const visible: Skill[] = [];
  const hidden: HiddenSkill[] = [];
  for (const skill of skills) {
    const obstacle = checkState(skill) ?? obstaclesOf(skill)[0];
    if (obstacle === undefined) visible.push(skill);
    else hidden.push({ skill, ...obstacle });
  }
  return { visible, hidden };
}

export type Obstacle = Omit<HiddenSkill, "skill">;

/** Everything but its state that keeps a skill from a viewer, for callers who know better whether it can be used. */
export function createObstacles(filter: VisibilityFilter): FindObstacles {
  const isAllowed = createAllowList(filter.allowed ?? []);
  const files = filter.files?.map(cutPath);
  return (skill, manifest = skill.manifest) =>
    [
      checkInvocation(manifest, filter),
      checkProduct(manifest, filter),
      checkMode(skill, manifest, filter, isAllowed),
      checkPaths(manifest, filter, files),
    ].filter((obstacle) => obstacle !== undefined);
}

/** What keeps a skill from a viewer, by the header of the snapshot or by one that was read since. */
export type FindObstacles = (skill: Skill, manifest?: Manifest) => readonly Obstacle[];

/**
 * Tells whether a qualified name is on a list of names and patterns with `*`.
 *
 * Bare names do not count: any skill can declare one, and would be allowed in another's place.
 */
export function createAllowList(allowed: readonly string[]): (qualifiedName: string) => boolean {
  const patterns = allowed.map((text) => parseStars(text.normalize()));
  const names = new Set<unknown>(patterns);
  const wild = patterns.filter((pattern) => typeof pattern !== "string");
  return (qualifiedName) => {
    const name = qualifiedName.normalize();
    return names.has(name) || wild.some((pattern) => matchesName(pattern, name));
  };
}

export function createPathCheck(files: readonly string[]): (skill: Skill) => Obstacle | undefined {
  const cut = files.map(cutPath);
  return ({ manifest }) => checkPaths(manifest, {}, cut);
}

function checkState({ state, reason }: Skill): Obstacle | undefined {
  if (state === "enabled") return undefined;
  return { cause: "state", reason: reason === undefined ? `it is ${state}` : `it is ${state}: ${reason}` };
}

function checkInvocation({ invocation }: Manifest, { viewer }: VisibilityFilter): Obstacle | undefined {
  const { model, user } = invocation;
  if (viewer === "user")
    return user ? undefined : { cause: "invocation", reason: "the user cannot invoke it" };
  return model ? undefined : { cause: "invocation", reason: "only the user can invoke it" };
}

function checkProduct({ invocation }: Manifest, { product }: VisibilityFilter): Obstacle | undefined {
  const { products } = invocation;
  if (product === undefined || products.length === 0) return undefined;
  if (products.some((name) => name.toLowerCase() === product.toLowerCase())) return undefined;
  return { cause: "product", reason: `it is for ${listSome(products)} and not for ${product}` };
}

function checkMode(
  skill: Skill,
  manifest: Manifest,
  { mode, hasScripts }: VisibilityFilter,
  isAllowed: (name: string) => boolean,
): Obstacle | undefined {
  if (mode === "plan") {
    const why = whyMutates(skill, manifest, hasScripts);
    return why === undefined
      ? undefined
      : { cause: "plan-mode", reason: `nothing is changed in plan mode, and ${why}` };
  }
  if (mode !== "locked" || isAllowed(skill.qualifiedName)) return undefined;
  return { cause: "locked-mode", reason: "locked mode has only what is explicitly allowed" };
}

/** Which of a skill's files are in play says nothing to a user, who knows what to ask for. */
function checkPaths(
  { invocation: { paths } }: Manifest,
  { viewer }: VisibilityFilter,
  files: readonly (readonly string[])[] | undefined,
): Obstacle | undefined {
  if (files === undefined || viewer === "user" || paths.length === 0) return undefined;
  const fits = fitsPaths(paths, files);
  if (fits === true) return undefined;
  const reason =
    fits === "too-complex"
      ? "its paths are too many or too long to compare"
      : `no file in play fits its paths: ${listSome(paths)}`;
  return { cause: "paths", reason };
}

const MAX_LISTED = 3;

function listSome(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  const listed = texts.slice(0, MAX_LISTED).join(", ");
  return more > 0 ? `${listed} and ${more} more` : listed;
}

type HasScripts = (skill: Skill) => boolean;

/**
 * Why a skill is taken to change things: it says so, or it asks for tools that write or run commands, or it has scripts.
 *
 * Undefined when it does not. Where nobody can say whether it has scripts, it might.
 */
function whyMutates(
  skill: Skill,
  { metadata, tools }: Manifest,
  hasScripts: HasScripts | undefined,
): string | undefined {
  const declared = readBoolean(Object.hasOwn(metadata, "mutates") ? metadata.mutates : undefined);
  if (declared !== undefined) return declared ? "it says that it changes things" : undefined;
  const tool = tools.allowed.find(isMutatingTool);
  if (tool !== undefined) return `it asks for the tool ${tool}`;
  if (hasScripts === undefined) return "nothing tells whether it has scripts";
  return hasScripts(skill) ? "it has scripts" : undefined;
}

const YES: ReadonlySet<string> = new Set(["true", "yes", "on", "1"]);
const NO: ReadonlySet<string> = new Set(["false", "no", "off", "0"]);

/** A boolean in any spelling; undefined for everything else. */
function readBoolean(value: unknown): boolean | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value).trim().toLowerCase();
  return YES.has(text) ? true : NO.has(text) ? false : undefined;
}

// Hosts name their tools as they like, and those of MCP servers have no list; the words in a name are telling enough.
const MUTATING_WORDS: ReadonlySet<string> = new Set(
  (
    "bash sh zsh shell powershell pwsh cmd terminal command exec execute run script " +
    "write edit multiedit patch replace insert append create update delete remove move rename upload push deploy"
  ).split(" "),
);

/** It keeps a list for the model and touches nothing else. */
const HARMLESS_TOOL = "TodoWrite";

/** Whether a tool of any host writes or runs something; of a wildcard nobody knows. */
function isMutatingTool(tool: string): boolean {
  const name = tool.split("(", 1)[0] ?? "";
  if (name === HARMLESS_TOOL) return false;
  if (name.includes("*")) return true;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).some((word) => MUTATING_WORDS.has(word));
}
