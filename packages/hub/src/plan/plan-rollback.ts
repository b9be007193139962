import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { candidateOfTree } from "../candidate/candidate.ts";
import { keptSignatures } from "../inspect/kept-signatures.ts";
import { sourceIdentity } from "../sources/source.ts";
import { checkSignatures } from "./check-signatures.ts";
import { findVersion, parsePin, readHistory } from "./history.ts";
import { type HubParts, isProven } from "./hub-parts.ts";
import type { Plan } from "./plan.ts";
import { planItem } from "./plan-item.ts";
import { chosenEntries } from "./plan-update.ts";

/** Goes back to the version before the installed one, or to one that is named; it is scanned and decided about anew. */
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
    version.resolved === undefined ? entry.resolved : (parsePin(version.resolved) ?? entry.resolved);
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
      refusals: [
        { name, source, code: "signature-missing", reason: signed.problem, digest, wanted: "rollback" },
      ],
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
    ? { items: [], refusals: [{ ...planned, wanted: "rollback" }], diagnostics: [] }
    : { items: [planned], refusals: [], diagnostics: [] };
}

function notKept(name: string, digest: Digest): SkilletError {
  const message = `The files of ${name} at ${digest} are not kept any more; install that version from its source with --ref.`;
  return new SkilletError("version-not-kept", message, { data: { name, digest } });
}
