import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { parseApprovals } from "./parse-approvals.ts";

/** Room for ten thousand approvals. */
export const MAX_APPROVALS_BYTES: number = 4 * 1024 * 1024;

/** A person's yes to a skill that a scan warns of: to exactly these bytes, knowing what the scan said then. */
export interface Approval {
  /** Of everything that the skill holds; any change ends the approval. */
  readonly digest: Digest;
  /** What it was called then, for people. */
  readonly skill: string;
  /** What the scan said then; a worse word ends the approval. */
  readonly verdict: string;
  /** The rules with a critical finding then; another one ends the approval. */
  readonly criticalRules: readonly string[];
  /** Whether it also overrides a block that can be overridden. */
  readonly forced: boolean;
  readonly approvedAt: string;
}

/** Every approval, by digest. */
export interface ApprovalStore {
  readonly file: string;
  readonly approvals: ReadonlyMap<Digest, Approval>;
}

/** Where the approvals of a home lie. */
export function approvalPath(home: string): string {
  return join(home, "approvals.json");
}

/**
 * Reads the approvals; none yet means that nothing was approved.
 *
 * A store that cannot be understood throws `approvals-invalid` and is left as it is.
 */
export function readApprovals(home: string): ApprovalStore {
  const file = approvalPath(home);
  try {
    const bytes = readBoundedFile(file, { maxBytes: MAX_APPROVALS_BYTES });
    return { file, approvals: bytes === undefined ? new Map() : parseApprovals(bytes) };
  } catch (error) {
    if (SkilletError.isInstance(error) || error instanceof SyntaxError) throw invalid(file, error);
    throw error;
  }
}

function invalid(file: string, cause: Error): SkilletError {
  const message =
    `The approvals in ${file} cannot be used, so nothing counts as approved: ${cause.message} ` +
    "Repair the file, or move it away and approve again with `skillet trust --approve NAME`.";
  return new SkilletError("approvals-invalid", message, { data: { file, problem: cause.message }, cause });
}
