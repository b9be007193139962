import type { OfferedItem, Plan } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { count, firstLines, hang, stripControl } from "../ui/text.ts";
import type { HubWork } from "./with-hub.ts";

/** A skill or plugin that a source holds, with the words that install it. */
export interface Offer extends Pick<OfferedItem, "name" | "kind" | "description"> {
  readonly source: string;
  readonly install: string;
}

interface Wanted {
  readonly source: string;
  readonly names?: readonly string[];
  readonly ref?: string | undefined;
}

/** Reads a source as an install would; where several are on offer and none was named, they are listed instead. */
export async function lookInto(
  { hub }: Pick<HubWork, "hub">,
  { source, names = [], ref }: Wanted,
): Promise<{ readonly plan: Plan; readonly offers: readonly Offer[] }> {
  let offers: readonly OfferedItem[] = [];
  const request = { agents: [], agentTargets: "link", force: false, all: false, link: false } as const;
  const plan = await hub.planInstall({
    ...{ ...request, source, names, ...(ref !== undefined && { ref }) },
    choose: async (found) => {
      offers = found;
      return [];
    },
  });
  const install = (name: string): string =>
    `skillet install ${shellArgument(source)}${ref === undefined ? "" : ` --ref ${shellArgument(ref)}`} --skill ${shellArgument(name)}`;
  const judged = [...plan.items, ...plan.refusals.flatMap(({ judged: one }) => one ?? [])];
  const only = judged.map(({ name, kind, manifest, parts }) => ({
    ...{ name, kind, description: manifest?.description ?? parts?.description ?? "" },
  }));
  return {
    plan,
    offers: (offers.length > 0 ? offers : only).map(({ name, kind, description }) => ({
      ...{ name, kind, description, source, install: install(name) },
    })),
  };
}

/** The same for `SOURCE#SKILL`, which means the ref of that name where the source has no such skill. */
export async function lookIntoPart(work: HubWork, wanted: Wanted): ReturnType<typeof lookInto> {
  const [, source, skill] = /^(.+)#([^#@/]+)$/.exec(wanted.source) ?? [];
  if (source === undefined || skill === undefined) return lookInto(work, wanted);
  try {
    return await lookInto(work, { ...wanted, source, names: [skill] });
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "offer-not-found") throw error;
    return lookInto(work, wanted).catch(() => Promise.reject(error));
  }
}

const MAX_LISTED = 200;

/** Lists what a source holds; nothing is installed. */
export function listOffers(context: CommandContext, source: string, offers: readonly Offer[]): ExitCode {
  const { terminal } = context;
  const { bold, cyan, dim } = terminal.colours;
  const skills = offers.map(({ name, kind, description, install }) => ({ name, kind, description, install }));
  return answer(context, { source, skills }, () => [
    `${bold(stripControl(source))} holds ${count(offers.length, "skill")}${offers.some(({ kind }) => kind === "plugin") ? " and plugins" : ""}:`,
    ...firstLines(
      offers,
      MAX_LISTED,
      ({ name, kind, description }) => [
        `  ${bold(stripControl(name))}${kind === "plugin" ? dim("  plugin") : ""}`,
        ...hang(description.slice(0, 1000), terminal, { indent: 6, maxLines: 1, paint: dim }),
      ],
      (rest) => dim(`  and ${rest} more: --json lists all`),
    ),
    "",
    `Look at one: ${cyan(`skillet try ${shellArgument(source)} --skill NAME`)}`,
  ]);
}
