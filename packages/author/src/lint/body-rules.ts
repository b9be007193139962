import { countTokens } from "@skillet/core/internal";
import { isUnwritten, TEMPLATE_FACT } from "../skill-template.ts";
import { hitsOf, type LintRule, proseOf } from "./lint-rule.ts";

const MAX_BODY_LINES = 500;
const MAX_BODY_TOKENS = 5_000;
const MIN_BODY_WORDS = 5;
const MIN_STEPS = 3;
const STEP = /^\s{0,3}(?:\d+[.)]\s|#{2,4}\s+(?:step|phase)\b)/gim;
const CRITERION =
  /\b(?:done when|success|succeed|verif(?:y|ied|ies)|confirm|check(?:s|ed)? (?:that|whether|if|the|it|for)|must (?:pass|be|exit)|expect(?:ed)?|make sure|ensure|should (?:print|say|show|be|see|pass|exit)|exit code|passes|proves?|validate|until)\b/i;
/** As Claude Code and similar agents call them; other agents have other tools, or none. */
const HOST_TOOL =
  /`(?:TodoWrite|AskUserQuestion|WebSearch|WebFetch|NotebookEdit|MultiEdit|ExitPlanMode)`|\b(?:TodoWrite|AskUserQuestion|ExitPlanMode|NotebookEdit|MultiEdit)\b/g;
const PLACEHOLDER = new RegExp(`(?<=^\\s*(?:(?:[-*]|\\d+\\.)\\s+)?)TODO:.*|${TEMPLATE_FACT}`, "gm");
const PERSONAL_PATH =
  /(?<![\w.@:/-])(?:\/(?:Users|home)\/(?!(?:user|username|you|name|me|USER)\b)[a-z][\w.-]*\/[\w./-]+|[A-Z]:\\Users\\[\w.-]+\\[\w.\\-]+)/g;

/** Rules about the instructions, which a model gets as a whole. */
export const BODY_RULES: readonly LintRule[] = [
  {
    id: "body-long",
    severity: "info",
    reason: "All of the body goes into the conversation whenever the skill is used.",
    hint: "Move details into files in references/ and say when to read which.",
    find: ({ body }) => {
      const [lines, tokens] = [body.trimEnd().split("\n").length, countTokens(body)];
      return (
        (lines > MAX_BODY_LINES || tokens > MAX_BODY_TOKENS) &&
        `The instructions have ${lines} lines and about ${tokens} tokens; keep them within ${MAX_BODY_LINES} lines and ${MAX_BODY_TOKENS} tokens.`
      );
    },
  },
  {
    id: "body-empty",
    severity: "warning",
    reason:
      "A skill without instructions costs a place in the catalogue and gives nothing when it is loaded.",
    hint: "Write what to do, step by step.",
    find: ({ body }) =>
      body.split(/\s+/).filter(Boolean).length < MIN_BODY_WORDS &&
      !/[^\p{ASCII}]{8}/u.test(body) &&
      "There are next to no instructions.",
  },
  {
    id: "no-success-criterion",
    severity: "info",
    reason: "A model that is not told how to see that a step worked goes on after a step that did not.",
    hint: "End steps with a fact that can be checked: Done when the tests pass.",
    find: ({ body }) => {
      const steps = body.match(STEP)?.length ?? 0;
      const isBlind = steps >= MIN_STEPS && !CRITERION.test(body);
      return isBlind && `There are ${steps} steps, and nothing says how to see that they worked.`;
    },
  },
  {
    id: "placeholder-left",
    severity: "warning",
    reason: "A model reads what the template of `skillet new` left as it is.",
    hint: "Write what the skill does in its place.",
    find: (skill) => {
      const { name, description, whenToUse = "" } = skill.manifest;
      const inHeader = { message: "The description still has a TODO of the template.", key: "description" };
      const inBody = hitsOf(proseOf(skill), PLACEHOLDER, (text) =>
        text === TEMPLATE_FACT
          ? "The template's words are still here: say which fact shows that the step worked."
          : "This TODO of the template is still to be written.",
      );
      const beside = skill.files.filter((file) => isUnwritten(name, file));
      return [
        ...(/\bTODO:/.test(`${name} ${description} ${whenToUse}`) ? [inHeader] : []),
        ...inBody,
        ...beside.map(({ path }) => ({
          message: `${path} is still as the template has it.`,
          ...(path.endsWith(".json") && {
            hint: "Write messages that should call the skill, and near misses.",
          }),
        })),
      ];
    },
  },
  {
    id: "absolute-path",
    severity: "warning",
    reason: "A path in one person's home is not there for anyone else.",
    hint: "Write it relative to the skill's folder or to the project.",
    find: ({ body }) => hitsOf(body, PERSONAL_PATH, (path) => `${path} exists on one machine only.`),
  },
  {
    id: "argument-token",
    severity: "info",
    reason:
      "Where arguments are given, $1 in a body is replaced by the second of them, also in prices and awk.",
    hint: "Write \\$1, or declare the skill's arguments in its header.",
    find: ({ body, manifest: { args } }) =>
      args.names.length === 0 &&
      args.hint === undefined &&
      hitsOf(
        body,
        /(?<![\\$\w])\$\d(?![\d.,]*\w)/g,
        (token) => `${token} becomes an argument if there are any.`,
      ).slice(0, 3),
  },
  {
    id: "host-tool",
    severity: "info",
    reason: "Other agents call this tool something else, or do not have it.",
    hint: "Say in other words what to do, or name the client in compatibility.",
    find: (skill) =>
      skill.manifest.compatibility === undefined &&
      hitsOf(
        proseOf(skill),
        HOST_TOOL,
        (tool) => `${tool.replaceAll("`", "")} is a tool of one client.`,
      ).slice(0, 1),
  },
];
