import type { SkillTemplate } from "@skillet/author";
import { usageError } from "../context/cli-error.ts";
import { answer } from "../context/command-context.ts";
import { completionScript } from "../load-beside.ts";
import { type CommandDefinition, oneOf, wordsOf } from "./command-definition.ts";

const SHELLS: readonly string[] = ["bash", "zsh", "fish"];
const TEMPLATES = wordsOf<SkillTemplate>()(["instructions", "script", "reference"]);

export const BEGIN_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "init",
    summary: "set up a project: its folder of skills, lock, trust and links",
    description:
      "Set up a project for skills: show what would be written, and write it once you confirm. Existing files stay as they are.",
    options: `
      --ci       also a workflow that checks the skills
      -y, --yes  do not ask
      --dry-run  show everything, write nothing`,
    examples: ["init", "init --ci --yes"],
    load: async () => (await import("../commands/init.ts")).init,
  },
  {
    name: "find",
    summary: "look for skills, here and in the sources you configured",
    description:
      "Look for words in the names and descriptions of skills: on this machine, and in the sources that hub.sources of your config names. To find the skill that suits a message: skillet search.",
    arguments: "words: <word...>  words that must all be found",
    examples: ["find pdf", "find code review"],
    load: async () => (await import("../commands/find.ts")).find,
  },
  {
    name: "try",
    summary: "look at a skill before it is installed",
    description:
      "Show a skill from any source that install accepts: its scan, what it can do, and what a model would see. Nothing is installed.",
    arguments: "source: <source>  as install takes it, or SOURCE#SKILL",
    options: `
      --skill <name>  this skill or plugin of the source (repeatable)
      --ref <ref>     a branch, tag, commit or version`,
    examples: ["try anthropics/skills#pdf", "try ./skills --skill deploy"],
    load: async () => (await import("../commands/try.ts")).trySource,
  },
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
  {
    name: "skillify",
    summary: "turn a conversation with an agent into a skill",
    description:
      "Turn a finished conversation into a skill, or improve the skill that was used in it: four short questions with the answers filled in, then the whole file to agree to. Secrets, names and paths are taken out first.",
    arguments:
      "transcript: [transcript]  a file or run of an agent; without it, choose among this project's newest",
    options: `
      --answers <file>  answers in YAML: name, description, improve, phrases, exclusions, tools, context, arguments, place
      --no-improve      a new skill, even where one was used
      --model           let the model of eval.model word it, after you saw what it would get
      --out <folder>    write it there, for a look, instead of where agents read it
      -y, --yes         take every default, and save without asking`,
    examples: [
      "skillify",
      "skillify session.jsonl --answers answers.yaml --yes",
      "skillify session.jsonl --yes --out ./draft",
    ],
    load: async () => (await import("../commands/skillify.ts")).skillifySession,
  },
  {
    name: "completion",
    summary: "print the script that completes commands and names in your shell",
    description:
      "Print the script that completes commands, options, agents and names of skills in your shell.",
    arguments: "shell: <shell>  bash, zsh or fish",
    examples: ['completion bash  # in ~/.bashrc: eval "$(skillet completion bash)"'],
    load:
      async () =>
      async (context, { shell }: { readonly shell: string }) => {
        if (!SHELLS.includes(shell)) throw usageError("completion", `Name one of ${SHELLS.join(", ")}.`);
        return answer(context, { shell, script: completionScript(shell) }, () =>
          completionScript(shell).trimEnd(),
        );
      },
  },
];
