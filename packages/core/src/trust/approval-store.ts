import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import {
  array,
  digest,
  flag,
  object,
  oneOf,
  optional,
  record,
  refine,
  text,
  time,
} from "@skillet/kit/schema";
import { changeStore, readStore, removeFromStore, type StoreFormat } from "./decision-store.ts";

/** A person's approval of a skill that a scan warns of: for exactly these bytes, knowing what the scan said then. */
export interface Approval {
  /** Of everything that the skill holds; any change ends the approval. */
  readonly digest: Digest;
  /** Its name then, for people. */
  readonly skill: string;
  /** The scan's verdict then; a worse one ends the approval. */
  readonly verdict: string;
  /** The rules with a critical finding then; another one ends the approval. */
  readonly criticalRules: readonly string[];
  /** Whether it also overrides a block that can be overridden. */
  readonly forced: boolean;
  /** Why a person calls it a false alarm; only such an approval overrides every block. */
  readonly reason?: string | undefined;
  readonly approvedAt: string;
}

export interface ApprovalStore {
  readonly file: string;
  readonly approvals: ReadonlyMap<Digest, Approval>;
}

const VERSION = 1;

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

const document = object<{ version: number; approvals: Readonly<Record<string, StoredApproval>> }>(
  { version: oneOf([VERSION]), approvals: record(approval, { key: digest }) },
  { unknown: "refuse" },
);

const FORMAT: StoreFormat<Digest, Approval> = {
  fileName: "approvals.json",
  schema: refine(
    document,
    ({ approvals }) =>
      new Map(
        Object.entries(approvals).map(([key, value]) => [key as Digest, { digest: key as Digest, ...value }]),
      ),
  ),
  // Room for ten thousand approvals.
  maxBytes: 4 * 1024 * 1024,
  toDocument: (approvals) => {
    const byDigest = Array.from(approvals.values(), ({ digest: key, ...rest }) => [key, rest]);
    return { version: VERSION, approvals: Object.fromEntries(byDigest) };
  },
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

/** Reads the approvals; a store that cannot be understood throws `approvals-invalid` and is left as it is. */
export function readApprovals(home: string): ApprovalStore {
  const { file, items } = readStore(home, FORMAT);
  return { file, approvals: items };
}

interface ApprovalTarget {
  readonly home: string;
  readonly signal?: AbortSignal | undefined;
}

/** Approving the same bytes again replaces the approval. */
export async function approveSkill(
  options: ApprovalTarget & {
    readonly approval: Omit<Approval, "approvedAt">;
    readonly clock: () => number;
  },
): Promise<Approval> {
  const approval = { ...options.approval, approvedAt: new Date(options.clock()).toISOString() };
  await changeStore(options, FORMAT, (approvals) => approvals.set(approval.digest, approval));
  return approval;
}

/** Withdraws an approval; returns whether there was one. */
export function withdrawApproval(options: ApprovalTarget & { readonly digest: Digest }): Promise<boolean> {
  return removeFromStore(options, FORMAT, options.digest);
}
