import { type Diagnostic, SkilletError } from "@skillet/core";
import type { CandidateReading } from "../candidate/candidate-reading.ts";
import { planDependencies } from "../dependency/plan-dependencies.ts";
import { findOffers } from "../discover/find-offers.ts";
import type { Offer } from "../discover/offer.ts";
import { pickOffers } from "../discover/pick-offers.ts";
import { openSource } from "../fetch/open-source.ts";
import { checkRef } from "../source/check-ref.ts";
import { parseSource } from "../source/parse-source.ts";
import { rootName } from "../source/root-name.ts";
import { showSource } from "../source/show-source.ts";
import type { Source } from "../source/source.ts";
import type { HubParts } from "./hub-parts.ts";
import { lockSource } from "./lock-source.ts";
import { pickedSource } from "./picked-source.ts";
import type { Plan, PlanItem, Refusal } from "./plan.ts";
import { type PlacingRequest, planReading } from "./plan-reading.ts";
import { folderOf, type OpenedFrom, readOffer } from "./read-offer.ts";

/** What somebody wants installed. */
export interface InstallRequest extends PlacingRequest {
  /** As they wrote it. */
  readonly source: string;
  readonly ref?: string;
  /** Skills or plugins by name; empty: whatever is there, if that is clear. */
  readonly names: readonly string[];
  readonly all: boolean;
  readonly choose?: (offers: readonly Offer[]) => Promise<readonly Offer[]>;
}

/** Resolves, fetches, validates, scans and decides; nothing is placed. */
export async function planInstall(parts: HubParts, request: InstallRequest): Promise<Plan> {
  const { workspace, userHome } = parts;
  const source = withRef(parseSource(request.source, { workspace, userHome }), request.ref);
  if (request.link && source.kind !== "local") throw linkNeedsFolder(request.source);
  const askedBy = "person";
  const opened = await openSource(source, { ...parts.fetching, askedBy });
  try {
    return await planOpened(parts, request, { source, opened, askedBy });
  } finally {
    await opened.close();
  }
}

async function planOpened(
  parts: HubParts,
  request: InstallRequest,
  from: OpenedFrom,
): Promise<Plan> {
  const { source, opened } = from;
  const shown = showSource(withoutPick(source));
  const known = opened.diagnostics.length;
  const folder = folderOf(source, opened);
  const picked = "pick" in source ? source.pick : undefined;
  const names = [...(picked === undefined ? [] : [picked]), ...request.names];
  const { signal } = parts;
  const found = await findOffers(opened, {
    folder,
    names,
    rootName: rootName(source),
    ...(signal && { signal }),
  });
  const { all, choose } = request;
  const offers = await pickOffers(found.offers, { folder, names, all, choose, source: shown });
  if (request.as !== undefined && offers.length !== 1) throw nameNeedsOne(request.as, offers.length);
  const diagnostics: Diagnostic[] = [...opened.diagnostics, ...found.diagnostics];
  const planned: (PlanItem | Refusal)[] = [];
  for (const offer of offers) {
    const reading = await readOffer(parts, { ...from, written: [request.source] }, offer);
    diagnostics.push(...reading.diagnostics);
    const isTaken = planned.some(({ name }) => name === (request.as ?? reading.name));
    const to = { source: lockSource(pickedSource(source, offer), parts), requiredBy: undefined };
    planned.push(
      isTaken ? takenTwice(reading, to.source) : await planReading(parts, request, { reading, ...to }),
    );
  }
  const items = planned.filter((one) => "entry" in one);
  const refusals = planned.filter((one) => "code" in one);
  const dependencies = await planDependencies(parts, request, { items, opened: from });
  return {
    items: dependencies.items,
    refusals: [...refusals, ...dependencies.refusals],
    // What only reading shows was added meanwhile.
    diagnostics: [...diagnostics, ...opened.diagnostics.slice(known), ...dependencies.diagnostics],
  };
}

function takenTwice({ name }: CandidateReading, source: string): Refusal {
  const reason = `${name} is the name of two skills of this source; install one of them with --name OTHER.`;
  return { name, source, code: "name-taken", reason };
}

function withRef(source: Source, ref: string | undefined): Source {
  if (ref === undefined) return source;
  const problem = source.kind === "git" ? checkRef(ref) : undefined;
  if (problem !== undefined)
    throw new SkilletError(
      "ref-invalid",
      `The ref ${JSON.stringify(ref.slice(0, 100))} ${problem}; check --ref.`,
      {
        data: { ref: ref.slice(0, 100) },
      },
    );
  if (source.kind === "git") {
    const { refAndFolder: _, ...rest } = source;
    return { ...rest, ref };
  }
  if (source.kind === "npm") return { ...source, version: ref };
  if (source.kind === "oci")
    return ref.startsWith("sha256:") ? { ...source, digest: ref } : { ...source, tag: ref };
  throw new SkilletError(
    "ref-without-versions",
    "A ref goes with git, npm and OCI sources only; leave --ref away.",
    {
      data: { kind: source.kind, ref },
    },
  );
}

function withoutPick(source: Source): Source {
  if (!("pick" in source)) return source;
  const { pick: _, ...rest } = source;
  return rest;
}

function linkNeedsFolder(source: string): SkilletError {
  return new SkilletError(
    "link-needs-folder",
    `${source} is no folder of this machine, so it cannot be linked; leave --link away.`,
    {
      data: { source },
    },
  );
}

function nameNeedsOne(name: string, count: number): SkilletError {
  return new SkilletError(
    "name-needs-one",
    `The name ${name} cannot be given to ${count} skills at once; install them one by one.`,
    {
      data: { name, count },
    },
  );
}
