import { resolve } from "node:path";
import { type AuditRecord, type AuditVerification, readAudit, resolveHome, verifyAudit } from "@skillet/core";
import { auditPath } from "@skillet/core/internal";
import type { AuditHead, HeadVerification, VerifyingKey } from "@skillet/hub";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { CliError, refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { showDigest } from "../hub/report-results.ts";
import { loadInstalling } from "../load-beside.ts";
import type { Terminal } from "../ui/terminal.ts";
import { count, showPath, stripControl } from "../ui/text.ts";

const DEFAULT_LIMIT = 20;

interface AuditOptions extends Flags<"verify"> {
  readonly skill?: string;
  readonly limit?: number;
  readonly exportHead?: string;
  readonly checkHead?: string;
  readonly sign?: string;
  readonly key?: string;
}

export async function audit(context: CommandContext, options: AuditOptions): Promise<ExitCode> {
  const { exportHead: to, checkHead: from, sign, key, verify, skill, limit } = options;
  refuseUsage("audit", [
    [to !== undefined && from !== undefined, "--export-head and --check-head do not go together."],
    [sign !== undefined && to === undefined, "--sign goes with --export-head."],
    [key !== undefined && from === undefined, "--key goes with --check-head."],
    [
      (to ?? from) !== undefined && (verify ?? skill ?? limit) !== undefined,
      "--export-head and --check-head show no records, so no other option goes with them.",
    ],
  ]);
  const file = auditPath(resolveHome(context.environment).home);
  const at = (path: string): string => resolve(context.workspace, path);
  if (to !== undefined)
    return exportHead(context, { file, to: at(to), key: sign === undefined ? undefined : at(sign) });
  if (from !== undefined) return checkHead(context, { file, from: at(from), key });
  const records = verify === true ? [] : await readLast(file, options);
  const verification = await verifyAudit(file);
  const { ok, head, problems } = verification;
  return answer(
    context,
    { file, intact: ok, count: verification.records, ...(head !== undefined && { head }), records, problems },
    () => logLines(context.terminal, { file, records, verification, skill }),
    ok ? 0 : 1,
  );
}

function logLines(
  { colours, environment }: Terminal,
  log: {
    readonly file: string;
    readonly records: readonly AuditRecord[];
    readonly verification: AuditVerification;
    readonly skill: string | undefined;
  },
): readonly string[] {
  const { ok, head, problems, records: total } = log.verification;
  const shown = showPath(log.file, environment);
  const isNone = log.skill !== undefined && log.records.length === 0;
  const summary = !ok
    ? `${colours.red("✗")} The chain of ${shown} is broken: it was edited, cut or damaged.`
    : head === undefined
      ? `Nothing was decided yet: ${shown} is empty.`
      : `${colours.green("✓")} ${count(total, "record")}, each sealed by the next; the last is ${head.sequence} ${showDigest(head.hash)}`;
  return [
    ...log.records.map(lineOf),
    ...(isNone ? [`There is no record of ${stripControl(log.skill)}.`] : []),
    ...problems.map(({ message }) => `${colours.red("✗")} ${stripControl(message)}`),
    summary,
  ];
}

// The log grows for ever; only as many lines as are shown are kept.
async function readLast(
  file: string,
  { skill, limit = DEFAULT_LIMIT }: AuditOptions,
): Promise<readonly AuditRecord[]> {
  const last: AuditRecord[] = [];
  for await (const { record } of readAudit(file)) {
    if (record === undefined || (skill !== undefined && record.skill !== skill)) continue;
    last.push(record);
    if (last.length > limit) last.shift();
  }
  return last;
}

function lineOf(record: AuditRecord): string {
  const { time, actor, action, skill, path, digest, verdict, decision, forced, reason } = record;
  const words = [
    time.slice(0, 19).replace("T", " "),
    `${action}${decision === "deny" ? " denied" : ""}`,
    skill ?? path ?? "",
    digest === undefined ? "" : showDigest(digest),
    verdict === undefined ? "" : `${verdict}${forced === true ? ", forced" : ""}`,
    `by ${actor}`,
    reason === undefined ? "" : `(${shorten(reason)})`,
  ];
  return words
    .filter((word) => word !== "")
    .map(stripControl)
    .join("  ");
}

const MAX_REASON = 160;

// At the end of a word, and seen to be cut; a document has the whole.
function shorten(reason: string): string {
  if (reason.length <= MAX_REASON) return reason;
  const cut = reason.slice(0, MAX_REASON);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MAX_REASON / 2)).replace(/[,;:\s]+$/, "")} …`;
}

const MAX_HEAD_BYTES = 262_144;

/** Writes the log's last record down, signed or not, to be kept where whoever cuts the log off cannot reach it. */
async function exportHead(
  context: CommandContext,
  { file, to, key }: { readonly file: string; readonly to: string; readonly key: string | undefined },
): Promise<ExitCode> {
  const { ok, head } = await verifyAudit(file);
  if (!ok || head === undefined)
    throw new CliError(
      "audit-head-unavailable",
      `The head of ${file} is not worth keeping: the log is ${ok ? "empty" : "broken"}.`,
      { exitCode: 1, hints: ["See what is wrong: skillet audit --verify"] },
    );
  const { readSigningKey, signHead, formatEnvelope } = loadInstalling();
  const text =
    key === undefined
      ? `${JSON.stringify({ sequence: head.sequence, hash: head.hash })}\n`
      : formatEnvelope(signHead({ head, key: await readSigningKey(key) }));
  await writeAtomic(to, text, { links: "refuse" });
  const shown = showPath(to, context.environment);
  return answer(
    context,
    { file: to, head, signed: key !== undefined },
    () =>
      `Wrote record ${head.sequence} to ${shown}. Keep it where those who can write the log cannot change it.`,
  );
}

async function checkHead(
  context: CommandContext,
  options: { readonly file: string; readonly from: string; readonly key: string | undefined },
): Promise<ExitCode> {
  const found = await lookForHead(options);
  const isIntact = found.state === "intact";
  const { green, red } = context.terminal.colours;
  return answer(
    context,
    { file: options.from, intact: isIntact, ...found },
    () => `${isIntact ? green("✓") : red("✗")} ${headWords(found)}`,
    isIntact ? 0 : 1,
  );
}

async function lookForHead(options: {
  readonly file: string;
  readonly from: string;
  readonly key: string | undefined;
}): Promise<HeadVerification> {
  const { file, from, key } = options;
  const bytes = readBoundedFile(from, { maxBytes: MAX_HEAD_BYTES });
  if (bytes === undefined)
    throw new CliError("audit-head-missing", `There is no file ${from}.`, {
      hints: ["Write one with: skillet audit --export-head FILE"],
      details: { file: from },
    });
  const { findHead, parseEnvelope, verifyHead } = loadInstalling();
  const plain = parsePlainHead(bytes);
  // Whoever asks for a key must not be content with a head that anybody can write.
  if (plain !== undefined) return key === undefined ? findHead(file, plain) : { state: "untrusted" };
  if (key === undefined)
    throw new CliError("usage", `${from} is signed, so the key that signed it is needed.`, {
      hints: ["Pass --key with the public key, or the file that holds it."],
    });
  return verifyHead({ envelope: parseEnvelope(bytes), trustedKeys: [readVerifyingKey(key)], file });
}

function readVerifyingKey(key: string): VerifyingKey {
  const { readKey } = loadInstalling();
  if (key.startsWith("ed25519:")) return readKey(key);
  const bytes = readBoundedFile(key, { maxBytes: MAX_HEAD_BYTES });
  return readKey(bytes === undefined ? key : Buffer.from(bytes).toString());
}

function parsePlainHead(bytes: Uint8Array): AuditHead | undefined {
  const [, sequence, hash] =
    /^\{"sequence":([1-9]\d{0,14}),"hash":"(sha256:[0-9a-f]{64})"\}\s*$/.exec(
      Buffer.from(bytes).toString(),
    ) ?? [];
  if (sequence === undefined || hash === undefined) return undefined;
  return { sequence: Number(sequence), hash: hash as AuditHead["hash"] };
}

function headWords(found: HeadVerification): string {
  switch (found.state) {
    case "intact":
      return `The log holds everything up to record ${found.head.sequence}, and ${count(found.later, "record")} after it.`;
    case "cut-off":
      return `The log was cut off: it ends at record ${found.last}, and the head is record ${found.head.sequence}.`;
    case "rewritten":
      return `The log was written anew: record ${found.head.sequence} is another one.`;
    case "damaged":
      return `The log is damaged at or before record ${found.head.sequence}: ${found.problem}.`;
    case "untrusted":
      return "The head is not signed by that key, so it says nothing.";
    case "not-a-head":
      return "The file holds no head of an audit log.";
  }
}
