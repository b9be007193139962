import { join, resolve } from "node:path";
import { type AuditRecord, type AuditVerification, readAudit, resolveHome, verifyAudit } from "@skillet/core";
import { auditPath } from "@skillet/core/internal";
import type { AuditHead, HeadVerification } from "@skillet/hub";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { CliError, refuseUsage, usageError } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Flags,
  type Numbers,
  type Texts,
} from "../context/command-context.ts";
import { showDigest } from "../hub/report-results.ts";
import { loadInstalling } from "../load-beside.ts";
import type { Terminal } from "../ui/terminal.ts";
import { count, hang, showPath, stripControl, wrap } from "../ui/text.ts";

const DEFAULT_LIMIT = 20;
const MAX_HEAD_BYTES = 262_144;

type AuditOptions = Flags<"verify"> &
  Texts<"skill" | "exportHead" | "checkHead" | "sign" | "key"> &
  Numbers<"limit">;

export async function audit(context: CommandContext, options: AuditOptions): Promise<ExitCode> {
  const { exportHead: to, checkHead: from, sign, key, verify, skill, limit } = options;
  refuseUsage("audit", [
    [to !== undefined && from !== undefined, "--export-head and --check-head cannot be combined."],
    [sign !== undefined && to === undefined, "--sign needs --export-head."],
    [key !== undefined && from === undefined, "--key needs --check-head."],
    [
      (to ?? from) !== undefined && (verify ?? skill ?? limit) !== undefined,
      "--export-head and --check-head show no records, so they cannot be combined with options for records.",
    ],
  ]);
  const file = auditPath(resolveHome(context.environment).home);
  const at = (path: string): string => resolve(context.workspace, path);
  if (to !== undefined)
    return exportHead(context, { file, to: at(to), key: sign === undefined ? undefined : at(sign) });
  if (from !== undefined) return checkHead(context, { file, from: at(from), key });
  const { records, total } = verify === true ? { records: [], total: 0 } : await readLast(file, options);
  const verification = await verifyAudit(file);
  const { ok, head, problems } = verification;
  return answer(
    context,
    { file, intact: ok, count: verification.records, head, records, problems },
    () => [
      ...records.flatMap((record) => recordLines(record, context.terminal)),
      ...(skill !== undefined && records.length === 0
        ? [`There is no record of ${stripControl(skill)}.`]
        : []),
      ...(total > records.length ? hang(lastOf(records.length, total, skill), context.terminal) : []),
      ...summaryLines(context.terminal, file, verification),
    ],
    ok ? 0 : 1,
  );
}

function summaryLines(
  layout: Terminal,
  file: string,
  { ok, head, problems, records }: AuditVerification,
): readonly string[] {
  const shown = showPath(file, layout.environment);
  const cross = layout.colours.red("✗");
  const faults = problems.map(({ message }) => `${cross} ${stripControl(message)}`);
  if (!ok) return [...faults, `${cross} The chain of ${shown} is broken: it was edited, cut or damaged.`];
  if (head === undefined) return [...faults, `No decisions yet: ${shown} is empty.`];
  const last = `${head.sequence} ${showDigest(head.hash)}`;
  return [
    ...faults,
    ...hang(`${count(records, "record")}, each sealed by the next; the last is ${last}`, layout, {
      indent: 2,
      lead: `${layout.colours.green("✓")} `,
    }),
  ];
}

// The log grows without bound, so only as many records as are shown are kept in memory.
async function readLast(
  file: string,
  { skill, limit = DEFAULT_LIMIT }: AuditOptions,
): Promise<{ readonly records: readonly AuditRecord[]; readonly total: number }> {
  const last: AuditRecord[] = [];
  let total = 0;
  for await (const { record } of readAudit(file)) {
    if (record === undefined || (skill !== undefined && record.skill !== skill)) continue;
    total += 1;
    last.push(record);
    if (last.length > limit) last.shift();
  }
  return { records: last, total };
}

function lastOf(shown: number, total: number, skill: string | undefined): string {
  const of = skill === undefined ? "" : ` --skill ${shellArgument(skill)}`;
  return `The last ${shown} of ${total}. All of them: skillet audit${of} --limit ${total}`;
}

