import { dirname } from "node:path";
import type { Offer } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { onSkilletError } from "../context/on-skillet-error.ts";
import { ownList } from "../context/open-workspace.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, moreInJson, showPath, stripControl } from "../ui/text.ts";

// Each is fetched; a person's list has a handful.
const MAX_SOURCES = 50;
const MAX_SHOWN = 20;

export async function find(
  context: CommandContext,
  options: { readonly words: readonly string[] },
): Promise<ExitCode> {
  const words = options.words.flatMap((word) => word.toLowerCase().match(/\S+/g) ?? []);
  // The user's own alone: a project must not say which hosts are contacted.
  const sources = (await ownList(context, "hub.sources")).slice(0, MAX_SOURCES);
  const failed: { readonly source: string; readonly reason: string }[] = [];
  return withHub(context, { dryRun: true }, async (work) => {
    const here = work.skills.snapshot.skills.map(({ name, qualifiedName, path, manifest }): Offer => {
      const { description } = manifest;
      const command = `skillet show ${shellArgument(qualifiedName)}`;
      return { name, kind: "skill", description, from: dirname(path), command };
    });
    const offersOf = async (source: string): Promise<readonly Offer[]> => {
      const tellFailed = onSkilletError(({ message: reason }) => {
        failed.push({ source, reason });
        if (!context.json) context.terminal.warn(stripControl(`${source}: ${reason}`));
      });
      return (await loadInstalling().lookInto(work.hub, { source }).catch(tellFailed))?.offers ?? [];
    };
    const all = [...here, ...(await Promise.all(sources.map(offersOf))).flat()];
    const skills = all.filter((offer) =>
      words.every((word) => `${offer.name} ${offer.description}`.toLowerCase().includes(word)),
    );
    const isNamed = ({ name }: Offer): boolean => words.some((word) => name.toLowerCase().includes(word));
    skills.sort((left, right) => Number(isNamed(right)) - Number(isNamed(left)));
    const screen = (): readonly string[] => foundLines(skills, sources.length, context.terminal);
    return answer(context, { skills, sources, failed }, screen, skills.length > 0 ? 0 : 1);
  });
}

function foundLines(skills: readonly Offer[], sources: number, layout: Layout): readonly string[] {
  const { bold, cyan, dim } = layout.colours;
  const linesOf = ({ name, description, from, command }: Offer): readonly string[] => [
    `${bold(stripControl(name))}  ${dim(showPath(from, layout.environment))}`,
    ...hang(description.slice(0, 1000), layout, { indent: 4, maxLines: 2 }),
    `    ${cyan(stripControl(command))}`,
  ];
  const found = skills.length === 0 ? "No skill has all these words" : count(skills.length, "skill");
  const where = sources === 0 ? "" : ` or in ${count(sources, "configured source")}`;
  const elsewhere = "Look elsewhere as well: skillet config set hub.sources '[OWNER/REPO]'";
  return [
    ...firstLines(skills, MAX_SHOWN, linesOf, moreInJson(layout, "")),
    ...hang(`${found} on this machine${where}.`, layout),
    ...(sources === 0 ? hang(elsewhere, layout) : []),
  ];
}
