/** A file of a new skill, relative to its folder. */
export interface TemplateFile {
  readonly path: string;
  readonly text: string;
}

const EXTRAS = {
  instructions: { step: "TODO: say what to do first, with the exact command.", files: [] },
  script: {
    step: "Run [scripts/main.sh](scripts/main.sh) with the file that the user means.",
    files: [{ path: "scripts/main.sh", text: '#!/bin/sh\n# TODO: replace this.\nset -eu\nwc -l "$1"\n' }],
  },
  reference: {
    step: "TODO: say what to do first; in the rare case, read [references/details.md](references/details.md).",
    files: [{ path: "references/details.md", text: "# Details\n\nTODO: what is needed sometimes only.\n" }],
  },
} as const;

/** Instructions alone, or with a script or a reference. */
export type SkillTemplate = keyof typeof EXTRAS;

/** A placeholder that the author replaces with the fact that shows that the step worked. */
export const TEMPLATE_FACT = "Done when: a fact that can be checked";

/** Where editors find the schema of the header, relative to the skill's folder: in `.agents`, beside `skills`. */
const SCHEMA = "../../skill.schema.json";

/**
 * The files of a new skill, with a trigger set made from its name. Parts to be replaced begin with `TODO:`.
 *
 * @example
 * const files = skillFromTemplate({ name: "deploy-notes", template: "instructions" });
 */
export function skillFromTemplate(options: {
  readonly name: string;
  readonly template: SkillTemplate;
  /** One line. Default: made from the name. */
  readonly description?: string | undefined;
}): readonly TemplateFile[] {
  const { step, files } = EXTRAS[options.template];
  const words = options.name.replaceAll("-", " ");
  const description =
    options.description ??
    `Helps with ${words} (TODO: say how, in words people type). Use when asked for ${words}.`;
  const title = `${words.charAt(0).toUpperCase()}${words.slice(1)}\n\nTODO: say in one sentence what these steps are for.`;
  const steps = `1. ${step} ${TEMPLATE_FACT}.\n2. TODO: say what to do then.`;
  const header = `name: ${options.name}\ndescription: ${JSON.stringify(description)}\n# yaml-language-server: $schema=${SCHEMA}`;
  const main = `---\n${header}\n---\n\n# ${title}\n\n${steps}\n`;
  return [{ path: "SKILL.md", text: main }, starterSet(callsOf(words)), ...files];
}

function callsOf(words: string): readonly string[] {
  return [`${words}, please`, `can you help me with ${words}?`, `I need ${words} now`];
}

/** Whether a file beside SKILL.md is still the template's file for this name, or still contains one of its TODOs. */
export function isUnwritten(name: string, { path, text = "" }: Partial<TemplateFile>): boolean {
  const set = starterSet(callsOf(name.replaceAll("-", " ")));
  const made = [set, ...Object.values(EXTRAS).flatMap(({ files }): readonly TemplateFile[] => files)];
  const own = made.find((file) => file.path === path)?.text.split("\n");
  return own?.join("\n") === text || !!own?.some((line) => /TODO:/.test(line) && text.includes(line));
}

/** Negative examples for a set whose author has not written any yet. */
const UNRELATED = ["rename this variable", "what does this error mean?", "shorten the second paragraph"];

/** A first trigger set: messages that should trigger a skill, and messages that should not. */
export function starterSet(called: readonly string[], others: readonly string[] = []): TemplateFile {
  const rows = [...called, ...others, ...UNRELATED].map((query) => ({
    query,
    should_trigger: called.includes(query),
  }));
  const text = `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`;
  return { path: "evals/eval_queries.json", text };
}