function recordLines(record: AuditRecord, { lineWidth, environment }: Terminal): readonly string[] {
  const { time, actor, action, skill, path, digest, verdict, decision, forced, reason } = record;
  const isInProject = /^(?:un)?trust$/.test(action) && skill !== undefined && path !== undefined;
  const words = [
    time.slice(0, 19).replace("T", " "),
    decision !== "deny" ? action : (REFUSED[action] ?? `${action} refused`),
    isInProject ? showPath(join(path, skill), environment) : (skill ?? path),
    digest && showDigest(digest),
    verdict && `${verdict}${forced === true ? ", forced" : ""}`,
    `by ${actor}`,
    // Cut at a word boundary; the JSON document has the whole reason.
    reason && `(${wrap(reason, { width: MAX_REASON, maxLines: 1 }).join("")})`,
  ];
  const line = words.flatMap((word) => (word ? [stripControl(word)] : [])).join("  ");
  return wrap(line, { width: lineWidth - 2 }).map((part, index) => (index === 0 ? part : `  ${part}`));
}

const MAX_REASON = 160;
const REFUSED: Readonly<Partial<Record<AuditRecord["action"], string>>> = {
  block: "blocked",
  approve: "approval declined",
};

/** Writes the log's last record to a file, to be kept out of reach of anyone who could truncate the log. */
async function exportHead(
  context: CommandContext,
  { file, to, key }: { readonly file: string; readonly to: string; readonly key: string | undefined },
): Promise<ExitCode> {
  const { ok, head } = await verifyAudit(file);
  if (!ok || head === undefined)
    throw new CliError(
      "audit-head-unavailable",
      `The head of ${file} cannot be exported: the log is ${ok ? "empty" : "broken"}.`,
      { exitCode: 1, hints: ["See what is wrong: skillet audit --verify"] },
    );
  const { readSigningKey, signHead, formatEnvelope } = loadInstalling();
  const { sequence, hash } = head;
  const text =
    key === undefined
      ? `${JSON.stringify({ sequence, hash })}\n`
      : formatEnvelope(signHead({ head, key: await readSigningKey(key) }));
  await writeAtomic(to, text, { links: "refuse" });
  const shown = showPath(to, context.environment);
  return answer(
    context,
    { file: to, head, signed: key !== undefined },
    () => `Wrote record ${sequence} to ${shown}. Keep it where those who can write the log cannot change it.`,
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

async function lookForHead({ file, from, key }: Parameters<typeof checkHead>[1]): Promise<HeadVerification> {
  const bytes = readBoundedFile(from, { maxBytes: MAX_HEAD_BYTES });
  if (bytes === undefined)
    throw new CliError("audit-head-missing", `There is no file ${from}.`, {
      hints: ["Write one with: skillet audit --export-head FILE"],
      details: { file: from },
    });
  const { findHead, parseEnvelope, readKey, verifyHead } = loadInstalling();
  const plain = parsePlainHead(bytes);
  // With --key, an unsigned head does not count, because anyone can write one.
  if (plain !== undefined) return key === undefined ? findHead(file, plain) : { state: "untrusted" };
  if (key === undefined)
    throw usageError(
      "audit",
      `${from} is signed, so the key that signed it is needed.`,
      "Pass --key with the public key, or the file that holds it.",
    );
  const keyFile = key.startsWith("ed25519:") ? undefined : readBoundedFile(key, { maxBytes: MAX_HEAD_BYTES });
  const trustedKeys = [readKey(keyFile === undefined ? key : Buffer.from(keyFile).toString())];
  return verifyHead({ envelope: parseEnvelope(bytes), trustedKeys, file });
}

function parsePlainHead(bytes: Uint8Array): AuditHead | undefined {
  const pattern = /^\{"sequence":([1-9]\d{0,14}),"hash":"(sha256:[0-9a-f]{64})"\}\s*$/;
  const [, sequence, hash] = pattern.exec(Buffer.from(bytes).toString()) ?? [];
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
      return `The log was rewritten: record ${found.head.sequence} is a different one.`;
    case "damaged":
      return `The log is damaged at or before record ${found.head.sequence}: ${found.problem}.`;
    case "untrusted":
      return "The head is not signed by that key, so it proves nothing.";
    case "not-a-head":
      return "The file does not hold the head of an audit log.";
  }
}
