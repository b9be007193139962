import { resolve } from "node:path";
import {
  type AuditRecord,
  type AuditVerification,
  auditPath,
  readAudit,
  resolveHome,
  verifyAudit,
} from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { checkHead, exportHead } from "../hub/audit-heads.ts";
import { showDigest } from "../hub/show-pin.ts";
import { printJson } from "../output/json-document.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";

const DEFAULT_LIMIT = 20;

/** What of the log is shown or checked. */
export interface AuditOptions {
  readonly verify?: boolean;
  readonly skill?: string;
  readonly limit?: number;
  readonly exportHead?: string;
  readonly checkHead?: string;
  readonly sign?: string;
  readonly key?: string;
}

/** Shows the log of decisions, newest last, and checks its chain; a broken one is a no. */
export async function audit(context: CommandContext, options: AuditOptions): Promise<ExitCode> {
  const { home } = resolveHome(context.environment);
  const file = auditPath(home);
  const at = (path: string): string => resolve(context.workspace, path);
  checkOptions(options);
  if (options.exportHead !== undefined) {
    const key = options.sign === undefined ? undefined : at(options.sign);
    return exportHead(context, { file, to: at(options.exportHead), key });
  }
  if (options.checkHead !== undefined)
    return checkHead(context, { file, from: at(options.checkHead), key: options.key });
  const records = options.verify === true ? [] : await readLast(file, options);
  const verification = await verifyAudit(file);
  const { ok, head, problems } = verification;
  if (context.json)
    printJson(context.terminal, {
      file,
      intact: ok,
      count: verification.records,
      ...(head !== undefined && { head }),
      records,
      problems,
    });
  else printLog(context, { file, records, verification, skill: options.skill });
  return ok ? 0 : 1;
}

function printLog(
  { terminal, environment }: CommandContext,
  log: {
    readonly file: string;
    readonly records: readonly AuditRecord[];
    readonly verification: AuditVerification;
    readonly skill: string | undefined;
  },
): void {
  const { colours } = terminal;
  const { ok, head, problems, records: total } = log.verification;
  const shown = showPath(log.file, environment);
  for (const record of log.records) terminal.print(lineOf(record));
  if (log.skill !== undefined && log.records.length === 0)
    terminal.print(`There is no record of ${stripControl(log.skill)}.`);
  for (const { message } of problems) terminal.print(`${colours.red("✗")} ${stripControl(message)}`);
  if (!ok)
    terminal.print(`${colours.red("✗")} The chain of ${shown} is broken: it was edited, cut or damaged.`);
  else if (head === undefined) terminal.print(`Nothing was decided yet: ${shown} is empty.`);
  else
    terminal.print(
      `${colours.green("✓")} ${count(total, "record")}, each sealed by the next; the last is ${head.sequence} ${showDigest(head.hash)}`,
    );
}

function checkOptions({
  exportHead: to,
  checkHead: from,
  sign,
  key,
  verify,
  skill,
  limit,
}: AuditOptions): void {
  const fault =
    to !== undefined && from !== undefined
      ? "--export-head and --check-head do not go together."
      : sign !== undefined && to === undefined
        ? "--sign goes with --export-head."
        : key !== undefined && from === undefined
          ? "--key goes with --check-head."
          : (to ?? from) !== undefined && (verify ?? skill ?? limit) !== undefined
            ? "--export-head and --check-head show no records, so no other option goes with them."
            : undefined;
  if (fault !== undefined) throw new CliError("usage", fault, { hints: ["See: skillet help audit"] });
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

function lineOf({
  time,
  actor,
  action,
  skill,
  path,
  digest,
  verdict,
  decision,
  forced,
  reason,
}: AuditRecord): string {
  const words = [
    time.slice(0, 19).replace("T", " "),
    `${action}${decision === "deny" ? " denied" : ""}`,
    skill ?? path ?? "",
    ...(digest === undefined ? [] : [showDigest(digest)]),
    ...(verdict === undefined ? [] : [`${verdict}${forced === true ? ", forced" : ""}`]),
    `by ${actor}`,
    ...(reason === undefined ? [] : [`(${shorten(reason)})`]),
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
