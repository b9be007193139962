import { join } from "node:path";
import type { InstallSpec, Manifest } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { findProgram } from "@skillet/kit/program";
import type { Candidate } from "../candidate/candidate.ts";
import { isArchiveName } from "../sources/source-tail.ts";

export interface SkillWithTools {
  readonly name: string;
  readonly manifest: Pick<Manifest, "gating" | "install">;
}

interface ToolPlaces {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Plans how to get commands that skills need and this machine lacks, by their own recipes; runs nothing. */
export function planTools(skills: readonly SkillWithTools[], places: ToolPlaces): ToolPlan {
  const steps: ToolStep[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const skill of skills) {
    const missing = missingCommands(skill, places);
    while (missing.length > 0) {
      const found = planOne(skill, missing, places);
      diagnostics.push(...found.diagnostics);
      if (found.step === undefined) break;
      const met = new Set(found.step.bins);
      missing.splice(0, missing.length, ...missing.filter((bin) => !met.has(bin)));
      if (!steps.some((step) => isSame(step, found.step))) steps.push(found.step);
    }
  }
  return { steps, diagnostics: unique(diagnostics) };
}

function missingCommands({ manifest }: SkillWithTools, { environment }: ToolPlaces): string[] {
  const { bins, anyBins } = manifest.gating;
  const isMissing = (bin: string): boolean => findProgram(bin, environment) === undefined;
  const any = anyBins.length > 0 && anyBins.every(isMissing) ? anyBins : [];
  return [...new Set([...bins.filter(isMissing), ...any])];
}

// Managers that know what they installed come before bare downloads.
const ORDER: readonly string[] = ["brew", "uv", "node", "npm", "go", "download"];

function planOne(
  { name, manifest }: SkillWithTools,
  missing: readonly string[],
  places: ToolPlaces,
): { readonly step?: ToolStep | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const fitting = manifest.install
    .filter(
      ({ os, bins }) => isFor(os, places) && (bins.length === 0 || bins.some((bin) => missing.includes(bin))),
    )
    .toSorted((left, right) => rank(left) - rank(right));
  const diagnostics: Diagnostic[] = [];
  for (const spec of fitting) {
    const read = readToolSpec(spec, { home: places.home, skill: name });
    if ("problem" in read) {
      diagnostics.push(invalid(name, read.problem));
      continue;
    }
    const bins = spec.bins.length === 0 ? missing : missing.filter((bin) => spec.bins.includes(bin));
    const step = stepOf(read, { skill: name, label: spec.label ?? read.what, bins }, places);
    if (step !== undefined) return { step, diagnostics };
  }
  return { diagnostics: [...diagnostics, unplanned(name, missing, fitting)] };
}

function isFor(os: readonly string[], { platform }: ToolPlaces): boolean {
  return os.length === 0 || os.includes(platform);
}

function rank({ kind }: InstallSpec): number {
  const at = ORDER.indexOf(kind);
  return at < 0 ? ORDER.length : at;
}

function stepOf(
  spec: ToolSpec,
  known: Pick<ToolStep, "skill" | "label" | "bins">,
  { environment }: ToolPlaces,
): ToolStep | undefined {
  const folder = spec.folder === undefined ? {} : { folder: spec.folder };
  if (spec.kind === "download") {
    const { kind, url, digest, path, unpack } = spec;
    return { ...known, ...folder, kind, url, path, unpack, ...(digest !== undefined && { digest }) };
  }
  const program = findProgram(spec.program, environment);
  if (program === undefined) return undefined;
  return { ...known, ...folder, kind: spec.kind, argv: [program, ...spec.args] };
}

function isSame(left: ToolStep, right: ToolStep | undefined): boolean {
  if (left.kind === "download" || right === undefined || right.kind === "download") return left === right;
  return JSON.stringify(left.argv) === JSON.stringify(right.argv);
}

function unique(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(diagnostics.map((one) => [one.message, one])).values()];
}

function invalid(skill: string, problem: string): Diagnostic {
  const message = `A recipe of ${skill} for a missing tool ${problem}; it is not used.`;
  const hint = "Install the tool by yourself, and tell whoever keeps the skill.";
  return { code: "tool-spec-invalid", severity: "warning", message, file: "SKILL.md", hint };
}

function unplanned(skill: string, missing: readonly string[], specs: readonly InstallSpec[]): Diagnostic {
  const kinds = [...new Set(specs.map(({ kind }) => kind))];
  const why =
    kinds.length === 0
      ? "it brings no recipe for this system"
      : `none of ${kinds.join(", ")} can be used here`;
  const message = `${skill} needs ${missing.join(", ")}, which nothing here can install: ${why}.`;
  const hint = "Install it in the way that is usual on your system.";
  return { code: "tool-unplanned", severity: "warning", message, file: "SKILL.md", hint };
}

export function skillsWithTools({ name, manifest, parts, files }: Candidate): readonly SkillWithTools[] {
  if (manifest !== undefined) return [{ name, manifest }];
  return (parts?.skills ?? []).flatMap(({ name: inner, folder }) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const main = files.find(({ path }) => path === `${prefix}SKILL.md` || path === `${prefix}skill.md`);
    const parsed = main && parseSkillBytes(main.bytes, { directoryName: inner }).manifest;
    return parsed === undefined ? [] : [{ name, manifest: parsed }];
  });
}

