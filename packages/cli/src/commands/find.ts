import { dirname } from "node:path";
import type { Offer, PlannedItem, RefusedItem } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import { onSkilletError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { correctWords } from "../context/correct-words.ts";
import { describeHere, verdictOf } from "../context/describe-here.ts";
import { ownConfig } from "../context/open-workspace.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling, loadSelecting } from "../load-beside.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  count,
  firstLines,
  hang,
  moreInJson,
  sayingWhere,
  showPath,
  stripControl,
  titleLines,
} from "../ui/text.ts";

// Each source is fetched; users typically list a handful.
const MAX_SOURCES = 50;
const MAX_SHOWN = 20;

export async function find(
  context: CommandContext,
  options: { readonly words: readonly string[] },
): Promise<ExitCode> {
  const words = options.words.flatMap((word) => word.toLowerCase().match(/\S+/g) ?? []);
  // Only the user's own config: a project must not decide which hosts are contacted.
  const sources = (await ownConfig(context)).hub.sources.slice(0, MAX_SOURCES);
  const failed: { readonly source: string; readonly reason: string }[] = [];
  return withHub(context, { dryRun: true, rulesOnly: true }, async ({ hub, skills: registry }) => {
    const { splitClauses } = loadSelecting();
    // A skill is not a match because of words in "not for …" clauses of its description.
    const matches = ({ name, description }: Header, wanted = words): boolean => {
      let [about, rest] = [`${name} `, description];
      for (const { kind, text } of splitClauses(description, "description")) {
        const at = rest.indexOf(text);
        // A phrase is part of the clause before it.
        if (kind === "phrase" || at === -1) continue;
        about += rest.slice(0, kind === "negative" ? at : at + text.length);
        rest = rest.slice(at + text.length);
      }
      const searched = `${about}${rest}`.toLowerCase();
      return wanted.every((word) => searched.includes(word));
    };
    const { skills: all } = registry.snapshot;
    const isHere = ({ name }: { readonly name: string }): boolean => all.some((skill) => skill.name === name);
    const offersOf = async (source: string): Promise<readonly Found[]> => {
      const tellFailed = onSkilletError(({ message: reason }) => {
        failed.push({ source, reason });
        if (!context.json) context.terminal.warn(stripControl(`${source}: ${reason}`));
      });
      const picks = <One extends Header>(offers: readonly One[]): readonly One[] =>
        offers.filter((offer) => matches(offer) && !isHere(offer)).slice(0, MAX_SHOWN);
      const { offers = [], planned } =
        (await loadInstalling().lookInto(hub, { source, picks }).catch(tellFailed)) ?? {};
      return offers
        .filter((offer) => matches(offer))
        .map((offer) => ({ ...offer, ...standingOf(planned?.get(offer), offer) }));
    };
    const offered = (await Promise.all(sources.map(offersOf))).flat();
    const own = all.filter(
      ({ name, manifest: { description } }) =>
        matches({ name, description }) || offered.some((offer) => offer.name === name),
    );
    const here = (await describeHere(context, registry, own)).map(
      ({ skill, state, status, readBy, source }): Found => {
        const { name, qualifiedName, path, manifest } = skill;
        const look = state === "enabled" ? "show" : "explain";
        const command = sayingWhere(`skillet ${look} ${shellArgument(qualifiedName)}`, context.terminal);
        const others = offered.filter(
          (offer) => offer.name === name && source?.includes(offer.from.replace(/#.*/, "")) !== true,
        );
        return {
          name,
          kind: "skill",
          description: manifest.description,
          status,
          command,
          from: source ?? dirname(path),
          ...(readBy !== "" && { readBy }),
          ...(others.length > 0 && { alsoIn: others.map(({ from }) => from) }),
        };
      },
    );
    // Offers with the name of a skill that is here are listed with that skill.
    const skills = [...here, ...offered.filter((offer) => !isHere(offer))];
    const rank = ({ name, status }: Found): number =>
      (status.startsWith("bundled") ? 2 : 0) +
      (words.some((word) => name.toLowerCase().includes(word)) ? 0 : 1);
    skills.sort((left, right) => rank(left) - rank(right));
    const isFound = (text: string): boolean =>
      all.some(({ name, manifest: { description } }) => matches({ name, description }, text.split(" ")));
    const meant = skills.length > 0 ? "" : await correctWords(words.join(" "), { skills: all, isFound });
    const again = meant && `Did you mean: skillet find ${meant.split(" ").map(shellArgument).join(" ")}`;
    const screen = (): readonly string[] => foundLines(skills, sources, context.terminal, again);
    return answer(context, { skills, sources, failed }, screen, skills.length > 0 ? 0 : 1);
  });
}

type Header = Pick<Offer, "name" | "description">;

interface Found extends Offer {
  /** Whether the skill is already here, and whether it may be used. */
  readonly status: string;
  readonly readBy?: string;
  /** Configured sources that also offer a skill of this name. */
  readonly alsoIn?: readonly string[];
}

/** Says what installing the skill would report; if many match, only the first ones were scanned. */
function standingOf(
  planned: PlannedItem | RefusedItem | undefined,
  { name, from, command }: Offer,
): Pick<Found, "status" | "command"> {
  const verdict = verdictOf(planned);
  const standing =
    planned?.state !== "refused" ? "not installed" : verdict ? "blocked" : "cannot be installed";
  const read = verdict ?? (planned === undefined ? "not scanned yet" : undefined);
  const isOpen = planned === undefined || (planned.state === "planned" && verdict === "safe");
  return {
    status: [standing, read].filter(Boolean).join(", "),
    command: isOpen ? command : tryCommand(from, name),
  };
}

function tryCommand(source: string, name: string): string {
  return `skillet try ${shellArgument(source)} --skill ${shellArgument(name)}`;
}

function foundLines(
  skills: readonly Found[],
  sources: readonly string[],
  layout: Layout,
  again: string,
): string[] {
  const { bold, cyan, dim, yellow } = layout.colours;
  const linesOf = ({ name, description, status, readBy, from, command, alsoIn = [] }: Found) => [
    ...titleLines([name, status], layout, {
      paintName: bold,
      paint: status.includes(",") && !status.endsWith(" safe") ? yellow : dim,
    }),
    ...hang(readBy ?? "", layout, { indent: 4, paint: dim }),
    ...(status.startsWith("bundled")
      ? []
      : hang(showPath(from, layout.environment), layout, { indent: 4, paint: dim })),
    ...hang(description.slice(0, 1000), layout, { indent: 4, maxLines: 2 }),
    `    ${cyan(stripControl(command))}`,
    ...alsoIn.flatMap((source) =>
      hang(`a source has one of this name, too: ${tryCommand(source, name)}`, layout, {
        indent: 4,
        paint: dim,
      }),
    ),
  ];
  const found = skills.length === 0 ? "No skill has all these words" : count(skills.length, "skill");
  const where = sources.length === 0 ? "" : ` or in ${count(sources.length, "configured source")}`;
  // Setting a list replaces it, so the command repeats the existing values.
  const list = JSON.stringify([...sources, "OWNER/REPO"]);
  const elsewhere = `To look elsewhere as well, put a source in the place of OWNER/REPO: skillet config set hub.sources '${list.replaceAll("'", "'\\''")}'`;
  return [
    ...firstLines(skills, MAX_SHOWN, linesOf, moreInJson(layout, "")),
    ...hang(`${found} on this machine${where}.`, layout),
    ...hang(again, layout),
    ...(sources.length === 0 || skills.length === 0 ? hang(elsewhere, layout) : []),
  ];
}
