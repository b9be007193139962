import { STOP_WORDS, splitWords } from "@skillet/kit/words";
import type { LintedSkill, LintRule } from "./lint-rule.ts";

const WHEN =
  /\b(?:when|whenever|if (?:the|a|you)|use (?:this|it|for|to|in|with|before|after|on)|used (?:for|to)|trigger)/i;
const NEGATIVE = /\b(?:do not|don't|never|not) (?:use|for|trigger)\b/i;
const MIN_DESCRIPTION_WORDS = 3;
const ANYTHING = /^(?:always|any\w*|every\w*)$/;

// Scripts without spaces between words need fewer words to say as much; these rules skip them.
const isOtherScript = (text: string): boolean => /[^\p{ASCII}\p{P}\p{S}]{8}/u.test(text);
const told = ({ manifest: { description, whenToUse = "" } }: LintedSkill): string =>
  `${description} ${whenToUse}`;
const firstSentences = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\W_]+/g, " ")
    .trim();

/** The shortest length to which clients truncate descriptions when they list many skills. */
const CUT = 60;

const startOf = (description: string): string =>
  description.replace(/\s+/g, " ").trim().toLowerCase().slice(0, CUT);

/** Rules about the header, the only text by which a model chooses a skill, and about its similarity to others. */
export const DESCRIPTION_RULES: readonly LintRule[] = [
  {
    id: "name-reserved-word",
    key: "name",
    severity: "info",
    reason: "Anthropic's clients refuse names with their own product in them.",
    hint: "Choose a name without it if the skill is meant for those clients.",
    find: ({ manifest: { name } }) => {
      const word = /anthropic|claude/i.exec(name)?.[0];
      return word !== undefined && `The name has the word ${word} in it, which Anthropic's clients reserve.`;
    },
  },
  {
    id: "description-tags",
    key: "description",
    severity: "warning",
    reason: "Some clients refuse markup in descriptions; others put it into their prompts as it is.",
    hint: "Write it without angle brackets.",
    find: ({ manifest: { description } }) => {
      const tag = /<\/?[A-Za-z][^<>]{0,200}>/.exec(description)?.[0] ?? "";
      return tag !== "" && `The description has a tag in it, ${JSON.stringify(tag)}.`;
    },
  },
  {
    id: "description-vague",
    key: "description",
    severity: "warning",
    reason: "The description is all that a model sees before it loads the skill.",
    hint: "Say what the skill does, and when to use it: Use when …",
    find: ({ manifest: { description } }) =>
      (description.trim().split(/\s+/).length < MIN_DESCRIPTION_WORDS ||
        splitWords(description).every((word) => STOP_WORDS.has(word) || ANYTHING.test(word))) &&
      !isOtherScript(description) &&
      `The description ${description === "" ? "is missing" : "says too little for a model to choose the skill by"}.`,
  },
  {
    id: "description-no-when",
    key: "description",
    severity: "warning",
    reason: "A description that says only what a skill does leaves the model to guess when it is wanted.",
    hint: "Add a sentence with words that people type: Use when asked to …",
    find: (skill) =>
      skill.manifest.invocation.model &&
      skill.manifest.description !== "" &&
      !WHEN.test(told(skill)) &&
      !NEGATIVE.test(told(skill)) &&
      !isOtherScript(told(skill)) &&
      "The description says what the skill does, but not when to use it.",
  },
  {
    id: "description-only-negative",
    key: "description",
    severity: "warning",
    reason:
      "A list of what a skill is not for makes those messages more like it unless it also says what it is for.",
    hint: "Say first when to use it: Use when …",
    find: (skill) =>
      NEGATIVE.test(told(skill)) &&
      !WHEN.test(told(skill).replace(/\b(?:do not|don't|never|not) .*?(?:[.;\n]|$)/gi, "")) &&
      "The description says when not to use the skill, but not when to use it.",
  },
  {
    id: "description-first-person",
    key: "description",
    severity: "warning",
    reason: "Descriptions of many skills stand side by side in a prompt, where I and you are someone else.",
    hint: "Begin with a verb: Fills in PDF forms.",
    find: ({ manifest: { description } }) =>
      /^(?:I|I'll|I'm|We|My|You can|Let me|Your)\b/.test(description.trim()) &&
      "The description speaks as a person, not about the skill.",
  },
  {
    id: "description-repeated",
    severity: "info",
    reason: "By the time a model reads the body it has the description already, and pays for it twice.",
    hint: "Begin the body with what to do.",
    find: ({ manifest: { description }, body }) => {
      const start = firstSentences(description).slice(0, 80);
      const isRepeated = start.length === 80 && firstSentences(body.slice(0, 2_000)).includes(start);
      return isRepeated && "The body repeats the description.";
    },
  },
  {
    id: "description-shared-start",
    key: "description",
    severity: "warning",
    reason: `Clients that list many skills cut descriptions, some after ${CUT} characters.`,
    hint: "Begin with what only this skill does.",
    find: ({ manifest: { description }, others }) => {
      const start = startOf(description);
      const same = [...others]
        .filter(([, other]) => startOf(other.description) === start)
        .map(([name]) => name);
      return (
        start.length === CUT &&
        same.length > 0 &&
        `The first ${CUT} characters of the description are also those of ${same.slice(0, 3).join(", ")}.`
      );
    },
  },
  {
    id: "skill-collides",
    key: "description",
    severity: "warning",
    reason: "Messages that are meant for one of two skills load the other.",
    hint: "Say in each what it is not for; details: skillet eval collisions NAME",
    find: ({ collisions, qualifiedName }) =>
      collisions
        .filter(({ skills }) => skills.includes(qualifiedName))
        .map(({ kind, skills, directions }) => {
          const rivals = skills
            .filter((name) => name !== qualifiedName)
            .slice(0, 3)
            .join(", ");
          const phrase = directions[0]?.phrases[0]?.text;
          const example = phrase === undefined ? "" : `, such as ${JSON.stringify(phrase)}`;
          const overlap = `It and ${rivals} take each other's messages${example}.`;
          return { message: kind === "copy" ? `${rivals} has the same description.` : overlap };
        }),
  },
];
