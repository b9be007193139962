import { present } from "@skillet/kit/json";
import type { Locator } from "@skillet/kit/located";
import type { TraversalLimits } from "../source/local/traversal-limits.ts";
import type {
  AgentConfig,
  EvalConfig,
  HubConfig,
  McpConfig,
  PolicyConfig,
  Profile,
  ScanConfig,
  SkillsConfig,
} from "./config.ts";

/** Where values come from, weakest first. */
export type LayerKind = "defaults" | "organisation" | "user" | "project" | "environment" | "flags";

/** The values of one layer, checked and with absolute paths. */
export interface ConfigValues {
  readonly skills?: Partial<Omit<SkillsConfig, "limits">> & { readonly limits?: Partial<TraversalLimits> };
  readonly policy?: Partial<PolicyConfig>;
  readonly profiles?: Readonly<Record<string, Profile>>;
  readonly scan?: Partial<ScanConfig>;
  readonly hub?: Partial<HubConfig>;
  readonly eval?: Partial<EvalConfig>;
  readonly agent?: Partial<AgentConfig>;
  readonly mcp?: Partial<McpConfig>;
}

/** One layer in effect, with the position of each value in its file. */
export interface ConfigLayer {
  readonly kind: Exclude<LayerKind, "defaults">;
  /** Absent for the environment and flags. */
  readonly file?: string;
  readonly values: ConfigValues;
  /** Finds values in the file; values of the environment and of flags have no position. */
  readonly locate: Locator;
}

export interface ValueOrigin {
  readonly layer: LayerKind;
  readonly file?: string;
  readonly line?: number;
}

export function originIn(layer: ConfigLayer, path: readonly (string | number)[]): ValueOrigin {
  return present<ValueOrigin>({ layer: layer.kind, file: layer.file, line: layer.locate(path)?.line });
}

/** An origin for messages: `/home/user/.skillet/config.yaml:12`, or the layer if there is no file. */
export function describeOrigin(origin: ValueOrigin): string {
  if (origin.file === undefined) return `the ${origin.layer}`;
  return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
}
