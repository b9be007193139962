import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import type { OfferedItem, Plan, PlannedItem, RefusedItem } from "../plan-item.ts";
import type { InstallRequest } from "./plan-install.ts";

type Header = Pick<OfferedItem, "name" | "kind" | "description" | "plugin">;

/** A skill or plugin in a source, with the command that installs it. */
export interface Offer extends Header {
  readonly from: string;
  readonly command: string;
}

interface Wanted {
  readonly source: string;
  readonly names?: readonly string[];
  readonly ref?: string | undefined;
  /** Which of several offers to plan as well, each on its own: their requirements are not fetched. */
  readonly picks?: (offers: readonly OfferedItem[]) => readonly OfferedItem[];
}

/** Reads a source as an install would; if it has several offers and none was named, they are listed instead. */
export async function lookInto(
  hub: { planInstall(request: InstallRequest): Promise<Plan> },
  { source: given, names = [], ref, picks }: Wanted,
): Promise<{
  readonly plan: Plan;
  readonly offers: readonly Offer[];
  /** What an install would do with the offers that were read. */
  readonly planned: ReadonlyMap<Offer, PlannedItem | RefusedItem>;
}> {
  const found: [Header, PlannedItem | RefusedItem | undefined][] = [];
  const request = { agents: [], agentTargets: "link", force: false, all: false, link: false } as const;
  const wish: InstallRequest = {
    ...request,
    source: given,
    names,
    ...(ref !== undefined && { ref }),
    alone: picks !== undefined,
    choose: async (all, judge) => {
      const picked = picks?.(all) ?? [];
      for (const offer of all) found.push([offer, picked.includes(offer) ? await judge(offer) : undefined]);
      return [];
    },
  };
  const { plan, request: done } = await planPart(wish, (one) => hub.planInstall(one));
  const { source } = done;
  for (const item of found.length > 0 ? [] : [...plan.items, ...plan.refusals]) {
    const judged = item.state === "refused" ? item.judged : item;
    const { manifest, parts } = judged ?? {};
    const description = manifest?.description ?? parts?.description ?? "";
    if (judged !== undefined) found.push([{ name: judged.name, kind: judged.kind, description }, item]);
  }
  const words = [source, ...(ref === undefined ? [] : ["--ref", ref])].map(shellArgument).join(" ");
  const planned = new Map<Offer, PlannedItem | RefusedItem>();
  const offers = found.map(([{ name, kind, description, plugin }, item]): Offer => {
    const command = `skillet install ${words} --skill ${shellArgument(name)}`;
    const offer = { name, kind, description, ...(plugin !== undefined && { plugin }), from: source, command };
    if (item !== undefined) planned.set(offer, item);
    return offer;
  });
  return { plan, offers, planned };
}

/**
 * Plans `SOURCE#X`: the ref X or, if the source has no such ref, the skill X. Returns the request that was
 * carried out, and a diagnostic if the ref contains a skill of that name as well.
 */
export async function planPart(
  given: InstallRequest,
  planInstall: (request: InstallRequest) => Promise<Plan>,
): Promise<{ readonly plan: Plan; readonly request: InstallRequest }> {
  const [, source, skill] = /^(.+)#([^#@/]+)$/.exec(given.source) ?? [];
  if (source === undefined || skill === undefined || given.names.length > 0)
    return { plan: await planInstall(given), request: given };
  const { choose } = given;
  const names: string[] = [];
  const noting: InstallRequest["choose"] = async (offers, judge) => {
    names.push(...offers.map(({ name }) => name));
    return (await choose?.(offers, judge)) ?? [];
  };
  try {
    const plan = await planInstall({ ...given, ...(choose && { choose: noting }) });
    names.push(...plan.items.map(({ name }) => name));
    // The name of a local folder may contain a #.
    const isFolder = plan.items.some(({ entry }) => entry.resolved.kind !== "git");
    if (isFolder || !names.includes(skill)) return { plan, request: given };
    const message = `#${skill} is the branch or tag ${skill} here, and a skill in it has that name too.`;
    const hint = `For the skill of the default branch: ${shellArgument(source)} --skill ${shellArgument(skill)}`;
    const both = { code: "ref-taken", severity: "warning", message, hint, file: given.source } as const;
    return { plan: { ...plan, diagnostics: [...plan.diagnostics, both] }, request: given };
  } catch (error) {
    const isGit = codeOf(error) === "git-ref-missing";
    // A folder has no refs.
    if (!isGit && codeOf(error) !== "source-not-found") throw error;
    const request = { ...given, source, names: [skill] };
    return planInstall(request).then(
      (plan) => ({ plan, request }),
      (other: unknown) => {
        if (!SkilletError.isInstance(other) || !SkilletError.isInstance(error)) throw other;
        if (other.code === "source-not-found") throw error;
        if (!isGit || other.code !== "offer-not-found") throw other;
        const [near] = Array.isArray(other.data.near) ? other.data.near : [];
        if (typeof near !== "string") throw error;
        const message = `${error.message} Or did you mean the skill ${near}? Write ${shellArgument(`${source}#${near}`)}`;
        throw new SkilletError(error.code, message, { data: error.data, cause: error });
      },
    );
  }
}

const codeOf = (error: unknown): string | undefined =>
  SkilletError.isInstance(error) ? error.code : undefined;
