import { dirname } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { usageError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { ownList } from "../context/open-workspace.ts";
import { lookInto } from "../hub/list-offers.ts";
import { withHub } from "../hub/with-hub.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, showPath, spacedBlocks, stripControl } from "../ui/text.ts";

interface Found {
  readonly name: string;
  readonly description: string;
  /** A source, or the folder on this machine. */
  readonly from: string;
  /** What to do with it: the command that installs it, or shows one that is here. */
  readonly command: string;
}

// Each is fetched; a person's list has a handful.
const MAX_SOURCES = 50;
const MAX_SHOWN = 20;

/** Looks for words in the names and descriptions of skills, on this machine and in the sources that the user configured. */
export async function find(
  context: CommandContext,
  { words }: { readonly words: readonly string[] },
): Promise<ExitCode> {
  const wanted = words
    .join(" ")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (wanted.length === 0) throw usageError("find", "There is nothing to look for.");
  const fits = ({ name, description }: Pick<Found, "name" | "description">): boolean =>
    wanted.every((word) => `${name} ${description}`.toLowerCase().includes(word));
  // The user's own alone: a project must not say which hosts are contacted.
  const sources = (await ownList(context, "hub.sources")).slice(0, MAX_SOURCES);
  return withHub(context, { dryRun: true }, async (work) => {
    const here = work.skills.snapshot.skills.map(
      ({ name, qualifiedName, path, manifest: { description } }): Found => ({
        ...{
          name,
          description,
          from: dirname(path),
          command: `skillet show ${shellArgument(qualifiedName)}`,
        },
      }),
    );
    const failed: { source: string; reason: string }[] = [];
    const there = await Promise.all(
      sources.map(async (source): Promise<readonly Found[]> => {
        try {
          const { offers } = await lookInto(work, { source });
          return offers.map(({ name, description, install }) => ({
            name,
            description,
            from: source,
            command: install,
          }));
        } catch (error) {
          if (!SkilletError.isInstance(error)) throw error;
          failed.push({ source, reason: error.message });
          return [];
        }
      }),
    );
    work.progress.clear();
    const isNamed = ({ name }: Found): boolean => wanted.some((word) => name.toLowerCase().includes(word));
    const fitting = [...here, ...there.flat()].filter(fits);
    const skills = [...fitting.filter(isNamed), ...fitting.filter((one) => !isNamed(one))];
    if (!context.json)
      for (const { source, reason } of failed)
        context.terminal.warn(`${stripControl(source)}: ${stripControl(reason)}`);
    return answer(
      context,
      { skills, sources, failed },
      () => screen(skills, sources.length, context.terminal),
      skills.length > 0 ? 0 : 1,
    );
  });
}

function screen(skills: readonly Found[], sources: number, layout: Layout): readonly string[] {
  const { bold, cyan, dim } = layout.colours;
  const where = `on this machine and in ${count(sources, "configured source")}`;
  const more = "skillet config set hub.sources '[OWNER/REPO]'";
  return spacedBlocks([
    firstLines(
      skills,
      MAX_SHOWN,
      ({ name, description, from, command }) => [
        `${bold(stripControl(name))}  ${dim(showPath(from, layout.environment))}`,
        ...hang(description.slice(0, 1000), layout, { indent: 4, maxLines: 2 }),
        `    ${cyan(stripControl(command))}`,
      ],
      (rest) => dim(`and ${rest} more: --json lists all`),
    ),
    [
      ...hang(
        `${skills.length === 0 ? "No skill has all these words" : count(skills.length, "skill")}, ${where}.`,
        layout,
      ),
      ...(sources === 0 ? ["To look elsewhere as well:", `  ${cyan(more)}`] : []),
    ],
  ]);
}
