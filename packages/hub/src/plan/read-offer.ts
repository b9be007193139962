import { dirname, join } from "node:path";
import type { Candidate, CandidateReading, UnfitCandidate } from "../candidate/candidate.ts";
import { readCandidate } from "../candidate/read-candidate.ts";
import type { Offer } from "../discover/offer.ts";
import { NO_ENVELOPES } from "../sources/collect-envelopes.ts";
import { openSource } from "../sources/open-source.ts";
import type { OpenedSource } from "../sources/opened-source.ts";
import { showSource } from "../sources/show-source.ts";
import type { Source } from "../sources/source.ts";
import { isPick, rootName } from "../sources/source-tail.ts";
import { checkSignatures } from "./check-signatures.ts";
import type { HubParts } from "./hub-parts.ts";
import type { Refusal } from "./plan.ts";

export interface OpenedFrom {
  readonly source: Source;
  readonly opened: OpenedSource;
  /** Who named it; a marketplace and what a skill needs are content. */
  readonly askedBy?: "person";
  /** Other spellings of it, for rules that go by them. */
  readonly written?: readonly string[];
  readonly installedName?: string | undefined;
}

/** Reads what an offer stands for, also where a marketplace says that it lies elsewhere, and checks that it is signed. */
export async function readOffer(
  parts: HubParts,
  { source, opened, written = [], installedName }: OpenedFrom,
  offer: Offer,
): Promise<CandidateReading> {
  parts.onStep({ step: "validate", what: offer.name });
  const { elsewhere, pin } = offer;
  if (elsewhere === undefined)
    return readSigned(parts, offer, { source, opened, written, installedName, rootName: rootName(source) });
  const other = await openSource(elsewhere, parts.fetching);
  try {
    if (pin !== undefined && (!("digest" in other.resolved) || other.resolved.digest !== pin))
      return { name: offer.name, problem: "it is not what the marketplace pins", diagnostics: [] };
    return await readSigned(
      parts,
      { ...offer, folder: folderOf(elsewhere, other) },
      {
        source: elsewhere,
        opened: other,
        written: [...written, showSource(source)],
        installedName,
        rootName: offer.name,
      },
    );
  } finally {
    await other.close();
  }
}

async function readSigned(
  parts: HubParts,
  offer: Offer,
  from: Required<Omit<OpenedFrom, "askedBy">> & { readonly rootName: string },
): Promise<CandidateReading> {
  const { source, opened, written, installedName } = from;
  const { signal } = parts;
  const candidate = await readCandidate(opened, offer, {
    limits: parts.fetching.limits,
    rootName: from.rootName,
    ...(signal && { signal }),
  });
  if ("problem" in candidate) return candidate;
  const checked = await checkSignatures(parts, {
    candidate,
    installedName,
    sources: [...written, showSource(source)],
    findEnvelopes: async () => (await opened.signaturesOf?.(offer.folder)) ?? NO_ENVELOPES,
  });
  if ("problem" in checked)
    return { name: candidate.name, problem: checked.problem, code: "signature-missing", diagnostics: [] };
  return { ...candidate, ...checked };
}

/** The folder of a source that was asked for; a tree URL's is known only once the remote's refs are. */
export function folderOf(source: Source, opened: OpenedSource): string {
  return opened.folder ?? (source.kind === "git" ? (source.folder ?? "") : "");
}

export function refuseReading(
  { name, problem, code }: UnfitCandidate,
  { source, verb }: { readonly source: string; readonly verb: "installed" | "updated" },
): Refusal {
  const reason = `${name} cannot be ${verb}: ${problem.replace(/[.]$/, "")}.`;
  return { name, source, code: code ?? "unfit", reason };
}

/**
 * A reading as it counts: a folder of this machine is the user's own only where they named it themselves, and where nothing
 * of it lies in a project that nobody trusts. Else it counts as the community's.
 */
export function asOwn(
  { untrustedAround }: Pick<HubParts, "untrustedAround">,
  reading: CandidateReading,
  { isNamed }: { readonly isNamed: boolean },
): CandidateReading {
  if ("problem" in reading || reading.resolved.kind !== "local") return reading;
  const places = [reading.resolved.path, ...foldersOf(reading, reading.resolved.path)];
  const untrusted = places.map((place) => untrustedAround(place)).find((root) => root !== undefined);
  if (untrusted !== undefined) return { ...reading, unproven: true, untrusted };
  return isNamed ? reading : { ...reading, unproven: true };
}

// Whoever names a folder of folders names no clone below it, and a clone may lie within a skill as well.
function foldersOf({ folder, files }: Candidate, path: string): ReadonlySet<string> {
  return new Set(files.map((file) => dirname(join(path, folder, file.path))));
}

/**
 * The source of one offer, as a lock keeps it: updates must find the same again, also where there are others by then.
 *
 * A name that cannot be picked by, such as one with spaces, is stood for by its folder.
 */
export function pickedSource(source: Source, { name, kind, folder }: Offer): Source {
  if (source.kind === "skill-file") return source;
  const pick = [kind === "plugin" ? `plugin:${name}` : name, folder.slice(folder.lastIndexOf("/") + 1)].find(
    isPick,
  );
  if (pick !== undefined) return { ...source, pick };
  const { pick: _, ...rest } = source;
  return rest.kind === "git" && rest.refAndFolder === undefined && folder !== "" ? { ...rest, folder } : rest;
}
