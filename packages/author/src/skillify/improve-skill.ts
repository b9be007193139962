import { editFrontmatter, parseSkill } from "@skillet/core";
import type { SkillDraft } from "./draft-skill.ts";
import { renderStep } from "./render-skill.ts";
import { tellingWords } from "./subjects.ts";

/** One change to a skill, and why. */
export interface SkillEdit {
  readonly what: string;
  readonly text: string;
}

/** More edits in one go cannot be reviewed by looking at them. */
const MAX_EDITS = 4;
const MAX_ADDED = 5;

/** Improves a skill by what a conversation with it taught: at most four edits, each of one block or one key. */
export function improveSkill(
  text: string,
  draft: SkillDraft,
): { readonly text: string; readonly edits: readonly SkillEdit[] } {
  const { manifest, body = "" } = parseSkill(text, { mode: "lenient" });
  const edits: SkillEdit[] = [];
  let improved = text;
  const apply = (what: string, added: string, next: string): void => {
    if (next === improved || edits.length >= MAX_EDITS) return;
    edits.push({ what, text: added });
    improved = next;
  };
  const rules = draft.rules.filter((rule) => !says(body, rule)).slice(0, MAX_ADDED);
  if (rules.length > 0) {
    const added = rules.map((rule) => `- ${rule}`).join("\n");
    apply("what you corrected becomes a rule", added, withSection(improved, "Rules", added));
  }
  const missing = draft.steps.filter((step) => !mentions(body, step.text)).slice(0, MAX_ADDED);
  if (missing.length > 0 && missing.length < draft.steps.length) {
    const added = missing.map(renderStep).join("\n");
    apply("what was run beside its steps", added, withSection(improved, "Further steps", added));
  }
  const allowed = manifest?.tools.allowed ?? [];
  const tools = draft.tools.filter(
    (tool) => tool.startsWith("Bash(") && !allowed.some((one) => covers(one, tool)),
  );
  if (allowed.length > 0 && tools.length > 0) {
    const value = [...allowed, ...tools].join(" ");
    const next = editFrontmatter(improved, [{ path: ["allowed-tools"], value }]);
    apply("what it ran, and allowed-tools leaves out", tools.join(" "), next);
  }
  return { text: improved, edits };
}

function withSection(text: string, title: string, added: string): string {
  const lines = text.trimEnd().split("\n");
  const at = lines.findIndex((line) => new RegExp(`^#{2,3} ${title}\\s*$`, "i").test(line));
  if (at === -1) return `${lines.join("\n")}\n\n## ${title}\n\n${added}\n`;
  const next = lines.findIndex((line, index) => index > at && /^#{1,3} /.test(line));
  const rest = next === -1 ? [] : ["", ...lines.splice(next)];
  return `${[lines.join("\n").trimEnd(), added, ...rest].join("\n")}\n`;
}

/** Whether a text contains nearly all significant words of a rule. */
function says(body: string, rule: string): boolean {
  const have = new Set(tellingWords(body));
  const wanted = tellingWords(rule);
  return wanted.filter((word) => have.has(word)).length >= wanted.length * 0.8;
}

/** Whether a text contains the program and subcommand of a step. */
function mentions(body: string, step: string): boolean {
  const [, command = step] = /`([^`]+)`/.exec(step) ?? [];
  const key = command
    .split(" ")
    .filter((word) => /^[\w./:-]+$/.test(word) && !word.startsWith("-"))
    .slice(0, 2);
  return key.length > 0 && body.includes(key.join(" "));
}

const covers = (rule: string, tool: string): boolean =>
  rule === tool ||
  /^bash$/i.test(rule) ||
  (rule.endsWith("*)") && tool.startsWith(rule.replace(/:?\*\)$/, "")));
