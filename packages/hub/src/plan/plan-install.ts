import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { nameSkeleton } from "@skillet/scan";
import type { CandidateReading } from "../candidate/candidate.ts";
import { findOffers } from "../discover/find-offers.ts";
import type { Offer } from "../discover/offer.ts";
import { pickOffers } from "../discover/pick-offers.ts";
import { openSource } from "../sources/open-source.ts";
import { type ParseSourceOptions, parseSource } from "../sources/parse-source.ts";
import { showSource } from "../sources/show-source.ts";
import type { GitSource, Source } from "../sources/source.ts";
import { checkRef, rootName } from "../sources/source-tail.ts";
import { linkProblem, lockSource } from "./create-entry.ts";
import type { HubParts } from "./hub-parts.ts";
import type { Plan, PlanItem, Refusal } from "./plan.ts";
import { planDependencies } from "./plan-dependencies.ts";
import { outsidePaths, type PlacingRequest, planReading } from "./plan-reading.ts";
import { asOwn, folderOf, type OpenedFrom, pickedSource, readOffer } from "./read-offer.ts";

export interface InstallRequest extends PlacingRequest {
  readonly source: string;
  readonly ref?: string;
  /** Skills or plugins by name; empty: whatever is there, if that is clear. */
  readonly names: readonly string[];
  readonly all: boolean;
  /** A file named it instead of a person: nothing of it counts as the user's own. */
  readonly askedBy?: "content";
  readonly choose?: (offers: readonly Offer[]) => Promise<readonly Offer[]>;
  /** Says whose folders get it, instead of `agents`; asked after it is clear what is installed. */
  readonly chooseAgents?: () => Promise<readonly string[]>;
}

/** Resolves, fetches, validates, scans and decides; nothing is placed. */
export async function planInstall(parts: HubParts, request: InstallRequest): Promise<Plan> {
  const { workspace, userHome } = parts;
  const named = parseSource(request.source, { workspace, userHome });
  const source = request.ref === undefined ? named : withRef(named, request.ref, { workspace, userHome });
  if (request.link && source.kind !== "local") throw linkNeedsFolder(request.source);
  const outside = request.link && source.kind === "local" ? linkProblem(parts, source.path) : undefined;
  if (outside !== undefined) throw linkOutside(outside);
  const asked = request.askedBy === "content" ? {} : ({ askedBy: "person" } as const);
  const opened = await openSource(source, { ...parts.fetching, ...asked });
  try {
    return await planOpened(parts, request, { source, opened, ...asked });
  } finally {
    await opened.close();
  }
}

async function planOpened(parts: HubParts, request: InstallRequest, from: OpenedFrom): Promise<Plan> {
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
  // One skill may be named twice: by the source and beside it, or by its name and by its folder.
  const offers = [...new Set(await pickOffers(found.offers, { folder, names, all, choose, source: shown }))];
  if (request.as !== undefined && offers.length !== 1) throw nameNeedsOne(request.as, offers.length);
  const agents = (await request.chooseAgents?.()) ?? request.agents;
  const placing: InstallRequest = { ...request, agents };
  const diagnostics: Diagnostic[] = [...opened.diagnostics, ...found.diagnostics];
  const planned: (PlanItem | Refusal)[] = [];
  const taken = new Set<string>();
  for (const offer of offers) {
    const read = await readOffer(parts, { ...from, written: [request.source] }, offer);
    const askedBy: "person" | "content" = from.askedBy ?? "content";
    const reading = asOwn(parts, read, { isNamed: askedBy === "person" });
    diagnostics.push(...reading.diagnostics);
    const name = request.as ?? reading.name;
    const isTaken = taken.has(nameSkeleton(name));
    const to = { source: lockSource(pickedSource(source, offer), parts), requiredBy: undefined, askedBy };
    planned.push(
      isTaken ? takenTwice(reading, to.source) : await planReading(parts, placing, { reading, ...to }),
    );
    taken.add(nameSkeleton(name));
  }
  const items = planned.filter((one) => "entry" in one);
  const refusals = planned.filter((one) => "code" in one);
  const dependencies = await planDependencies(parts, placing, { items, opened: from });
  return {
    items: dependencies.items,
    refusals: [...refusals, ...dependencies.refusals],
    // What only reading shows was added meanwhile.
    diagnostics: [
      ...diagnostics,
      ...opened.diagnostics.slice(known),
      ...dependencies.diagnostics,
      ...noteOutside(parts, dependencies.items),
    ],
  };
}

function takenTwice({ name }: CandidateReading, source: string): Refusal {
  const reason = `${name} is the name of two skills of this source, or looks like it; install one of them with --name OTHER.`;
  return { name, source, code: "name-taken", reason };
}

// Through the one grammar: what it would refuse in the source must not get into a lock beside it.
function withRef(source: Source, ref: string, options: ParseSourceOptions): Source {
  const problem = source.kind === "git" ? refProblem(source, ref) : undefined;
  if (problem !== undefined) {
    const message = `The ref ${JSON.stringify(ref.slice(0, 100))} ${problem}; check --ref.`;
    throw new SkilletError("ref-invalid", message, { data: { ref: ref.slice(0, 100) } });
  }
  if (source.kind === "git") return parseSource(showSource({ ...source, ref }), options);
  if (source.kind === "npm") return parseSource(showSource({ ...source, version: ref }), options);
  if (source.kind === "oci") {
    const { tag: _, digest: __, ...rest } = source;
    const version = ref.startsWith("sha256:") ? { digest: ref } : { tag: ref };
    return parseSource(showSource({ ...rest, ...version }), options);
  }
  const message = "A ref goes with git, npm and OCI sources only; leave --ref away.";
  throw new SkilletError("ref-without-versions", message, { data: { kind: source.kind, ref } });
}

// Only the remote knows where the ref of a tree URL ends, so that another one cannot take its place.
function refProblem({ refAndFolder }: GitSource, ref: string): string | undefined {
  return refAndFolder === undefined
    ? checkRef(ref)
    : "is the second one, since the address names one already";
}

function withoutPick(source: Source): Source {
  if (!("pick" in source)) return source;
  const { pick: _, ...rest } = source;
  return rest;
}

function linkNeedsFolder(source: string): SkilletError {
  const message = `${source} is no folder of this machine, so it cannot be linked; leave --link away.`;
  return new SkilletError("link-needs-folder", message, { data: { source } });
}

function linkOutside(problem: string): SkilletError {
  const message = `${problem}, so nobody else who works on it would have it; leave --link away, or install it for yourself without --project.`;
  return new SkilletError("link-outside-project", message);
}

function nameNeedsOne(name: string, count: number): SkilletError {
  const message = `The name ${name} cannot be given to ${count} skills at once; install them one by one.`;
  return new SkilletError("name-needs-one", message, { data: { name, count } });
}

/** Says which items a project's lock would name by a path that only this machine has: nobody else can fetch them. */
function noteOutside(
  parts: Pick<HubParts, "scope" | "root" | "userHome" | "lockFile">,
  items: readonly PlanItem[],
): readonly Diagnostic[] {
  return items.flatMap(({ name, entry }): readonly Diagnostic[] => {
    const [path] = outsidePaths(parts, entry);
    if (path === undefined) return [];
    return [
      {
        code: "source-of-this-machine",
        severity: "warning",
        message: `${name} comes from ${path}, which lies outside the project: others who work on it have its files once they are committed, but cannot fetch or update it from there.`,
        file: parts.lockFile,
        hint: "Copy it into the repository and install it from there, or install it from a remote source.",
      },
    ];
  });
}
