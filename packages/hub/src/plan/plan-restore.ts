import { isAbsolute, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { type Candidate, candidateOfTree, type UnfitCandidate } from "../candidate/candidate.ts";
import type { Inspected } from "../inspect/inspect-candidate.ts";
import { keptSignatures } from "../inspect/kept-signatures.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { sourceIdentity } from "../sources/source.ts";
import { checkSignatures } from "./check-signatures.ts";
import { lockedFiles, noteLinked, refuseLinked } from "./create-entry.ts";
import { type HubParts, isProven, scopedCommand, shellWord } from "./hub-parts.ts";
import type { Plan, PlanItem, Refusal } from "./plan.ts";
import { lockAllowed, planItem } from "./plan-item.ts";
import { checkInside } from "./plan-reading.ts";
import { chosenEntries } from "./plan-update.ts";
import { refuseReading } from "./read-offer.ts";
import { readPinned, readPlaced } from "./read-placed.ts";
import { versionChanges } from "./version-changes.ts";

export interface RestoreRequest {
  /** Empty: all. */
  readonly names: readonly string[];
  readonly force: boolean;
  /** Refuse whatever the lock cannot hold to exact bytes, instead of saying so. */
  readonly frozen?: boolean;
}

/**
 * Brings back exactly what the lock says: from what was kept by digest, else from the pinned source.
 *
 * Bytes that differ from the lock are refused, whatever the lock says of their origin or verdict: those are derived anew.
 */
export async function planRestore(parts: HubParts, request: RestoreRequest): Promise<Plan> {
  const { frozen = false, force } = request;
  const items: PlanItem[] = [];
  const refusals: Refusal[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, entry] of chosenEntries(parts, request.names)) {
    if (entry.linked === true && frozen) refusals.push(refuseLinked(name, entry));
    else if (entry.linked === true) diagnostics.push(noteLinked(parts, name, entry));
    if (entry.linked === true) continue;
    const allowsItself = parts.scope.kind === "project" && isAllowed(entry);
    if (allowsItself && frozen) {
      refusals.push(refuseAllowed(parts, name, entry));
      continue;
    }
    if (allowsItself) diagnostics.push(noteAllowed(parts, name));
    const planned = await planOne(parts, { name, entry, force });
    const claims =
      frozen && "report" in planned
        ? refuseClaims(parts, name, { entry, report: planned.report })
        : undefined;
    if (claims !== undefined) refusals.push(claims);
    else if ("code" in planned) refusals.push(planned);
    else items.push(planned);
  }
  items.sort((left, right) => compareByteOrder(left.name, right.name));
  return { items, refusals, diagnostics };
}

// Who may run something is a person's word, and a project's lock is whoever's wrote the project.
function isAllowed({ allowed }: LockEntry): boolean {
  return allowed?.hooks === true || allowed?.mcpServers === true;
}

function refuseAllowed(parts: HubParts, name: string, { source, digest }: LockEntry): Refusal {
  const reason = `The lock allows hooks or servers of ${name}, which only a person on this machine can; run \`${scopedCommand(parts, "install")}\` without --frozen, which takes that out of the lock, then \`${scopedCommand(parts, `allow ${name}`)}\`.`;
  return { name, source, digest, code: "frozen-mismatch", reason };
}

function noteAllowed(parts: HubParts, name: string): Diagnostic {
  return {
    code: "allowed-by-lock",
    severity: "warning",
    message: `The lock allows hooks or servers of ${name}, which only a person on this machine can; they stay off.`,
    file: parts.lockFile,
    hint: `Look at them, then run \`${scopedCommand(parts, `allow ${name}`)}\` if they may run here.`,
  };
}

interface Locked {
  readonly name: string;
  readonly entry: LockEntry;
}

async function planOne(
  parts: HubParts,
  { name, entry, force }: Locked & { readonly force: boolean },
): Promise<PlanItem | Refusal> {
  const { source } = entry;
  const reading = await readLocked(parts, { name, entry });
  if (typeof reading === "string") return { name, source, code: "unavailable", reason: reading };
  if ("problem" in reading) return refuseReading({ ...reading, name }, { source, verb: "installed" });
  if (reading.digest !== entry.digest) {
    const reason = mismatch(parts, { name, entry }, reading);
    return { name, source, code: "frozen-mismatch", digest: reading.digest, reason };
  }
  const { targets, declaredName } = entry;
  const planned = await planItem(parts, reading, {
    source,
    targets,
    force,
    declaredName,
    isLinked: false,
    action: "restore",
  });
  if ("code" in planned) return planned;
  // The lock stays as it is, byte for byte, but for what it allows itself; what the bytes can do is what they could.
  return {
    ...planned,
    entry: lockAllowed(parts, entry),
    questions: planned.decision.outcome === "ask" ? [planned.decision.reason] : [],
  };
}

