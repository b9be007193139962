import { type Digest, SkilletError } from "@skillet/core";
import { candidateOfTree } from "../candidate/candidate-of-tree.ts";
import type { Resolved } from "../fetch/resolved.ts";
import { keptSignatures } from "../inspect/kept-signatures.ts";
import { checkResolved } from "../lock/check-resolved.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { sourceIdentity } from "../source/source-identity.ts";
import { type HistoryEntry, readHistory, sinceInstalled } from "../update/history.ts";
import { checkSignatures } from "./check-signatures.ts";
import type { HubParts } from "./hub-parts.ts";
import { isProven } from "./is-proven.ts";
import { isSameSource } from "./lock-source.ts";
import type { Plan } from "./plan.ts";
import { planItem } from "./plan-item.ts";
import { chosenEntries } from "./plan-update.ts";
import { scopedCommand } from "./scoped-command.ts";

/**
 * Goes back to the version before the installed one, or to one that is named; it is scanned and decided about anew.
 *
 * @example
 * await hub.apply(await hub.planRollback({ name: "pdf", force: false }));
 */
export async function planRollback(
  parts: HubParts,
  request: { readonly name: string; readonly to?: string; readonly force: boolean },
): Promise<Plan> {
  const { name, force } = request;
  const [[, entry] = []] = chosenEntries(parts, [name]);
  if (entry === undefined) return { items: [], refusals: [], diagnostics: [] };
  const history = await readHistory({ home: parts.home, lockFile: parts.lockFile, name });
  const version = findVersion(parts, { history, entry, request });
  const files = await parts.store.get(version.digest);
  if (files === undefined) throw notKept(name, version.digest);
  const resolved =
    version.resolved === undefined ? entry.resolved : (parseResolved(version.resolved) ?? entry.resolved);
  const identity = resolved.kind === "git" ? sourceIdentity(resolved.url) : undefined;
  const { digest } = version;
  const candidate = candidateOfTree(files, {
    kind: entry.kind,
    name,
    resolved,
    folder: entry.folder,
    identity,
    isProven: await isProven(parts, { digest, resolved }),
  });
  const { targets, declaredName } = entry;
  const source = version.source ?? entry.source;
  const signed = await checkSignatures(parts, {
    candidate,
    sources: [source],
    findEnvelopes: async () => keptSignatures(parts.home, digest),
  });
  if ("problem" in signed)
    return {
      items: [],
      refusals: [{ name, source, code: "signature-missing", reason: signed.problem, digest }],
      diagnostics: [],
    };
  const planned = await planItem(parts, candidate, {
    source,
    targets,
    force,
    declaredName,
    isLinked: false,
    action: "rollback",
  });
  return "code" in planned
    ? { items: [], refusals: [planned], diagnostics: [] }
    : { items: [planned], refusals: [], diagnostics: [] };
}

type Version = HistoryEntry & { readonly digest: Digest };

function findVersion(
  parts: HubParts,
  options: {
    readonly history: readonly HistoryEntry[];
    readonly entry: LockEntry;
    readonly request: { readonly name: string; readonly to?: string };
  },
): Version {
  const { history, entry, request } = options;
  const { name, to } = request;
  // Another source may be a better friend, and bytes that came from this one must not pass for that one's.
  const versions = sinceInstalled(history).filter(
    (version): version is Version =>
      version.digest !== undefined &&
      (version.source === undefined || isSameSource(version.source, entry.source, parts)),
  );
  if (to !== undefined) {
    const wanted = to.startsWith("sha256:") ? to : `sha256:${to}`;
    const found = versions.findLast(
      ({ digest }) => digest.startsWith(wanted) && wanted.length >= "sha256:".length + 6,
    );
    if (found === undefined)
      throw noVersion(parts, name, `it had no version ${to} since it was last installed`);
    return found;
  }
  const line = lineOf(versions);
  const at = line.findLastIndex(({ digest }) => digest === entry.digest);
  const before = line[at - 1];
  if (before === undefined)
    throw noVersion(parts, name, "nothing is known of a version before the installed one");
  return before;
}

/**
 * The versions that follow each other, each by its newest record, because the pin of the same files may move.
 *
 * Going back takes away what it went back over, so that twice goes back twice.
 */
function lineOf(versions: readonly Version[]): readonly Version[] {
  const line: Version[] = [];
  for (const version of versions) {
    const at = line.findLastIndex(({ digest }) => digest === version.digest);
    if (version.action === "rollback" && at >= 0) line.splice(at, line.length, version);
    else if (at >= 0 && at === line.length - 1) line[at] = version;
    else line.push(version);
  }
  return line;
}

function parseResolved(text: string): Resolved | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return checkResolved(value) === undefined ? (value as Resolved) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function noVersion(parts: HubParts, name: string, why: string): SkilletError {
  const message = `${name} cannot be rolled back: ${why}. See its versions with \`${scopedCommand(parts, `history ${name}`)}\`.`;
  return new SkilletError("no-earlier-version", message, { data: { name } });
}

function notKept(name: string, digest: Digest): SkilletError {
  const message = `The files of ${name} at ${digest} are not kept any more; install that version from its source with --ref.`;
  return new SkilletError("version-not-kept", message, { data: { name, digest } });
}
