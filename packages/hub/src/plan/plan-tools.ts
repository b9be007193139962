import type { InstallSpec, Manifest } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { findProgram } from "@skillet/kit/program";
import type { Candidate } from "../candidate/candidate.ts";
import { readToolSpec, type ToolPlan, type ToolSpec, type ToolStep } from "./read-tool-spec.ts";

export interface SkillWithTools {
  readonly name: string;
  readonly manifest: Pick<Manifest, "gating" | "install">;
}

interface ToolPlaces {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Plans how to get the commands that skills need and this machine lacks, by the recipes that they bring; runs nothing.
 */
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
  return {
    code: "tool-spec-invalid",
    severity: "warning",
    message: `A recipe of ${skill} for a missing tool ${problem}; it is not used.`,
    file: "SKILL.md",
    hint: "Install the tool by yourself, and tell whoever keeps the skill.",
  };
}

function unplanned(skill: string, missing: readonly string[], specs: readonly InstallSpec[]): Diagnostic {
  const kinds = [...new Set(specs.map(({ kind }) => kind))];
  const why =
    kinds.length === 0
      ? "it brings no recipe for this system"
      : `none of ${kinds.join(", ")} can be used here`;
  return {
    code: "tool-unplanned",
    severity: "warning",
    message: `${skill} needs ${missing.join(", ")}, which nothing here can install: ${why}.`,
    file: "SKILL.md",
    hint: "Install it in the way that is usual on your system.",
  };
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
