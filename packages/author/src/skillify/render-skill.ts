import { starterSet, type TemplateFile } from "../skill-template.ts";
import type { SkillDraft, SkillStep } from "./draft-skill.ts";
import { small } from "./request.ts";
import { isOrder, otherWordsFor } from "./subjects.ts";

const REDACTED = /\[…\]/g;

/** The files of a skill: its SKILL.md and a first set of messages to test it with. */
export function renderSkill(draft: SkillDraft): readonly TemplateFile[] {
  return [{ path: "SKILL.md", text: renderMain(draft) }, renderSet(draft)];
}

function renderMain(draft: SkillDraft): string {
  const { name, description, tools, inputs, context } = draft;
  const header: Readonly<Record<string, string | undefined>> = {
    name,
    description,
    when_to_use: whenToUse(draft),
    "allowed-tools": tools.length > 0 ? tools.join(" ") : undefined,
    "argument-hint": inputs.length > 0 ? inputs.map((input) => `[${input.name}]`).join(" ") : undefined,
    arguments: inputs.length > 0 ? inputs.map((input) => input.name).join(" ") : undefined,
    context: context === "fork" ? context : undefined,
  };
  const lines = Object.entries(header).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${/^[\w-]+$/.test(value) ? value : JSON.stringify(value)}`],
  );
  return `---\n${lines.join("\n")}\n---\n\n${renderBody(draft)}`;
}

/** Quotes messages that users type; exclusions become a sentence, which lowers the score of those messages. */
function whenToUse({ goal, description, phrases, exclusions }: SkillDraft): string | undefined {
  const examples = phrases.map((phrase) => `"${phrase.replaceAll(REDACTED, "…").replaceAll('"', "'")}"`);
  const use = examples.map((one) => `Use when the user says something like ${one}.`).join(" ");
  const others = otherWordsFor(goal, [description, ...examples].join(" "));
  const also = others.length > 0 ? `Other words for it: ${others.join(", ")}.` : "";
  const not = exclusions.length > 0 ? `Do not use for ${exclusions.join(", or for ")}.` : "";
  return [use, also, not].filter(Boolean).join(" ") || undefined;
}

function renderBody({ name, inputs, steps, rules }: SkillDraft): string {
  const words = name.replaceAll("-", " ");
  const proof =
    steps.at(-1)?.success ?? "like each before it, it ends with exit code 0, and its result is there";
  const blocks = [
    `# ${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    ...section(
      "Inputs",
      inputs.map(
        ({ name: one }) => `- \`${one}\`: from the arguments or the request. Ask when it is missing.`,
      ),
    ),
    ...section("Goal", [`What was asked for is done. The proof is the last step: ${proof}.`]),
    ...section("Steps", steps.map(renderStep)),
    ...section(
      "Rules",
      rules.map((rule) => `- ${rule}`),
    ),
  ];
  // These marks would hide what follows from readers, or end the text early.
  return `${blocks.join("\n\n").replaceAll(/<!--|-->|`{3,}|~{3,}/g, " ")}\n`;
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];

export function renderStep({ text, success, checkpoint }: SkillStep, index: number): string {
  // A file name or an argument may contain line breaks, and its further lines would read as instructions.
  const lines = [
    `${index + 1}. ${text}`,
    ...(checkpoint === undefined ? [] : [`   - Human checkpoint: ${checkpoint}.`]),
    ...(success === undefined ? [] : [`   - Success criteria: ${success}.`]),
  ];
  return lines.map((line) => line.replaceAll(/\s*[\r\n]\s*/g, " ")).join("\n");
}

function renderSet({ phrases, goal, exclusions }: SkillDraft): TemplateFile {
  const wanted = phrases.filter((phrase) => phrase.search(REDACTED) === -1);
  const task = small(goal);
  return starterSet(
    [...new Set([...wanted, task, ...(isOrder(task) ? [`can you ${task}?`] : [])])],
    exclusions,
  );
}
