import { join } from "node:path";
import type { InstallSpec, Manifest } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { parseUrl } from "@skillet/kit/network";
import { findProgram } from "@skillet/kit/program";
import { filesBelow, skillFileOf } from "../inspect/inspect-item.ts";
import type { ReadItem } from "../plan-item.ts";
import { isArchiveName } from "../sources/source-text.ts";

export interface ToolPlan {
  readonly steps: readonly ToolStep[];
  readonly diagnostics: readonly Diagnostic[];
}

export type ToolStep = {
  readonly skill: string;
  readonly label: string;
  readonly bins: readonly string[];
  /** Where the commands will be, unless that folder is in PATH already. */
  readonly folder?: string;
} & (
  | {
      readonly kind: "brew" | "npm" | "uv" | "go";
      /** The program by its absolute path, and its arguments; no shell is involved. */
      readonly argv: readonly [program: string, ...args: readonly string[]];
    }
  | {
      readonly kind: "download";
      readonly url: string;
      /** Of the downloaded bytes; if absent, there is nothing to check them against. */
      readonly digest?: Digest;
      readonly path: string;
      readonly unpack: boolean;
    }
);

export interface ToolResult {
  readonly step: ToolStep;
  readonly outcome: "installed" | "declined" | "failed";
  readonly reason?: string;
}

export interface SkillWithTools {
  readonly name: string;
  readonly manifest: Pick<Manifest, "gating" | "install">;
}

interface ToolPlaces {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Plans how to get commands that skills need and this machine lacks, from the skills' recipes; runs nothing. */
export function planTools(skills: readonly SkillWithTools[], places: ToolPlaces): ToolPlan {
  const steps = new Map<unknown, ToolStep>();
  const diagnostics = new Map<string, Diagnostic>();
  const report = (code: string, message: string, hint: string): void => {
    diagnostics.set(message, { code, severity: "warning", message, file: "SKILL.md", hint });
  };
  for (const skill of skills) {
    let missing = missingCommands(skill, places);
    while (missing.length > 0) {
      const step = planStep(skill, missing, places, report);
      if (step === undefined) break;
      missing = missing.filter((bin) => !step.bins.includes(bin));
      const key = step.kind === "download" ? step : JSON.stringify(step.argv);
      if (!steps.has(key)) steps.set(key, step);
    }
  }
  return { steps: [...steps.values()], diagnostics: [...diagnostics.values()] };
}

function missingCommands({ manifest }: SkillWithTools, { environment }: ToolPlaces): readonly string[] {
  const { bins, anyBins } = manifest.gating;
  const isMissing = (bin: string): boolean => findProgram(bin, environment) === undefined;
  const any = anyBins.every(isMissing) ? anyBins : [];
  return [...new Set([...bins.filter(isMissing), ...any])];
}

// Package managers, which track what they installed, come before bare downloads.
const ORDER: readonly string[] = ["brew", "uv", "node", "npm", "go", "download"];

function planStep(
  { name, manifest }: SkillWithTools,
  missing: readonly string[],
  { home, platform, environment }: ToolPlaces,
  report: (code: string, message: string, hint: string) => void,
): ToolStep | undefined {
  const rank = ({ kind }: InstallSpec): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
  const fitting = manifest.install
    .filter(({ os }) => os.length === 0 || os.includes(platform))
    .filter(({ bins }) => bins.length === 0 || bins.some((bin) => missing.includes(bin)))
    .toSorted((left, right) => rank(left) - rank(right));
  for (const recipe of fitting) {
    const spec = readToolSpec(recipe, { home, skill: name });
    if ("problem" in spec) {
      const message = `A recipe of ${name} for a missing tool ${spec.problem}; it is not used.`;
      report("tool-spec-invalid", message, "Install the tool yourself, and tell the author of the skill.");
      continue;
    }
    const { what, ...rest } = spec;
    const bins = recipe.bins.length === 0 ? missing : missing.filter((bin) => recipe.bins.includes(bin));
    const known = { skill: name, label: recipe.label ?? what, bins };
    if (rest.kind === "download") return { ...known, ...rest };
    const { args, ...place } = rest;
    const found = findProgram(rest.kind, environment);
    if (found !== undefined) return { ...known, ...place, argv: [found, ...args] };
  }
  const kinds = [...new Set(fitting.map(({ kind }) => kind))];
  const why =
    kinds.length === 0
      ? "the skill says no way for this system"
      : `${kinds.join(", ")} ${kinds.length === 1 ? "is" : "are"} missing here`;
  const message = `${name} needs ${missing.join(", ")}, and Skillet cannot install that: ${why}.`;
  report("tool-unplanned", message, "Install it in the way that is usual on your system.");
  return undefined;
}

type WithTools = Pick<ReadItem, "name" | "manifest" | "parts" | "files">;

export function skillsWithTools({ name, manifest, parts, files }: WithTools): readonly SkillWithTools[] {
  if (manifest !== undefined) return [{ name, manifest }];
  return (parts?.skills ?? []).flatMap(({ name: inner, folder }) => {
    const main = skillFileOf(filesBelow(files, folder));
    const parsed = main && parseSkillBytes(main.bytes, { directoryName: inner }).manifest;
    return parsed === undefined ? [] : [{ name, manifest: parsed }];
  });
}

type Download = Extract<ToolStep, { readonly kind: "download" }>;

/** A step whose program is not located yet; `what` is its name for display. */
type ToolSpec = { readonly what: string; readonly folder?: string } & (
  | { readonly kind: Manager["program"]; readonly args: readonly string[] }
  | Pick<Download, "kind" | "url" | "digest" | "path" | "unpack">
);

interface Problem {
  readonly problem: string;
}

const FORMULA = /^[a-z0-9][a-z0-9+._@-]*(?:\/[a-z0-9][a-z0-9+._@-]*){0,2}$/;
const NPM_PACKAGE =
  /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:@[~^]?[A-Za-z0-9][A-Za-z0-9.+_-]*)?$/;
