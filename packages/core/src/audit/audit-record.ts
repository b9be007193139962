import type { Digest } from "@skillet/kit/digest";
import { digestBytes } from "@skillet/kit/digest";
import type { Origin, Scope } from "../registry/skill.ts";

/** What was decided; `recover` is written by the log itself when it finds a line that a crash cut short. */
export type AuditAction =
  | "enable"
  | "disable"
  | "trust"
  | "untrust"
  | "approve"
  | "withdraw"
  | "block"
  | "install"
  | "update"
  | "remove"
  | "rollback"
  | "pin"
  | "unpin"
  | "publish"
  | "tool"
  | "recover";

/** What a caller says about one decision; the log adds who, when and the chain. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly skill?: string;
  readonly scope?: Scope;
  readonly path?: string;
  readonly digest?: Digest;
  /** What was asked for, of an install or an update. */
  readonly source?: string;
  /** A person named the source for this; absent where a lock, a file or a skill did. */
  readonly askedBy?: "person";
  /** The commit, version or digest that the source was pinned to. */
  readonly resolved?: string;
  readonly origin?: Origin;
  readonly verdict?: string;
  /** Of what was there before. */
  readonly replaces?: Digest;
  readonly decision: "allow" | "deny";
  /** Somebody insisted, where the table allows it. */
  readonly forced?: true;
  readonly reason?: string;
  /** Names what happened together, so that a repair does not record it twice. */
  readonly transaction?: string;
}

/** One line of the log. */
export interface AuditRecord extends AuditEntry {
  /** Counts from 1. */
  readonly sequence: number;
  readonly time: string;
  readonly actor: string;
  /** The hash of the line before, or `AUDIT_GENESIS`. */
  readonly previous: Digest;
  /** SHA-256 of this line's bytes up to its hash field. */
  readonly hash: Digest;
}

/** What the first line of a log names as its predecessor. */
export const AUDIT_GENESIS: Digest = `sha256:${"0".repeat(64)}`;

/** The longest line that is written or read. */
export const MAX_AUDIT_LINE_BYTES = 65_536;

const HASH_FIELD = /^,"hash":"(sha256:[0-9a-f]{64})"\}$/;
const HASH_FIELD_LENGTH = `,"hash":"${AUDIT_GENESIS}"}`.length;

/** The bytes of one line, newline included, and its hash, which the next line names. */
export function encodeAuditLine(fields: Omit<AuditRecord, "hash">): {
  readonly bytes: Uint8Array;
  readonly hash: Digest;
} {
  const { sequence, time, actor, action, skill, scope, path, digest, source, askedBy, resolved } = fields;
  const { origin, verdict, replaces, decision, forced, reason, transaction, previous } = fields;
  const what = { action, skill, scope, path, digest, source, askedBy, resolved, origin, verdict, replaces };
  const ordered = { sequence, time, actor, ...what, decision, forced, reason, transaction, previous };
  const head = JSON.stringify(ordered).slice(0, -1);
  const hash = digestBytes(Buffer.from(head));
  return { bytes: Buffer.from(`${head},"hash":"${hash}"}\n`), hash };
}

/** Reads one line, without its newline, and says what is wrong with it; the hash is checked on the bytes as they are. */
export function decodeAuditLine(bytes: Uint8Array): {
  readonly record?: AuditRecord;
  readonly problem?: string;
} {
  const split = bytes.length - HASH_FIELD_LENGTH;
  const hash =
    split > 0 ? HASH_FIELD.exec(Buffer.from(bytes.subarray(split)).toString("latin1"))?.[1] : undefined;
  const record = hash === undefined ? undefined : parseRecord(bytes);
  if (record === undefined) return { problem: "is not a record of this log" };
  if (digestBytes(bytes.subarray(0, split)) !== hash)
    return { record, problem: "was changed: its hash does not match" };
  return { record };
}

// Only the chain's own fields are required: a later version may write actions and fields that are not known here.
function parseRecord(bytes: Uint8Array): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value !== "object" || value === null) return undefined;
    const { sequence, previous, time, actor, action } = value as Record<string, unknown>;
    if (!Number.isSafeInteger(sequence)) return undefined;
    return [previous, time, actor, action].every((field) => typeof field === "string")
      ? (value as AuditRecord)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
