import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, withFileLock, writeAtomic } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import { array, digest, flag, object, oneOf, record, refine, text, time } from "@skillet/kit/schema";
import { readStore } from "./read-store.ts";

const VERSION = 1;

/** Room for ten thousand approvals. */
const MAX_APPROVALS_BYTES: number = 4 * 1024 * 1024;

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
    errorCode: "approvals-invalid",
    consequence: "nothing counts as approved",
    remedy: "Repair the file, or move it away and approve again with `skillet trust --approve NAME`.",
  });
  return { file, approvals: approvals ?? new Map() };
}

/** The text of an approval store; the same approvals always give the same bytes. */
function formatApprovals(approvals: readonly Approval[]): string {
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

/** Whose approvals are changed. */
interface ApprovalTarget {
  readonly home: string;
  readonly signal?: AbortSignal;
}

/**
 * Records that somebody said yes to a skill that a scan warns of; a later yes to the same bytes replaces it.
 *
 * @example
 * await approveSkill({ home, approval: { digest, skill: "deploy", verdict, criticalRules, forced: false }, clock: Date.now });
 */
export async function approveSkill(
  options: ApprovalTarget & {
    readonly approval: Omit<Approval, "approvedAt">;
    readonly clock: () => number;
  },
): Promise<Approval> {
  const approval = { ...options.approval, approvedAt: new Date(options.clock()).toISOString() };
  await changeStore(options, (approvals) => approvals.set(approval.digest, approval));
  return approval;
}

/** Takes a yes back; returns whether there was one. */
export async function withdrawApproval(
  options: ApprovalTarget & { readonly digest: Digest },
): Promise<boolean> {
  // Nothing to take back: do not create a home for it.
  if (!readApprovals(options.home).approvals.has(options.digest)) return false;
  let had = false;
  await changeStore(options, (approvals) => {
    had = approvals.delete(options.digest);
  });
  return had;
}

async function changeStore(
  { home, signal }: ApprovalTarget,
  change: (approvals: Map<Digest, Approval>) => void,
): Promise<void> {
  await ensureHome(home);
  const file = approvalPath(home);
  await withFileLock(
    `${file}.lock`,
    async () => {
      const approvals = new Map(readApprovals(home).approvals);
      change(approvals);
      const sorted = [...approvals.values()].toSorted((left, right) =>
        compareByteOrder(left.digest, right.digest),
      );
      const text = formatApprovals(sorted);
      if (Buffer.byteLength(text) > MAX_APPROVALS_BYTES) throw full(file);
      await writeAtomic(file, text, { mode: 0o600 });
    },
    { ...(signal && { signal }) },
  );
}

// A store beyond what the reader accepts would take every approval back.
function full(file: string): SkilletError {
  const message = `The approvals in ${file} would grow beyond ${MAX_APPROVALS_BYTES} bytes; take back those that you no longer need.`;
  return new SkilletError("approvals-full", message, { data: { file, maxBytes: MAX_APPROVALS_BYTES } });
}
