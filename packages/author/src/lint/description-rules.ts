import { hitIf, type LintedSkill, type LintRule } from "./lint-rule.ts";

const WHEN =
  /\b(?:when|whenever|if (?:the|a|you)|use (?:this|it|for|to|in|with|before|after|on)|used (?:for|to)|trigger)/i;
const NEGATIVE = /\b(?:do not|don't|never|not) (?:use|for|trigger)\b/i;
const MIN_DESCRIPTION_WORDS = 3;

// Scripts without spaces between words say as much in fewer of them, and these rules do not read them.
const isOtherScript = (text: string): boolean => /[^\p{ASCII}\p{P}\p{S}]{8}/u.test(text);
const told = ({ manifest: { description, whenToUse = "" } }: LintedSkill): string =>
  `${description} ${whenToUse}`;
const firstSentences = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\W_]+/g, " ")
    .trim();

/** About the header: the only text that a model chooses a skill by. */
export const DESCRIPTION_RULES: readonly LintRule[] = [
  {
    id: "name-reserved-word",
    severity: "info",
    reason: "Anthropic's clients refuse names with their own product in them.",
    hint: "Choose a name without it if the skill is meant for those clients.",
    find: ({ manifest: { name } }) => {
      const word = /anthropic|claude/i.exec(name)?.[0];
      return hitIf(
        word !== undefined,
        `The name has the word ${word} in it, which Anthropic's clients reserve.`,
        "name",
      );
    },
  },
  {
    id: "description-tags",
    severity: "warning",
    reason: "Some clients refuse markup in descriptions; others put it into their prompts as it is.",
    hint: "Write it without angle brackets.",
    find: ({ manifest: { description } }) => {
      const tag = /<\/?[A-Za-z][^<>]{0,200}>/.exec(description)?.[0] ?? "";
      return hitIf(tag !== "", `The description has a tag in it, ${JSON.stringify(tag)}.`, "description");
    },
  },
  {
    id: "description-vague",
    severity: "warning",
    reason: "The description is all that a model sees before it loads the skill.",
    hint: "Say what the skill does, and when to use it: Use when …",
    find: ({ manifest: { description } }) =>
      hitIf(
        description.trim().split(/\s+/).length < MIN_DESCRIPTION_WORDS && !isOtherScript(description),
        "The description says too little for a model to choose the skill by.",
        "description",
      ),
  },
  {
    id: "description-no-when",
    severity: "warning",
    reason: "A description that says only what a skill does leaves the model to guess when it is wanted.",
    hint: "Add a sentence with words that people type: Use when asked to …",
    find: (skill) =>
      hitIf(
        !WHEN.test(told(skill).replace(new RegExp(NEGATIVE, "gi"), "")) &&
          !NEGATIVE.test(told(skill)) &&
          !isOtherScript(told(skill)) &&
          skill.manifest.invocation.model,
        "The description says what the skill does, but not when to use it.",
        "description",
      ),
  },
  {
    id: "description-only-negative",
    severity: "warning",
    reason:
      "A list of what a skill is not for makes those messages more like it unless it also says what it is for.",
    hint: "Say first when to use it: Use when …",
    find: (skill) =>
      hitIf(
        NEGATIVE.test(told(skill)) &&
          !WHEN.test(told(skill).replace(/\b(?:do not|don't|never|not) .*?(?:[.;\n]|$)/gi, "")),
        "The description says when not to use the skill, but not when to use it.",
        "description",
      ),
  },
  {
    id: "description-first-person",
    severity: "warning",
    reason: "Descriptions of many skills stand side by side in a prompt, where I and you are someone else.",
    hint: "Begin with a verb: Fills in PDF forms.",
    find: ({ manifest: { description } }) =>
      hitIf(
        /^(?:I|I'll|I'm|We|My|You can|Let me|Your)\b/.test(description.trim()),
        "The description speaks as a person, not about the skill.",
        "description",
      ),
  },
  {
    id: "description-repeated",
    severity: "info",
    reason: "By the time a model reads the body it has the description already, and pays for it twice.",
    hint: "Begin the body with what to do.",
    find: ({ manifest: { description }, body }) => {
      const start = firstSentences(description).slice(0, 80);
      return hitIf(
        start.length === 80 && firstSentences(body.slice(0, 2_000)).includes(start),
        "The body repeats the description.",
      );
    },
  },
];
