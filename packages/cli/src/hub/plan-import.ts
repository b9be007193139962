import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type {
  ImportedSkill,
  InstallRequest,
  LockEntry,
  OfferedItem,
  Plan,
  PlannedItem,
  RefusedItem,
} from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { present } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { shellArgument } from "@skillet/kit/text";
import { CliError, onSkilletError, refusalError, usageError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { askOnTerminal } from "../context/create-ask.ts";
import { loadInstalling } from "../load-beside.ts";
import { hang, showSentence } from "../ui/text.ts";
import type { ResultRow } from "./report-results.ts";
import type { HubWork } from "./with-hub.ts";

const MAX_IMPORT_BYTES = 16 * 1024 * 1024;
const MAX_NAMED = 12;

interface PlannedImport {
  readonly plan: Plan;
  /** Installed names of the skills that stay at their version. */
  readonly pinned: readonly string[];
  /** Entries that cannot be planned and are not installed, so the command fails. */
  readonly others: readonly ResultRow[];
}

/** Plans everything in another tool's lock as one unit: all entries that can be planned, or none. */
export async function planImport(
  work: HubWork,
  file: string,
  request: Pick<InstallRequest, "agents" | "agentTargets" | "force">,
): Promise<PlannedImport> {
  const { skills, skipped } = readImport(work, file);
  const items = new Map<string, PlannedItem>();
  const refusals: RefusedItem[] = [];
  const failed: RefusedItem[] = [];
  const diagnostics: Diagnostic[] = [];
  const pinned: string[] = [];
  for (const skill of skills) {
    const source = loadInstalling().showSource(skill.source);
    // The file's author named the source, and may not be the user who imports it.
    const wish = { ...request, source, names: [], all: false, link: false, askedBy: "content" } as const;
    const unreachable = onSkilletError(({ message }): Plan => {
      const reason = `${source} could not be read: ${message}`;
      const refusal = { state: "refused", name: skill.name, source, code: "unfit", reason } as const;
      return { items: [], refusals: [refusal], diagnostics: [] };
    });
    const plan = await work.hub.planInstall(wish).catch(unreachable);
    diagnostics.push(...plan.diagnostics);
    refusals.push(...plan.refusals);
    failed.push(...(plan.failed ?? []));
    for (const item of plan.items) {
      const merged = loadInstalling().mergePlanned(items, item, {
        place: "that lock",
        wayOut: "install one of them by hand with --name OTHER",
      });
      const refusal = checkListed(work, skill, item) ?? ("code" in merged ? merged : undefined);
      if (refusal !== undefined) refusals.push(refusal);
      else if ("entry" in merged) items.set(item.name, merged);
      if (skill.pinned && item.entry.requiredBy === undefined) pinned.push(item.name);
    }
  }
  const sorted = [...items.values()].sort((left, right) => compareByteOrder(left.name, right.name));
  const others = [...skipped].map(([name, { message, hint = "" }]): ResultRow => {
    const reason = `${message.replace(/[.]?$/, ".")} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
    return { name, source: file, outcome: "refused", reason };
  });
  return { plan: { items: sorted, refusals, failed, diagnostics }, pinned, others };
}

function readImport(
  { userHome, privateHosts: allowedPrivateHosts }: HubWork,
  file: string,
): ReturnType<ReturnType<typeof loadInstalling>["importSkillsLock"]> {
  const bytes = readBoundedFile(file, { maxBytes: MAX_IMPORT_BYTES });
  if (bytes === undefined)
    throw new CliError("import-missing", `There is no file ${file}.`, {
      hints: ["Name a skills-lock.json or .skill-lock.json that exists."],
      details: { file },
    });
  const place = { file, root: resolve(dirname(file)), userHome, allowedPrivateHosts };
  const imported = loadInstalling().importSkillsLock(Buffer.from(bytes).toString(), place);
  const unusable = imported.diagnostics.find(({ severity }) => severity === "error");
  if (unusable !== undefined)
    throw new CliError("import-invalid", unusable.message, {
      hints: unusable.hint === undefined ? [] : [unusable.hint],
      details: { file },
    });
  const { skills, skipped } = imported;
  if (skills.length > 0 || skipped.size === 0) return imported;
  const why = [...skipped.values()].slice(0, MAX_NAMED).map(({ message }) => message);
  const hints = ["Install the skills by hand, naming their sources."];
  throw refusalError("import-empty", `Nothing was imported from ${file}. ${why.join(" ")}`, { file }, hints);
}

function refusalOf({ name, entry }: PlannedItem, code: RefusedItem["code"], reason: string): RefusedItem {
  return { state: "refused", name, source: entry.source, digest: entry.digest, code, reason };
}

function checkListed(work: HubWork, skill: ImportedSkill, item: PlannedItem): RefusedItem | undefined {
  const { name, entry, files } = item;
  // A dependency is not listed: the entry's name and hash do not describe it.
  if (entry.requiredBy !== undefined) return undefined;
  const { skillsHash, scopedCommand } = loadInstalling();
  const byHand = `Install it by hand after a look: ${scopedCommand(work, `install ${shellArgument(entry.source)}`)}`;
  if (plainName(name) !== plainName(skill.name)) {
    const reason = `${skill.name} of that lock is called ${name} by its source now. ${byHand}`;
    return { ...refusalOf(item, "frozen-mismatch", reason), name: skill.name };
  }
  // The tool of that lock installs changed content silently, so its users must be told.
  if (skill.computedHash === undefined || skillsHash(files) === skill.computedHash) return undefined;
  const reason = `${name} is not what that lock says any more: its source changed since. ${byHand}`;
  return refusalOf(item, "frozen-mismatch", reason);
}

// That lock's names are folders, which its tool spells in its own way.
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
}

/** Plans an install; if its only name is taken, the user can enter another. */
export async function planRenamed(
  { terminal, environment, dialog }: CommandContext,
  { hub, signal }: HubWork,
  request: InstallRequest,
): Promise<Plan> {
  const again = choosingOnce(request);
  let plan = await hub.planInstall(again);
  if (dialog === undefined || request.as !== undefined) return plan;
  for (;;) {
    const [refusal, ...others] = plan.refusals;
    if (refusal?.code !== "name-taken" || others.length > 0 || plan.items.length > 0) return plan;
    terminal.warn(hang(showSentence(refusal.reason, environment), terminal.errors));
    const name = await askOnTerminal(dialog, "Another name for it (enter: stop):", signal);
    signal.throwIfAborted();
    if (name === undefined || name === "") return plan;
    const problem = newNameProblem(name);
    if (problem === undefined) plan = await hub.planInstall({ ...again, as: name });
    else terminal.warn(hang(problem, terminal.errors));
  }
}

// Keeps the first choice if the install is planned again.
function choosingOnce({ choose, ...request }: InstallRequest): InstallRequest {
  if (choose === undefined) return request;
  let chosen: ReadonlySet<string> | undefined;
  const keyOf = ({ kind, name, folder }: OfferedItem): string => JSON.stringify([kind, name, folder]);
  return {
    ...request,
    choose: async (offers, judge) => {
      chosen ??= new Set((await choose(offers, judge)).map(keyOf));
      return offers.filter((offer) => chosen?.has(keyOf(offer)));
    },
  };
}

const MAX_NAME = 64;
// As in the specification, because other agents would not load anything else.
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Says why a new skill name is refused, and suggests a valid one; undefined if it is valid. */
export function newNameProblem(name: string): string | undefined {
  if (NAME.test(name) && name.length <= MAX_NAME) return undefined;
  const near = nearName(name);
  const help = near === "" ? "" : `; ${near} would do`;
  return `${JSON.stringify(name.slice(0, MAX_NAME))} is not a valid skill name: use a-z, 0-9 and single hyphens between them, at most ${MAX_NAME} characters${help}.`;
}

export function checkNewName(name: string): void {
  const problem = newNameProblem(name);
  if (problem !== undefined) throw usageError("install", problem);
}

function nearName(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, "");
}

const SKILLS_LOCK = "skills-lock.json";

export async function writeSkillsLock({ hub }: HubWork, items: readonly PlannedItem[]): Promise<void> {
  await changeSkillsLock(hub.root, items, async (hashes, existing) =>
    loadInstalling().formatSkillsLock(await hub.list(), present({ hashes, existing })),
  );
}

/** Updates a project's `skills-lock.json` after a change to its skills; returns a diagnostic on failure. */
export async function keepSkillsLock(
  { hub, scope }: HubWork,
  before: ReadonlyMap<string, LockEntry>,
  items: readonly PlannedItem[],
): Promise<readonly Diagnostic[]> {
  const file = join(hub.root, SKILLS_LOCK);
  if (scope.kind !== "project" || before.size === 0 || !existsSync(file)) return [];
  const changing = changeSkillsLock(hub.root, items, async (hashes, existing) =>
    existing === undefined
      ? undefined
      : loadInstalling().followSkillsLock(existing, { lock: await hub.list(), before, hashes }),
  );
  // The skills are already changed, and the user did not ask for this file.
  const fault = await changing.catch(onSkilletError((error) => error.message));
  if (fault === undefined) return [];
  const message = `${SKILLS_LOCK} does not follow this change: ${fault}`;
  const hint = "When that is put right: skillet install --project --skills-lock";
  return [{ code: "skills-lock-behind", severity: "warning", message, file, hint }];
}

async function changeSkillsLock(
  root: string,
  items: readonly PlannedItem[],
  change: (hashes: ReadonlyMap<string, string>, existing: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const file = join(root, SKILLS_LOCK);
  const { skillsHash } = loadInstalling();
  const hashes = new Map(items.map(({ name, files }) => [name, skillsHash(files)]));
  await withFileLock(`${file}.lock`, async () => {
    const bytes = readBoundedFile(file, { maxBytes: MAX_IMPORT_BYTES });
    const existing = bytes && Buffer.from(bytes).toString();
    const text = await change(hashes, existing);
    if (text !== undefined && text !== existing) await writeAtomic(file, text, { links: "refuse" });
  });
}
