import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { array, digest, flag, object, oneOf, record, refine, text, time } from "@skillet/kit/schema";
import { readStore } from "./read-store.ts";

const VERSION = 1;

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
  const approvals = readStore(file, {
    schema,
    maxBytes: MAX_APPROVALS_BYTES,
    code: "approvals-invalid",
    consequence: "nothing counts as approved",
    remedy: "Repair the file, or move it away and approve again with `skillet trust --approve NAME`.",
  });
  return { file, approvals: approvals ?? new Map() };
}

/** The text of an approval store; the same approvals always give the same bytes. */
export function formatApprovals(approvals: readonly Approval[]): string {
  const byDigest = approvals.map(({ digest: key, ...approval }) => [key, approval]);
  return `${JSON.stringify({ version: VERSION, approvals: Object.fromEntries(byDigest) }, undefined, 2)}\n`;
}

const approval = object<Omit<Approval, "digest">>(
  { skill: text, verdict: text, criticalRules: array(text), forced: flag, approvedAt: time },
  { unknown: "refuse" },
);

const schema = refine(
  object<{
    readonly version: number;
    readonly approvals: Readonly<Record<string, Omit<Approval, "digest">>>;
  }>({ version: oneOf([VERSION]), approvals: record(approval, { key: digest }) }, { unknown: "refuse" }),
  ({ approvals }) =>
    new Map(
      Object.entries(approvals).map(([key, value]) => [key as Digest, { digest: key as Digest, ...value }]),
    ),
);