const PYTHON_PACKAGE =
  /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9][A-Za-z0-9,._-]*\])?(?:(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9][A-Za-z0-9.*+!_-]*(?:,(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9][A-Za-z0-9.*+!_-]*)*)?$/;
const GO_MODULE = /^[A-Za-z0-9][A-Za-z0-9._~/-]*@[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MAX_SPEC_CHARACTERS = 200;

/** Reads one recipe of a skill; a stranger wrote it, so only plain names pass: no option, URL, path or shell. */
export function readToolSpec(
  { kind, fields, bins }: InstallSpec,
  { home, skill }: { readonly home: string; readonly skill: string },
): ToolSpec | Problem {
  // Separate from the managers' folders, because a skill may be called npm.
  if (kind === "download") return readDownload(fields, bins, join(home, "tools", "skills", skill));
  const manager = managerFor(kind, fields, home);
  if (manager === undefined)
    return { problem: `is of the kind ${JSON.stringify(kind.slice(0, 40))}, which is not known` };
  const { program, key, pattern, args, ...place } = manager;
  const name = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (typeof name !== "string") return { problem: `has no \`${key}\`` };
  if (name.length > MAX_SPEC_CHARACTERS || !pattern.test(name) || /(?:^|\/)\.{1,2}(?:\/|@|$)/.test(name))
    return { problem: `has a \`${key}\` that is not a plain name: ${JSON.stringify(name.slice(0, 80))}` };
  return { kind: program, args: [...args, name], what: name, ...place };
}

interface Manager {
  readonly program: "brew" | "npm" | "uv" | "go";
  /** The recipe's key for the package, which comes after these arguments. */
  readonly key: string;
  readonly pattern: RegExp;
  readonly args: readonly string[];
  readonly folder?: string;
}

function managerFor(kind: string, fields: InstallSpec["fields"], home: string): Manager | undefined {
  const brew = typeof fields.cask === "string" && fields.formula === undefined ? "cask" : "formula";
  // Installs into a folder of its own, without the package's scripts; what it does when it runs is another matter.
  const prefix = join(home, "tools", "npm");
  const global = ["install", "--global", "--ignore-scripts", "--prefix", prefix];
  const packaged = { key: "package", pattern: NPM_PACKAGE, args: global, folder: join(prefix, "bin") };
  const managers: readonly Manager[] = [
    { program: "brew", key: brew, pattern: FORMULA, args: ["install", `--${brew}`] },
    { program: "npm", ...packaged },
    { program: "uv", key: "package", pattern: PYTHON_PACKAGE, args: ["tool", "install"] },
    { program: "go", key: "module", pattern: GO_MODULE, args: ["install"] },
  ];
  return managers.find(({ program }) => program === (kind === "node" ? "npm" : kind));
}

function readDownload(
  fields: InstallSpec["fields"],
  bins: readonly string[],
  own: string,
): ToolSpec | Problem {
  const { url: address, sha256 } = fields;
  const url = typeof address === "string" ? parseUrl(address) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    return { problem: "has no https `url` without credentials" };
  if (sha256 !== undefined && (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256)))
    return { problem: "has a `sha256` that is not one" };
  const file = bins[0] ?? url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/.test(file))
    return { problem: "names no file that could be written" };
  const unpack = isArchiveName(url.pathname);
  const folder = unpack ? join(own, file) : own;
  const path = unpack ? folder : join(folder, file);
  const digest: { digest?: Digest } =
    sha256 === undefined ? {} : { digest: `sha256:${sha256.toLowerCase()}` };
  return { kind: "download", url: url.href, ...digest, path, unpack, what: url.href, folder };
}
