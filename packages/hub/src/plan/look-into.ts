import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import type { OfferedItem, Plan } from "../plan-item.ts";
import type { InstallRequest } from "./plan-install.ts";

/** A skill or plugin that a source holds, with the command that installs it. */
export interface Offer extends Pick<OfferedItem, "name" | "kind" | "description" | "plugin"> {
  readonly from: string;
  readonly command: string;
}

interface Planner {
  planInstall(request: InstallRequest): Promise<Plan>;
}

interface Wanted {
  readonly source: string;
  readonly names?: readonly string[];
  readonly ref?: string | undefined;
  /** Of several on offer, those to plan as well, each by itself: what they need is not fetched. */
  readonly picks?: (offers: readonly OfferedItem[]) => readonly OfferedItem[];
}

/** Reads a source as an install would; where several are on offer and none was named, they are listed instead. */
export async function lookInto(
  hub: Planner,
  { source: given, names = [], ref, picks }: Wanted,
): Promise<{ readonly plan: Plan; readonly offers: readonly Offer[] }> {
  let offers: readonly OfferedItem[] = [];
  const request = { agents: [], agentTargets: "link", force: false, all: false, link: false } as const;
  const wish: InstallRequest = {
    ...request,
    source: given,
    names,
    ...(ref !== undefined && { ref }),
    alone: picks !== undefined,
    choose: async (found) => {
      offers = found;
      return picks?.(found) ?? [];
    },
  };
  const { plan, request: done } = await planPart(wish, (one) => hub.planInstall(one));
  const { source } = done;
  const judged = [...plan.items, ...plan.refusals.flatMap(({ judged: one }) => one ?? [])];
  const only = judged.map(({ name, kind, manifest, parts }) => ({
    name,
    kind,
    description: manifest?.description ?? parts?.description ?? "",
  }));
  const words = [source, ...(ref === undefined ? [] : ["--ref", ref])].map(shellArgument).join(" ");
  const found = (offers.length > 0 ? offers : only).map(
    ({ name, kind, description, plugin }: Omit<Offer, "from" | "command">): Offer => {
      const command = `skillet install ${words} --skill ${shellArgument(name)}`;
      return { name, kind, description, ...(plugin !== undefined && { plugin }), from: source, command };
    },
  );
  return { plan, offers: found };
}

/**
 * Plans `SOURCE#X`: the ref X or, where the source has none, the skill X. Gives the request that was carried out, and a
 * diagnostic where the ref holds a skill of that name as well.
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
    // The name of a local folder may have a # in it.
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
        throw codeOf(other) === "source-not-found" || (isGit && codeOf(other) === "offer-not-found")
          ? error
          : other;
      },
    );
  }
}

const codeOf = (error: unknown): string | undefined =>
  SkilletError.isInstance(error) ? error.code : undefined;
