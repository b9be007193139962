import { constants, existsSync, mkdtempSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PluginDefinition, resolveHome, verifyAudit } from "@skillet/core";
import {
  approvalPath,
  auditPath,
  configPath,
  listTrusted,
  pluginName,
  readAllowedScripts,
  readApprovals,
  readTrust,
  trustPath,
} from "@skillet/core/internal";
import { readLock } from "@skillet/hub";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { openPlaces, otherWriters } from "@skillet/kit/files";
import { listFirst } from "@skillet/kit/text";
import { unknownAgent } from "../context/agents-of.ts";
import { onSkilletError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { isNews } from "../context/open-registry.ts";
import { openWorkspace, type Workspace } from "../context/open-workspace.ts";
import { readLocks } from "../hub/read-locks.ts";
import { loadInstalling, loadRunning, loadSelecting } from "../load-beside.ts";
import { closeCommand, MAX_OPEN } from "../trust/open-to-others.ts";
import { trustCommand } from "../ui/skill-notices.ts";
import { count } from "../ui/text.ts";
import { checkStore, type Finding, findingOf, ok, problem, warning } from "./finding.ts";

export async function checkMachine(context: CommandContext): Promise<readonly Finding[]> {
  const workspace = openWorkspace(context);
  const { home, userHome, locks } = workspace;
  return [
    checkNode(process.versions.node, context.version),
    await checkHome(home),
    // Skillet creates these for the user alone, and runs no script if a group can write to them.
    ...checkOpen("home", openPlaces([home, join(home, "cache")], { who: ["everyone", "group"] })),
    ...checkOpen("home", openPlaces([userHome, configPath(home), trustPath(home), locks.user])),
    ...(await checkConfig(workspace)),
    ...(await checkLocks(context, workspace)),
    ...(await checkTrust(workspace)),
    ...(await checkApprovals(home)),
    ...checkLearned(home),
    await checkCache(home),
    ...(await checkAudit(home)),
    await checkSandbox(home),
  ];
}

/** Reports what other users of this machine could change, and thereby what agents load or the user trusts. */
export function checkOpen(check: Finding["check"], open: readonly string[]): readonly Finding[] {
  if (open.length === 0) return [];
  const isForAll = open.some((path) => otherWriters(statSync(path)) === "everyone");
  const others = isForAll ? "anyone on this machine" : "its group";
  const message = `${others} can write to ${listFirst(open, MAX_OPEN)}`;
  return [problem(check, message, `Run: ${closeCommand(open, "go")}`, { file: open[0] ?? "" })];
}

const OLDEST_NODE = [20, 19] as const;

function checkNode(version: string, skillet: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return ok("node", `Skillet ${skillet} on Node.js ${version}`);
  const message = `Node.js ${version} is older than ${OLDEST_NODE.join(".")}, the oldest that works.`;
  return problem("node", message, "Install a newer Node.js: https://nodejs.org");
}

/** Checks whether Skillet's own folder can be used; a missing one is fine if it can be created. */
async function checkHome(home: string): Promise<Finding> {
  const state = await folderState(home);
  if (state === "writable") return ok("home", "can be read and written", home);
  if (state === "missing" && canBeMade(home))
    return ok("home", "not there yet; it is made when something is written", home);
  const [message, first] = UNUSABLE[state];
  return problem("home", message, `${first}, or point SKILLET_HOME at a folder that you own.`, {
    file: home,
  });
}

const UNUSABLE = {
  missing: [
    "cannot be made, so nothing can be installed, disabled or trusted",
    "Change the permissions of the folder above it",
  ],
  "read-only": [
    "cannot be written, so nothing can be enabled, disabled or trusted",
    "Change its permissions",
  ],
  "not-a-folder": ["is not a folder", "Move the file away"],
} as const;

// Tries it, because permissions do not tell: a file system may be read-only or not allow folders at all.
function canBeMade(path: string): boolean {
  let above = dirname(path);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  try {
    rmdirSync(mkdtempSync(join(above, ".skillet-")));
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

async function checkCache(home: string): Promise<Finding> {
  const cache = join(home, "cache");
  const state = await folderState(cache);
  if (state === "missing") return ok("cache", "empty", cache);
  if (state === "writable") return ok("cache", "in use", cache);
  const message = "cannot be used, so every start reads all skills again";
  const hint =
    state === "read-only" ? "Change its permissions." : "Remove it; a new one is made when needed.";
  return warning("cache", message, hint, { file: cache });
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

async function checkConfig(workspace: Workspace): Promise<readonly Finding[]> {
  const file = configPath(workspace.home);
  // An unreadable trust store is a separate finding; no folder counts as trusted in that case.
  const again = onSkilletError(() => workspace.config({ without: "project" }), "trust-store-invalid");
  try {
    const { config, diagnostics } = await workspace.config().catch(again);
    const unknown = unknownAgent(config.hub.agents);
    if (unknown !== undefined)
      return [
        problem("config", `hub.agents: ${unknown.message}`, "Correct it: skillet config set hub.agents"),
      ];
    if (diagnostics.length > 0) return diagnostics.map((diagnostic) => findingOf("config", diagnostic));
    return [ok("config", existsSync(file) ? "understood" : "no config file; using defaults", file)];
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const { problems } = error.data;
    const all: readonly Omit<Finding, "check" | "status">[] = Array.isArray(problems)
      ? problems
      : [{ message: error.message, file }];
    return all.map((problem) => ({ ...problem, check: "config", status: "problem" }));
  }
}

export async function checkPlugins(
  { environment }: CommandContext,
  plugins: readonly PluginDefinition[],
): Promise<readonly Finding[]> {
  const { home, userHome } = resolveHome(environment);
  if (plugins.length === 0) return [];
  // An unreadable lock was already reported.
  const lock = await readLock(join(home, "lock.json")).catch(onSkilletError(() => undefined));
  if (lock === undefined) return [];
  const missing = loadInstalling().missingPlugins(lock, plugins, { root: home, userHome });
  const remedy = "Install it with `skillet install`, or take it out of the list.";
  return missing.map((plugin) => {
    const message = `${pluginName(plugin)} is listed in skills.plugins but not installed`;
    return warning("plugins", message, remedy, { file: configPath(home) });
  });
}

async function checkSandbox(home: string): Promise<Finding> {
  const choice = { allow: [], network: [], writable: [], home };
  const probe = await loadRunning().createScriptRunner(choice).probe();
  if (!probe.ok) {
    const hint = probe.fix === undefined ? "Skills can be used without their scripts." : `Run: ${probe.fix}`;
    return warning("sandbox", `scripts of skills are refused: ${probe.reason}`, hint);
  }
  const { backend, strength, weaknesses } = probe.report;
  if (strength === "full")
    return ok("sandbox", `${backend} holds: a write and a connection were tried and denied`);
  const message = `${backend} holds, with weaknesses: ${weaknesses.join(" ")}`;
  return warning("sandbox", message, "Allow only scripts that you have read.");
}

function checkLearned(home: string): readonly Finding[] {
  const { file, text, learned, diagnostics } = loadSelecting().readLearned(home);
  if (diagnostics.length > 0) return diagnostics.map((diagnostic) => findingOf("selection", diagnostic));
  return text === undefined ? [] : [ok("selection", `${count(learned.skills.size, "skill")} learned`, file)];
}

async function checkLocks(context: CommandContext, workspace: Workspace): Promise<readonly Finding[]> {
  const { locks, project } = workspace;
  const files = [locks.user, ...(project ? [locks.project] : [])];
  const hint = "Repair it, or put it back from a backup or from version control.";
  const states = await readLocks(context);
  const checked = files.filter(existsSync).map((file) =>
    checkStore({ check: "lock", file, hint }, async () => {
      const flag = file === files[0] ? "" : " --project";
      const { skills } = await readLock(file);
      const held = `${count(skills.size, "skill")} installed${flag && " in this project"}`;
      const drifted = states.find((state) => state.file === file)?.drifted ?? [];
      if (drifted.length === 0) return [ok("lock", held, file)];
      const message = `${held}; changed since then: ${listFirst(drifted, MAX_DRIFTED)}`;
      return [warning("lock", message, `See which files: skillet verify${flag}`, { file })];
    }),
  );
  const findings = [...checkLockless(workspace), ...(await Promise.all(checked)).flat()];
  // The rest of the command reads the lock, too, and must not report it again.
  for (const { status, file = "" } of findings) if (status === "problem") isNews(context.terminal, file);
  return findings;
}

/** Reports skills that were installed but are no longer in any lock. */
function checkLockless({ home, locks: { user: file } }: Workspace): readonly Finding[] {
  const folder = join(home, "plugins");
  if (existsSync(file) || !existsSync(folder)) return [];
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() && !one.name.startsWith(".") ? one.name : [],
  );
  if (names.length === 0) return [];
  const message = `is gone, so ${listFirst(names.sort(), MAX_DRIFTED)} in ${folder} can be neither verified nor updated`;
  const hint = "Put it back from a backup, or move that folder away and install these skills again.";
  return [problem("lock", message, hint, { file })];
}

const MAX_DRIFTED = 5;

function checkTrust({ home, project }: Workspace): Promise<readonly Finding[]> {
  const file = trustPath(home);
  return checkStore({ check: "trust", file, hint: "Repair or remove the file." }, () => {
    const folders = listTrusted(readTrust(home));
    const gone = folders.filter(({ root }) => !existsSync(root));
    const open = folders.flatMap(({ root, skills }) => {
      // Files in the current project are checked along with its skills.
      const held = root === project?.root ? [] : [...skills.keys()];
      const files = held.flatMap((folder) => [join(root, folder), join(root, folder, "SKILL.md")]);
      const places = openPlaces([root, ...files], { tops: [root] });
      return places.length === 0 ? [] : [{ root, places }];
    });
    return [
      ok("trust", `${count(folders.length, "folder")} trusted`, file),
      ...gone.map(({ root }) => {
        const message = `${root} is trusted but no longer there; whatever appears at that path would be trusted`;
        return warning("trust", message, `Take it back: ${trustCommand(root, "--revoke")}`, { file });
      }),
      ...open.map(({ root, places }) => {
        const what = places[0] === root ? "it" : listFirst(places, MAX_OPEN);
        const message = `${root} is trusted, and anyone on this machine can write to ${what}`;
        const hint = `Run: ${closeCommand(places)}, or take it back: ${trustCommand(root, "--revoke")}`;
        return problem("trust", message, hint, { file: root });
      }),
    ];
  });
}

function checkApprovals(home: string): Promise<readonly Finding[]> {
  const file = approvalPath(home);
  return checkStore({ check: "approvals", file, hint: "Repair or remove the file." }, () => {
    const { size } = readApprovals(home).approvals;
    const allowed = readAllowedScripts(home).length;
    return [
      ...(size === 0 ? [] : [ok("approvals", `${count(size, "skill")} approved`, file)]),
      ...(allowed === 0 ? [] : [ok("approvals", `${count(allowed, "script")} ${UNASKED}`)]),
    ];
  });
}

const UNASKED = "may run without a question, unless changed since: skillet trust --list";

function checkAudit(home: string): Promise<readonly Finding[]> {
  const file = auditPath(home);
  return checkStore({ check: "audit", file, hint: "Repair or move the file." }, async () => {
    const { ok: isWhole, records, problems } = await verifyAudit(file);
    if (isWhole) return [ok("audit", `${count(records, "record")}, chain unbroken`, file)];
    const hint =
      "The log was changed by hand or by another program. Keep a copy, then compare it with a backup.";
    return problems.map(({ line, message }) => problem("audit", message, hint, { file, line }));
  });
}
