import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { ResourceKind } from "../../registry/resource.ts";

/** Why a file was not given, in the order in which it is checked. */
export type ReadRefusalCode =
  | "resource_path_invalid"
  | "skill_not_found"
  | "resource_not_indexed"
  | "resource_not_found"
  | "permission_denied"
  | "unknown"
  | "resource_outside_root"
  | "resource_not_file";

/** What a read gave: the text, what is known about a binary file, or the reason for neither. */
export interface ResourceRead {
  readonly type: "skillet.read-skill-resource-output";
  readonly skill: string;
  readonly path: string;
  readonly status: "read" | "binary" | "error";
  readonly kind?: ResourceKind;
  /** As the agent's tools see it. */
  readonly resourcePath?: string;
  readonly registryDigest?: Digest;
  readonly observedDigest?: Digest;
  readonly digestMatchesRegistry?: boolean;
  readonly registrySizeBytes?: number;
  readonly observedSizeBytes?: number;
  readonly contentKind?: "text" | "binary";
  readonly maxBytes?: number;
  readonly truncated?: boolean;
  readonly content?: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly error?: { readonly code: ReadRefusalCode; readonly message: string };
}
