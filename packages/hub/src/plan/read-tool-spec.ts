import { join } from "node:path";
import type { InstallSpec } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { isArchiveName } from "../sources/source-tail.ts";

export type ToolSpec =
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
  spec: InstallSpec,
  { home, skill }: { readonly home: string; readonly skill: string },
): ToolSpec | { readonly problem: string } {
  switch (spec.kind) {
    case "brew":
      return readBrew(spec);
    case "node":
    case "npm":
      return readNpm(spec, home);
    case "uv":
      return named(spec, { key: "package", pattern: PYTHON_PACKAGE }, (name) => ({
        kind: "uv",
        program: "uv",
        args: ["tool", "install", name],
        what: name,
      }));
    case "go":
      return named(spec, { key: "module", pattern: GO_MODULE }, (name) => ({
        kind: "go",
        program: "go",
        args: ["install", name],
        what: name,
      }));
    case "download":
      return readDownload(spec, { home, skill });
    default:
      return { problem: `is of the kind ${JSON.stringify(spec.kind.slice(0, 40))}, which is not known` };
  }
}

function readBrew(spec: InstallSpec): ToolSpec | { readonly problem: string } {
  const isCask = typeof spec.fields.cask === "string" && spec.fields.formula === undefined;
  return named(spec, { key: isCask ? "cask" : "formula", pattern: FORMULA }, (name) => ({
    kind: "brew",
    program: "brew",
    args: ["install", isCask ? "--cask" : "--formula", name],
    what: name,
  }));
}

// Into a folder of its own, and without the package's scripts: what it does when it runs is another question.
function readNpm(spec: InstallSpec, home: string): ToolSpec | { readonly problem: string } {
  const prefix = join(home, "tools", "npm");
  return named(spec, { key: "package", pattern: NPM_PACKAGE }, (name) => ({
    kind: "npm",
    program: "npm",
    args: ["install", "--global", "--ignore-scripts", "--prefix", prefix, name],
    what: name,
    folder: join(prefix, "bin"),
  }));
}

function named(
  { fields }: InstallSpec,
  { key, pattern }: { readonly key: string; readonly pattern: RegExp },
  create: (name: string) => ToolSpec,
): ToolSpec | { readonly problem: string } {
  const name = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (typeof name !== "string") return { problem: `has no \`${key}\`` };
  if (name.length > MAX_SPEC_CHARACTERS || !pattern.test(name) || /(?:^|\/)\.{1,2}(?:\/|@|$)/.test(name))
    return { problem: `has a \`${key}\` that is no plain name: ${JSON.stringify(name.slice(0, 80))}` };
  return create(name);
}

function readDownload(
  { fields, bins }: InstallSpec,
  { home, skill }: { readonly home: string; readonly skill: string },
): ToolSpec | { readonly problem: string } {
  const url = httpsUrl(fields.url);
  if (url === undefined) return { problem: "has no https `url` without credentials" };
  const { sha256 } = fields;
  if (sha256 !== undefined && (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256)))
    return { problem: "has a `sha256` that is none" };
  const file = bins[0] ?? url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/.test(file))
    return { problem: "names no file that could be written" };
  const unpack = isArchiveName(url.pathname);
  // Apart from what has a place of its own there: a skill may well be called npm.
  const own = join(home, "tools", "skills", skill);
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
      /** Of the downloaded bytes; absent: nobody says what they should be. */
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
