import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { array, digest, flag, object, optional, text, time } from "@skillet/kit/schema";
import { byKey, changeStore, readStore, removeFromStore, type StoreFormat } from "./decision-store.ts";

/** The user's approval of a skill despite a scan's warning: for these bytes and the scan's result then. */
export interface Approval {
  /** Covers all files of the skill; any change voids the approval. */
  readonly digest: Digest;
  /** The skill's name at the time, for display. */
  readonly skill: string;
  /** The scan's verdict at the time; a worse one voids the approval. */
  readonly verdict: string;
  /** The rules with a critical finding at the time; a new one voids the approval. */
  readonly criticalRules: readonly string[];
  /** Whether it also overrides a block that can be overridden. */
  readonly forced: boolean;
  /** Why the user calls it a false alarm; only an approval with a reason overrides every block. */
  readonly reason?: string | undefined;
  readonly approvedAt: string;
}

export interface ApprovalStore {
  readonly file: string;
  readonly approvals: ReadonlyMap<Digest, Approval>;
}

type StoredApproval = Omit<Approval, "digest">;

const approval = object<StoredApproval>(
  {
    skill: text,
    verdict: text,
    criticalRules: array(text),
    forced: flag,
    reason: optional(text),
    approvedAt: time,
  },
  { unknown: "refuse" },
);

const FORMAT: StoreFormat<Digest, StoredApproval> = {
  fileName: "approvals.json",
  version: 1,
  field: "approvals",
  items: byKey(approval, digest),
  // Room for ten thousand approvals.
  maxBytes: 4 * 1024 * 1024,
  invalid: {
    errorCode: "approvals-invalid",
    consequence: "nothing counts as approved",
    remedy: "Repair the file, or move it away and approve again with `skillet trust --approve NAME`.",
  },
  full: {
    errorCode: "approvals-full",
    what: "The approvals in",
    remedy: "take back those that you no longer need",
  },
};

export function approvalPath(home: string): string {
  return join(home, FORMAT.fileName);
}

/** Reads the approvals; a store that cannot be parsed throws `approvals-invalid` and is left unchanged. */
export function readApprovals(home: string): ApprovalStore {
  const { file, items } = readStore(home, FORMAT);
  return { file, approvals: new Map(Array.from(items, ([key, rest]) => [key, { digest: key, ...rest }])) };
}

/** Records an approval; approving the same bytes again replaces the earlier one. */
export async function approveSkill(options: {
  readonly home: string;
  readonly approval: Omit<Approval, "approvedAt">;
  readonly clock: () => number;
}): Promise<Approval> {
  const { digest: key, ...given } = options.approval;
  const approved = { ...given, approvedAt: new Date(options.clock()).toISOString() };
  await changeStore(options.home, FORMAT, (approvals) => approvals.set(key, approved));
  return { digest: key, ...approved };
}

/** Withdraws an approval; returns whether there was one. */
export function withdrawApproval(options: {
  readonly home: string;
  readonly digest: Digest;
}): Promise<boolean> {
  return removeFromStore(options.home, FORMAT, options.digest);
}
