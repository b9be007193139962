import { constants, existsSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import { resolveHome, verifyAudit } from "@skillet/core";
import {
  approvalPath,
  auditPath,
  configPath,
  listTrusted,
  readApprovals,
  readTrust,
  trustPath,
} from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext } from "../context/command-context.ts";
import { openWorkspace, type Workspace } from "../context/open-workspace.ts";
import { loadRunning, loadSelecting } from "../load-beside.ts";
import { trustCommand } from "../ui/skill-notices.ts";
import { count } from "../ui/text.ts";
import type { Finding } from "./finding.ts";

const OLDEST_NODE = [20, 19] as const;

/** Whether this Node.js is one that Skillet is tested on. */
export function checkNode(version: string, skillet: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const fine = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (fine) return { check: "node", status: "ok", message: `Skillet ${skillet} on Node.js ${version}` };
  return {
    check: "node",
    status: "problem",
    message: `Node.js ${version} is older than ${OLDEST_NODE.join(".")}, the oldest that works.`,
    hint: "Install a newer Node.js: https://nodejs.org",
  };
}

/** Whether Skillet's own folder can be used; one that does not exist yet is fine. */
export async function checkHome(home: string): Promise<Finding> {
  const state = await folderState(home);
  switch (state) {
    case "missing":
      return {
        check: "home",
        status: "ok",
        message: "not there yet; it is made when something is written",
        file: home,
      };
    case "writable":
      return { check: "home", status: "ok", message: "can be read and written", file: home };
    case "read-only":
      return {
        check: "home",
        status: "problem",
        message: "cannot be written, so nothing can be enabled, disabled or trusted",
        hint: "Change its permissions, or point SKILLET_HOME at a folder of yours.",
        file: home,
      };
    case "not-a-folder":
      return {
        check: "home",
        status: "problem",
        message: "is not a folder",
        hint: "Move the file away, or point SKILLET_HOME at a folder.",
        file: home,
      };
  }
}

/** Whether discovery can keep its cache; without one it is only slower. */
export async function checkCache(home: string): Promise<Finding> {
  const cache = join(home, "cache");
  const state = await folderState(cache);
  if (state === "missing") return { check: "cache", status: "ok", message: "empty", file: cache };
  if (state === "writable") return { check: "cache", status: "ok", message: "in use", file: cache };
  return {
    check: "cache",
    status: "warning",
    message: "cannot be used, so every start reads all skills again",
    hint: "Remove it; it is made anew.",
    file: cache,
  };
}

async function folderState(path: string): Promise<"missing" | "writable" | "read-only" | "not-a-folder"> {
  try {
    if (!(await stat(path)).isDirectory()) return "not-a-folder";
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return "writable";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "missing";
    if (code === "ENOTDIR" || code === "ELOOP") return "not-a-folder";
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "read-only";
    throw error;
  }
}

/** Whether every config file can be understood, and what in them has no effect. */
export async function checkConfig(context: CommandContext): Promise<readonly Finding[]> {
  const workspace = openWorkspace(context);
  const file = configPath(workspace.home);
  try {
    const { diagnostics } = await readConfig(workspace);
    const odd = diagnostics.map(
      (diagnostic): Finding => ({
        check: "config",
        status:
          diagnostic.severity === "error" ? "problem" : diagnostic.severity === "warning" ? "warning" : "ok",
        message: diagnostic.message,
        ...(diagnostic.hint !== undefined && { hint: diagnostic.hint }),
        file: diagnostic.file,
        ...(diagnostic.range && { line: diagnostic.range.line, column: diagnostic.range.column }),
      }),
    );
    const message = existsSync(file) ? "understood" : "no config file; using defaults";
    return odd.length > 0 ? odd : [{ check: "config", status: "ok", message, file }];
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return problemsOf(error, file);
  }
}

// A trust store that cannot be read is a finding of its own; no folder counts as trusted then.
async function readConfig(workspace: Workspace): ReturnType<Workspace["config"]> {
  try {
    return await workspace.config();
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "trust-store-invalid") throw error;
    return workspace.config({ without: "project" });
  }
}

function problemsOf(error: SkilletError, file: string): readonly Finding[] {
  const { problems } = error.data;
  if (!Array.isArray(problems)) return [{ check: "config", status: "problem", message: error.message, file }];
  return problems.map(
    (problem: { file: string; line?: number; column?: number; message: string; hint: string }) => ({
      ...problem,
      check: "config",
      status: "problem",
    }),
  );
}

/** Whether scripts of skills can be run, and how well they would be held in; without a sandbox they are refused. */
export async function checkSandbox({ environment }: CommandContext): Promise<Finding> {
  const { home } = resolveHome(environment);
  const probe = await loadRunning()
    .createScriptRunner({ allow: [], network: [], writable: [], home })
    .probe();
  if (!probe.ok)
    return {
      check: "sandbox",
      status: "warning",
      message: `scripts of skills are refused: ${probe.reason}`,
      hint: probe.fix === undefined ? "Skills can be used without their scripts." : `Run: ${probe.fix}`,
    };
  const { backend, strength, weaknesses } = probe.report;
  if (strength === "full")
    return {
      check: "sandbox",
      status: "ok",
      message: `${backend} holds: a write and a connection were tried and denied`,
    };
  return {
    check: "sandbox",
    status: "warning",
    message: `${backend} holds, with weaknesses: ${weaknesses.join(" ")}`,
    hint: "Allow only scripts that you have read.",
  };
}

/** Whether what use has taught can be understood; most people have no such file. */
export function checkLearned(home: string): readonly Finding[] {
  const { file, text, learned, diagnostics } = loadSelecting().readLearned(home);
  if (diagnostics.length === 0)
    return text === undefined
      ? []
      : [
          {
            check: "selection",
            status: "ok",
            message: `${count(learned.skills.size, "skill")} learned`,
            file,
          },
        ];
  return diagnostics.map(({ severity, message, hint, file: place, range }) => ({
    check: "selection",
    status: severity === "error" ? "problem" : severity === "warning" ? "warning" : "ok",
    message,
    ...(hint !== undefined && { hint }),
    file: place,
    ...(range && { line: range.line, column: range.column }),
  }));
}

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