/** What is at hand serves, unless it would have to be believed that it is a friend's; then the source is asked. */
async function readLocked(
  parts: HubParts,
  { name, entry }: Locked,
): Promise<Candidate | UnfitCandidate | string> {
  const proven = await isProven(parts, entry);
  try {
    await checkInside(parts, name, entry);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    // What lies there is what the lock says, so that nothing is read from outside.
    const placed = await readPlaced(parts, entry);
    if (placed !== undefined) return readKept(parts, { name, entry }, { files: placed, isProven: proven });
    return `Cannot restore ${name} from the lock: ${error.message}`;
  }
  const kept = (await parts.store.get(entry.digest)) ?? (await readPlaced(parts, entry));
  if (kept !== undefined && proven) {
    const reading = await readKept(parts, { name, entry }, { files: kept, isProven: true });
    // Under another name it has other bytes than were signed; its source has both.
    const isUnsigned = "problem" in reading && reading.code === "signature-missing";
    if (!isUnsigned || entry.declaredName === undefined) return reading;
  }
  const resolvePath = (path: string): string => (isAbsolute(path) ? path : join(parts.root, path));
  try {
    const reading = await readPinned(parts, { name, entry, resolvePath });
    return entry.resolved.kind === "local" && !proven && !("problem" in reading)
      ? { ...reading, unproven: true }
      : reading;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (kept !== undefined) return readKept(parts, { name, entry }, { files: kept, isProven: false });
    return `Cannot restore ${name} from the lock: ${error.message}`;
  }
}

async function readKept(
  parts: HubParts,
  { name, entry }: Locked,
  { files, isProven: proven }: { readonly files: readonly TreeFile[]; readonly isProven: boolean },
): Promise<Candidate | UnfitCandidate> {
  const { kind, resolved, folder, digest, source } = entry;
  const identity = resolved.kind === "git" ? sourceIdentity(resolved.url) : undefined;
  const candidate = candidateOfTree(files, { kind, name, resolved, folder, identity, isProven: proven });
  const checked = await checkSignatures(parts, {
    candidate,
    sources: [source],
    findEnvelopes: async () => keptSignatures(parts.home, digest),
  });
  if ("problem" in checked)
    return { name, problem: checked.problem, code: "signature-missing", diagnostics: [] };
  const { signers } = checked;
  return signers === undefined ? candidate : { ...candidate, signers };
}

function mismatch(
  parts: HubParts,
  { name, entry }: Locked,
  { digest: found, files: got }: Candidate,
): string {
  const { digest, capabilities } = entry;
  const { changed, added, removed } = versionChanges(entry, { files: lockedFiles(got), capabilities });
  const [other] = [...changed, ...added, ...removed];
  const where = other === undefined ? "" : ` For one, ${other} differs.`;
  const update = scopedCommand(parts, `update ${name}`);
  return `${name} is locked as ${digest}, but its source gives ${found}; nothing was installed.${where} Take the lock from version control again; if the source is right, look at what is new with \`${update}\`.`;
}

const MAX_NAMED = 5;

/**
 * The refusal of an entry that says other things of what its files can do than the same rules find in them; undefined
 * where it does not, or where other rules wrote it.
 */
function refuseClaims(
  parts: Pick<HubParts, "scope">,
  name: string,
  { entry, report }: { readonly entry: LockEntry; readonly report: Inspected["report"] },
): Refusal | undefined {
  if (entry.report.scanner !== report.ruleSet) return undefined;
  const { source, digest, capabilities } = entry;
  const found = { files: {}, capabilities: report.capabilities };
  const { gained, lost } = versionChanges(found, { files: {}, capabilities });
  const differences = [
    ...gained.map(({ text }) => `nothing in them ${text}`),
    ...lost.map(({ text }) => `the lock leaves out that it ${text}`),
  ];
  if (differences.length === 0) return undefined;
  const more = differences.length > MAX_NAMED ? `; and ${differences.length - MAX_NAMED} more` : "";
  const install = scopedCommand(parts, `install ${shellWord(source)}`);
  const reason = `What the lock says ${name} can do is not what its files can: ${differences.slice(0, MAX_NAMED).join("; ")}${more}. Take the lock from version control again, or have the entry written anew: ${install}`;
  return { name, source, digest, code: "frozen-mismatch", reason };
}
