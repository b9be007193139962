import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import type { OfferedItem, Plan } from "../plan-item.ts";
import type { InstallRequest } from "./plan-install.ts";

/** A skill or plugin that a source holds, with the command that installs it. */
export interface Offer extends Pick<OfferedItem, "name" | "kind" | "description"> {
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
  { source, names = [], ref, picks }: Wanted,
): Promise<{ readonly plan: Plan; readonly offers: readonly Offer[] }> {
  let offers: readonly OfferedItem[] = [];
  const request = { agents: [], agentTargets: "link", force: false, all: false, link: false } as const;
  const plan = await hub.planInstall({
    ...{ ...request, source, names, ...(ref !== undefined && { ref }), alone: picks !== undefined },
    choose: async (found) => {
      offers = found;
      return picks?.(found) ?? [];
    },
  });
  const judged = [...plan.items, ...plan.refusals.flatMap(({ judged: one }) => one ?? [])];
  const only = judged.map(({ name, kind, manifest, parts }) => ({
    ...{ name, kind, description: manifest?.description ?? parts?.description ?? "" },
  }));
  const words = [source, ...(ref === undefined ? [] : ["--ref", ref])].map(shellArgument).join(" ");
  const found = (offers.length > 0 ? offers : only).map(({ name, kind, description }): Offer => {
    const command = `skillet install ${words} --skill ${shellArgument(name)}`;
    return { name, kind, description, from: source, command };
  });
  return { plan, offers: found };
}

/** The same for `SOURCE#SKILL`, which means the ref of that name where the source has no such skill. */
export async function lookIntoPart(hub: Planner, wanted: Wanted): ReturnType<typeof lookInto> {
  const [, source, skill] = /^(.+)#([^#@/]+)$/.exec(wanted.source) ?? [];
  if (source === undefined || skill === undefined) return lookInto(hub, wanted);
  try {
    return await lookInto(hub, { ...wanted, source, names: [skill] });
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "offer-not-found") throw error;
    return lookInto(hub, wanted).catch(() => Promise.reject(error));
  }
}
