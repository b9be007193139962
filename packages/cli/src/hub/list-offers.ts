import type { Offer } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { count, firstLines, hang, moreInJson, stripControl } from "../ui/text.ts";

const MAX_LISTED = 200;

/** Lists what a source holds; nothing is installed. */
export function listOffers(context: CommandContext, source: string, offers: readonly Offer[]): ExitCode {
  const { terminal } = context;
  const { bold, cyan, dim } = terminal.colours;
  const linesOf = ({ name, kind, description }: Offer): readonly string[] => [
    `  ${bold(stripControl(name))}${kind === "plugin" ? dim("  plugin") : ""}`,
    ...hang(description.slice(0, 1000), terminal, { indent: 6, maxLines: 1, paint: dim }),
  ];
  return answer(context, { source, skills: offers }, () => [
    `${bold(stripControl(source))} holds ${count(offers.length, "skill")}:`,
    ...firstLines(offers, MAX_LISTED, linesOf, moreInJson(terminal)),
    "",
    `Look at one: ${cyan(`skillet try ${shellArgument(source)} --skill NAME`)}`,
  ]);
}
