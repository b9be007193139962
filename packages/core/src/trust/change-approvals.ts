import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, withFileLock, writeAtomic } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import {
  type Approval,
  approvalPath,
  formatApprovals,
  MAX_APPROVALS_BYTES,
  readApprovals,
} from "./approval-store.ts";

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
