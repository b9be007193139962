import type { CandidateReading } from "../candidate/candidate-reading.ts";
import { readCandidate } from "../candidate/read-candidate.ts";
import type { Offer } from "../discover/offer.ts";
import { openSource } from "../fetch/open-source.ts";
import type { OpenedSource } from "../fetch/opened-source.ts";
import { NO_ENVELOPES } from "../signature/collect-envelopes.ts";
import { rootName } from "../source/root-name.ts";
import { showSource } from "../source/show-source.ts";
import type { Source } from "../source/source.ts";
import { checkSignatures } from "./check-signatures.ts";
import type { HubParts } from "./hub-parts.ts";

/** A source and what was opened of it. */
export interface OpenedFrom {
  readonly source: Source;
  readonly opened: OpenedSource;
  /** Who named it; a marketplace and what a skill needs are content. */
  readonly askedBy?: "person";
  /** Other spellings of it, for rules that go by them. */
  readonly written?: readonly string[];
  /** What it was called when it was installed, for news about it. */
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
