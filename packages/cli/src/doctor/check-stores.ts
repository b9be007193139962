import { existsSync } from "node:fs";
import { verifyAudit } from "@skillet/core";
import {
  approvalPath,
  auditPath,
  listTrusted,
  readApprovals,
  readTrust,
  trustPath,
} from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { count } from "../ui/skill-state.ts";
import { trustCommand } from "../ui/trust-notice.ts";
import type { Finding } from "./finding.ts";

/** Whether the trust store can be read, and whether the folders in it still exist. */
export function checkTrust(home: string): readonly Finding[] {
  const file = trustPath(home);
  try {
    const folders = listTrusted(readTrust(home));
    const gone = folders.filter(({ root }) => !existsSync(root));
    return [
      { check: "trust", status: "ok", message: `${count(folders.length, "folder")} trusted`, file },
      ...gone.map(
        ({ root }): Finding => ({
          check: "trust",
          status: "warning",
          message: `${root} is trusted but no longer there; whatever appears at that path would be trusted`,
          hint: `Take it back: ${trustCommand(root, "--revoke")}`,
          file,
        }),
      ),
    ];
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return [
      { check: "trust", status: "problem", message: error.message, hint: "Repair or remove the file.", file },
    ];
  }
}

/** Whether the approvals of skills that a scan warns of can be read. */
export function checkApprovals(home: string): readonly Finding[] {
  const file = approvalPath(home);
  try {
    const { size } = readApprovals(home).approvals;
    // Most people never approve one.
    return size === 0
      ? []
      : [{ check: "approvals", status: "ok", message: `${count(size, "skill")} approved`, file }];
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return [
      {
        check: "approvals",
        status: "problem",
        message: error.message,
        hint: "Repair or remove the file.",
        file,
      },
    ];
  }
}

/** Whether the audit log is whole: no line edited, removed or added behind its back. */
export async function checkAudit(home: string): Promise<readonly Finding[]> {
  const file = auditPath(home);
  try {
    const { ok, records, problems } = await verifyAudit(file);
    if (ok)
      return [{ check: "audit", status: "ok", message: `${count(records, "record")}, chain unbroken`, file }];
    return problems.map(({ line, message }) => ({
      check: "audit",
      status: "problem",
      message,
      hint: "Somebody or something changed the log. Keep a copy, then compare it with a backup.",
      file,
      line,
    }));
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return [
      { check: "audit", status: "problem", message: error.message, hint: "Repair or move the file.", file },
    ];
  }
}
