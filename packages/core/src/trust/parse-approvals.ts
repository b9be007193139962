import type { Digest } from "@skillet/kit/digest";
import type { Approval } from "./approval-store.ts";
import { isDigest, parseJson, readObject } from "./parse-store.ts";

const VERSION = 1;

/** Reads the text of an approval store, or throws a SyntaxError that says what is wrong and where. */
export function parseApprovals(bytes: Uint8Array): Map<Digest, Approval> {
  const store = readObject(parseJson(bytes), "the store", ["version", "approvals"]);
  if (store.version !== VERSION)
    throw new SyntaxError(
      `Its version is ${JSON.stringify(store.version)}, but only ${VERSION} is known; a newer Skillet may have written it.`,
    );
  const approvals = new Map<Digest, Approval>();
  for (const [digest, value] of Object.entries(readObject(store.approvals, "approvals"))) {
    if (!isDigest(digest)) throw new SyntaxError(`${JSON.stringify(digest)} is no digest.`);
    approvals.set(digest, readApproval(digest, value));
  }
  return approvals;
}

/** The text of an approval store; the same approvals always give the same bytes. */
export function formatApprovals(approvals: readonly Approval[]): string {
  const byDigest = approvals.map(({ digest, ...approval }) => [digest, approval]);
  return `${JSON.stringify({ version: VERSION, approvals: Object.fromEntries(byDigest) }, undefined, 2)}\n`;
}

function readApproval(digest: Digest, value: unknown): Approval {
  const { skill, verdict, criticalRules, forced, approvedAt } = readObject(value, digest, KEYS);
  if (typeof skill !== "string" || typeof verdict !== "string")
    throw new SyntaxError(`${digest} does not say which skill, or which verdict, was approved.`);
  if (!Array.isArray(criticalRules) || !criticalRules.every((rule) => typeof rule === "string"))
    throw new SyntaxError(`criticalRules of ${digest} is not a list of rules.`);
  if (typeof forced !== "boolean") throw new SyntaxError(`forced of ${digest} is neither true nor false.`);
  if (typeof approvedAt !== "string" || Number.isNaN(Date.parse(approvedAt)))
    throw new SyntaxError(`${digest} has no valid time in approvedAt.`);
  return { digest, skill, verdict, criticalRules, forced, approvedAt };
}

const KEYS = ["skill", "verdict", "criticalRules", "forced", "approvedAt"];
