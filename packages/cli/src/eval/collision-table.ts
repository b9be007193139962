import type { Collision, CollisionDirection, CollisionReport, PhraseSource } from "@skillet/author";
import { wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";

// `--json` has them all.
const MAX_LISTED = 30;
const MAX_PHRASES = 3;
const MAX_NAMED = 8;

/** Which skills take each other's messages, the worst first, with the phrases at fault; for people. */
export function collisionTable(report: CollisionReport, layout: Layout): string[] {
  const { collisions } = report;
  const rest = collisions.length - MAX_LISTED;
  return [
    ...collisions.slice(0, MAX_LISTED).flatMap((collision) => [...block(collision, layout), ""]),
    ...(rest > 0 ? [layout.colours.dim(`and ${rest} more: --json lists all`), ""] : []),
    ...wrap(summary(report), layout),
  ];
}

function block({ kind, skills, directions }: Collision, layout: Layout): string[] {
  const { colours, width } = layout;
  const names = skills.slice(0, MAX_NAMED).map(stripControl);
  const more = skills.length > MAX_NAMED ? ` and ${skills.length - MAX_NAMED} more` : "";
  const mark = kind === "copy" ? colours.red("=") : colours.yellow("!");
  const title = wrap(`${names.join(kind === "copy" ? " = " : " and ")}${more}`, { width: width - 2 });
  const head = title.map((line, index) => `${index === 0 ? mark : " "} ${colours.bold(line)}`);
  if (kind === "copy")
    return [...head, "    copies: the same text, so that nothing tells them apart; keep one"];
  return [...head, ...directions.flatMap((direction) => directionLines(direction, layout))];
}

function directionLines(direction: CollisionDirection, { colours, width }: Layout): string[] {
  const { from, to, queries, stolen, close, phrases, sharedWords } = direction;
  const [owner, rival] = [stripControl(from), stripControl(to)];
  const nearly = close > 0 ? `, and nearly ${close} more` : "";
  const lost = stolen > 0 ? `loses ${stolen} to ${rival}${nearly}` : `nearly loses ${close} to ${rival}`;
  const within = (indent: number, text: string, maxLines = 3): string[] =>
    wrap(text, { width: width - indent, maxLines }).map((line) => `${" ".repeat(indent)}${line}`);
  return [
    ...within(4, `${owner} ${lost}, of ${count(queries, "phrase")} of its own:`),
    ...phrases
      .slice(0, MAX_PHRASES)
      .flatMap(({ text, source, outcome }) =>
        within(6, `"${stripControl(text)}" (${SOURCES[source]}${outcome === "close" ? ", close" : ""})`, 2),
      ),
    ...(sharedWords.length === 0
      ? []
      : within(4, `both say: ${sharedWords.map(stripControl).join(", ")}`).map((line) => colours.dim(line))),
  ];
}

const SOURCES: Readonly<Record<PhraseSource, string>> = {
  "trigger-set": "trigger set",
  phrase: "quoted",
  keyword: "keyword",
  "when-to-use": "when_to_use",
  description: "description",
};

function summary({ collisions, skills, queries, cut }: CollisionReport): string {
  const found =
    collisions.length === 0 ? "No skill takes another's messages" : count(collisions.length, "collision");
  const bounds = [
    ...(cut.phrases > 0
      ? [`${count(cut.phrases, "phrase")} beyond the bound ${cut.phrases === 1 ? "was" : "were"} not tried`]
      : []),
    ...(cut.skills > 0 ? [`of ${count(cut.skills, "skill")} none was tried`] : []),
  ];
  return `${[`${found}: ${count(skills, "skill")}, ${count(queries, "phrase")} tried`, ...bounds].join("; ")}.`;
}
