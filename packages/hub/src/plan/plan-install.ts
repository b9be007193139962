import type { Diagnostic } from "@skillet/kit/diagnostics";
import { treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { nameSkeleton } from "@skillet/scan";
import type { SignalledScan } from "../inspect/inspect-item.ts";
import type { OfferedItem, Plan, PlannedItem, RefusedItem } from "../plan-item.ts";
import { withOpened } from "../sources/open-source.ts";
import { type ParseSourceOptions, parseSource } from "../sources/parse-source.ts";
import { type Source, showSource } from "../sources/source.ts";
import { checkRef } from "../sources/source-text.ts";
import type { HubParts } from "./hub-parts.ts";
import { linkProblem, lockSource, outsidePaths } from "./lock-source.ts";
import { planDependencies } from "./plan-dependencies.ts";
import { type PlacingRequest, planReading } from "./plan-reading.ts";
import {
  asOwn,
  type OpenedFrom,
  offersIn,
  pickedSource,
  pickFrom,
  picksOf,
  readOffer,
  withoutPick,
} from "./read-offer.ts";

export interface InstallRequest extends PlacingRequest {
  readonly source: string;
  readonly ref?: string;
  /** Names of skills or plugins; empty: whatever the source contains, if that is unambiguous. */
  readonly names: readonly string[];
  readonly all: boolean;
  /** Do not look up what the skills require. */
  readonly alone?: boolean;
  /** A file rather than the user named it: none of it counts as the user's own. */
  readonly askedBy?: "content";
  /** Picks from several offers; `judge` returns what an install would do with one, before any is picked. */
  readonly choose?: (
    offers: readonly OfferedItem[],
    judge: (offer: OfferedItem) => Promise<PlannedItem | RefusedItem>,
  ) => Promise<readonly OfferedItem[]>;
  /** Chooses the agents instead of `agents`, once it is known what would be installed and what is refused. */
  readonly chooseAgents?: (planned: readonly (PlannedItem | RefusedItem)[]) => Promise<readonly string[]>;
}

/** Resolves, fetches, validates, scans and decides; nothing is placed. */
export async function planInstall(parts: HubParts, request: InstallRequest): Promise<Plan> {
  const named = parseSource(request.source, parts);
  const source = request.ref === undefined ? named : withRef(named, request.ref, parts);
  if (request.link) checkLink(parts, request.source, source);
  const asked = request.askedBy === "content" ? {} : ({ askedBy: "person" } as const);
  return withOpened(source, { ...parts.fetching, ...asked }, (opened) =>
    planOpened(parts, request, { source, opened, written: [request.source], ...asked }),
  );
}

async function planOpened(given: HubParts, request: InstallRequest, from: OpenedFrom): Promise<Plan> {
  const parts = { ...given, scan: scannedOnce(given.scan) };
  const { source, opened } = from;
  const askedBy: "person" | "content" = from.askedBy ?? "content";
  const names = [...picksOf(source), ...request.names];
  const found = await offersIn(parts, from, names);
  const read = async (offer: OfferedItem) => ({
    reading: asOwn(parts, await readOffer(parts, from, offer), askedBy === "person"),
    details: { source: lockSource(pickedSource(source, offer), parts), requiredBy: undefined, askedBy },
  });
  const { all } = request;
  const choose = (shown: readonly OfferedItem[]) =>
    request.choose?.(shown, async (offer) => {
      const { reading, details } = await read(offer);
      return planReading(parts, request, reading, details);
    }) ?? Promise.resolve([]);
  const wanted = {
    names,
    all,
    isSurvey: request.alone,
    ...(request.choose && { choose }),
    source: showSource(withoutPick(source)),
  };
  // A skill may be named twice: in the source and separately, or by its name and by its folder.
  const offers = [...new Set(await pickFrom(from, found.offers, wanted))];
  if (request.as !== undefined && offers.length !== 1) {
    const data = { name: request.as, count: offers.length };
    const message = `The name ${data.name} cannot be given to ${data.count} skills at once; install them one by one.`;
    throw new SkilletError("name-needs-one", message, { data });
  }
  const readings: Awaited<ReturnType<typeof read>>[] = [];
  for (const offer of offers) readings.push(await read(offer));
  const planFor = async (agents: readonly string[]): Promise<readonly (PlannedItem | RefusedItem)[]> => {
    const planned: (PlannedItem | RefusedItem)[] = [];
    const taken = new Set<string>();
    for (const { reading, details } of readings) {
      const skeleton = nameSkeleton(request.as ?? reading.name);
      planned.push(
        taken.has(skeleton)
          ? takenTwice(reading.name, details.source)
          : await planReading(parts, { ...request, agents }, reading, details),
      );
      taken.add(skeleton);
    }
    return planned;
  };
  const first = await planFor(request.agents);
  const agents = offers.length === 0 ? undefined : await request.chooseAgents?.(first);
  const placing = { ...request, agents: agents ?? request.agents };
  // Those that would read none of it get nothing that it needs either; the plan says why.
  const unread = request.agents.filter((id) =>
    first.every((one) => one.state === "planned" && one.unlinked?.some(({ agent }) => agent === id)),
  );
  const planned = agents === undefined ? first : await planFor([...agents, ...unread]);
  const items = planned.filter((one) => one.state === "planned");
  const refusals = planned.filter((one) => one.state === "refused");
  const dependencies =
    request.alone === true
      ? { items, refusals: [], diagnostics: [] }
      : await planDependencies(parts, placing, { items, opened: from });
  const isPresent = ({ code }: RefusedItem): boolean => code === "present";
  return {
    items: dependencies.items,
    refusals: [...refusals.filter((one) => !isPresent(one)), ...dependencies.refusals],
    failed: refusals.filter(isPresent),
    diagnostics: [
      ...opened.diagnostics,
      ...found.diagnostics,
      ...readings.flatMap(({ reading }) => reading.diagnostics),
      ...dependencies.diagnostics,
      ...noteOutside(parts, dependencies.items),
    ],
  };
}

/** The same bytes are planned before and after agents are chosen; a scan may also involve a model. */
function scannedOnce(scan: SignalledScan): SignalledScan {
  const reports = new Map<string, ReturnType<SignalledScan>>();
  return (files, known) => {
    const key = JSON.stringify([treeDigestOf(files), known]);
    const report = reports.get(key) ?? scan(files, known);
    reports.set(key, report);
    return report;
  };
}

function takenTwice(name: string, source: string): RefusedItem {
  const reason = `${name} matches, or looks like, the names of two skills in this source; install one of them with --name OTHER.`;
  return { state: "refused", name, source, code: "name-taken", reason };
}

// Parsed like a command-line source: a ref that is invalid there must not get into a lock.
function withRef(source: Source, ref: string, options: ParseSourceOptions): Source {
  if (source.kind === "git") {
    // Only the remote knows where the ref of a tree URL ends, so another ref cannot replace it.
    const isSecond = source.refAndFolder !== undefined;
    const problem = isSecond ? "is the second one, since the address names one already" : checkRef(ref);
    if (problem === undefined) return parseSource(showSource({ ...source, ref }), options);
    const shown = ref.slice(0, 100);
    const message = `The ref ${JSON.stringify(shown)} ${problem}; check --ref.`;
    throw new SkilletError("ref-invalid", message, { data: { ref: shown } });
  }
  if (source.kind === "npm") return parseSource(showSource({ ...source, version: ref }), options);
  if (source.kind === "oci") {
    const { tag: _, digest: __, ...rest } = source;
    const version = ref.startsWith("sha256:") ? { digest: ref } : { tag: ref };
    return parseSource(showSource({ ...rest, ...version }), options);
  }
  const message = "A ref goes with git, npm and OCI sources only; leave --ref out.";
  throw new SkilletError("ref-without-versions", message, { data: { kind: source.kind, ref } });
}

function checkLink(parts: HubParts, written: string, source: Source): void {
  if (source.kind !== "local") {
    const message = `${written} is not a folder of this machine, so it cannot be linked; leave --link out.`;
    throw new SkilletError("link-needs-folder", message, { data: { source: written } });
  }
  const problem = linkProblem(parts, source.path);
  if (problem === undefined) return;
  const message = `${problem}, so no one else who works on it would have it; leave --link out, or install it for yourself without --project.`;
  throw new SkilletError("link-outside-project", message);
}

/** Warns of items that a project's lock would name by a local path: nobody else can fetch them. */
function noteOutside(parts: HubParts, items: readonly PlannedItem[]): readonly Diagnostic[] {
  return items.flatMap(({ name, entry }): readonly Diagnostic[] => {
    const [path] = outsidePaths(parts, entry);
    if (path === undefined) return [];
    const message = `${name} comes from ${path}, which lies outside the project: others who work on it have its files once they are committed, but cannot fetch or update it from there.`;
    const hint = "Copy it into the repository and install it from there, or install it from a remote source.";
    return [{ code: "source-of-this-machine", severity: "warning", message, file: parts.lockFile, hint }];
  });
}