type ToolSpec =
  | {
      readonly kind: "brew" | "npm" | "uv" | "go";
      readonly program: string;
      readonly args: readonly string[];
      readonly what: string;
      readonly folder?: string;
    }
  | (Pick<Extract<ToolStep, { readonly kind: "download" }>, "kind" | "url" | "digest" | "path" | "unpack"> & {
      readonly what: string;
      readonly folder: string;
    });

const FORMULA = /^[a-z0-9][a-z0-9+._@-]*(?:\/[a-z0-9][a-z0-9+._@-]*){0,2}$/;
const NPM_PACKAGE =
  /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:@[~^]?[A-Za-z0-9][A-Za-z0-9.+_-]*)?$/;
const PYTHON_PACKAGE =
  /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9][A-Za-z0-9,._-]*\])?(?:(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9][A-Za-z0-9.*+!_-]*(?:,(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9][A-Za-z0-9.*+!_-]*)*)?$/;
const GO_MODULE = /^[A-Za-z0-9][A-Za-z0-9._~/-]*@[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MAX_SPEC_CHARACTERS = 200;

/** Reads one recipe of a skill; a stranger wrote it, so names are names only: no option, URL, path or shell. */
export function readToolSpec(
  { kind, fields, bins }: InstallSpec,
  { home, skill }: { readonly home: string; readonly skill: string },
): ToolSpec | Problem {
  const isCask = typeof fields.cask === "string" && fields.formula === undefined;
  // Into a folder of its own, and without the package's scripts: what it does when it runs is another question.
  const prefix = join(home, "tools", "npm");
  switch (kind) {
    case "brew":
      return named(fields, isCask ? "cask" : "formula", FORMULA, (what) => {
        const args = ["install", isCask ? "--cask" : "--formula", what];
        return { kind, program: "brew", args, what };
      });
    case "node":
    case "npm":
      return named(fields, "package", NPM_PACKAGE, (what) => {
        const args = ["install", "--global", "--ignore-scripts", "--prefix", prefix, what];
        return { kind: "npm", program: "npm", args, what, folder: join(prefix, "bin") };
      });
    case "uv":
      return named(fields, "package", PYTHON_PACKAGE, (what) => {
        return { kind, program: "uv", args: ["tool", "install", what], what };
      });
    case "go":
      return named(fields, "module", GO_MODULE, (what) => {
        return { kind, program: "go", args: ["install", what], what };
      });
    case "download":
      return readDownload(fields, bins, join(home, "tools", "skills", skill));
    default:
      return { problem: `is of the kind ${JSON.stringify(kind.slice(0, 40))}, which is not known` };
  }
}

interface Problem {
  readonly problem: string;
}

function named(
  fields: InstallSpec["fields"],
  key: string,
  pattern: RegExp,
  create: (name: string) => ToolSpec,
): ToolSpec | Problem {
  const name = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (typeof name !== "string") return { problem: `has no \`${key}\`` };
  if (name.length > MAX_SPEC_CHARACTERS || !pattern.test(name) || /(?:^|\/)\.{1,2}(?:\/|@|$)/.test(name))
    return { problem: `has a \`${key}\` that is not a plain name: ${JSON.stringify(name.slice(0, 80))}` };
  return create(name);
}

// `own` lies apart from what has a place of its own there: a skill may well be called npm.
function readDownload(
  fields: InstallSpec["fields"],
  bins: readonly string[],
  own: string,
): ToolSpec | Problem {
  const url = httpsUrl(fields.url);
  if (url === undefined) return { problem: "has no https `url` without credentials" };
  const { sha256 } = fields;
  if (sha256 !== undefined && (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256)))
    return { problem: "has a `sha256` that is none" };
  const file = bins[0] ?? url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/.test(file))
    return { problem: "names no file that could be written" };
  const unpack = isArchiveName(url.pathname);
  const folder = unpack ? join(own, file) : own;
  return {
    kind: "download",
    url: url.href,
    ...(sha256 !== undefined && { digest: `sha256:${sha256.toLowerCase()}` as Digest }),
    path: unpack ? folder : join(folder, file),
    unpack,
    what: url.href,
    folder,
  };
}

function httpsUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.protocol === "https:" && url.username === "" && url.password === "" ? url : undefined;
}

export interface ToolPlan {
  readonly steps: readonly ToolStep[];
  readonly diagnostics: readonly Diagnostic[];
}

export type ToolStep = {
  readonly skill: string;
  readonly label: string;
  readonly bins: readonly string[];
  /** Where they will lie, when that is not a folder of PATH already. */
  readonly folder?: string;
} & (
  | {
      readonly kind: "brew" | "npm" | "uv" | "go";
      /** The program by its absolute path, and its arguments; no shell reads them. */
      readonly argv: readonly [program: string, ...args: readonly string[]];
    }
  | {
      readonly kind: "download";
      readonly url: string;
      /** Of the downloaded bytes; absent: no one says what they should be. */
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
