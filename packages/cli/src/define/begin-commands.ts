import type { SkillTemplate } from "@skillet/author";
import { type CommandDefinition, oneOf, wordsOf } from "./command-definition.ts";

const TEMPLATES = wordsOf<SkillTemplate>()(["instructions", "script", "reference"]);

export const BEGIN_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "new",
    summary: "make a skill from a template",
    description:
      "Make a skill from a template, with messages to test it by: in the project's .agents/skills, or in yours where there is no project.",
    arguments: "name: <name>  its name: a-z, 0-9 and hyphens",
    options: `
      --template <kind>     what lies beside its instructions
      --description <text>  what it does and when to use it, in one line
      --user                into your own ~/.agents/skills`,
    read: { template: oneOf(TEMPLATES, { first: "default" }) },
    examples: ["new deploy-notes", "new count-lines --template script --user"],
    load: async () => (await import("../commands/new.ts")).newSkill,
  },
];
