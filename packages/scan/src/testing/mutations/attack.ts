/** A synthetic attack: what it says or runs, and how a disguise may rewrite it. */
export type Attack = ShellAttack | ProgramAttack | ProseAttack;

interface AttackBase {
  /** For the table. */
  readonly name: string;
}

export interface ShellAttack extends AttackBase {
  readonly kind: "shell";
  readonly command: string;
}

export interface ProgramAttack extends AttackBase {
  readonly kind: "python" | "javascript";
  readonly code: string;
  /** Names in the code that a disguise may hide: modules, functions and addresses. */
  readonly hidden: readonly string[];
}

/** One or two sentences to a model or a user. */
export interface ProseAttack extends AttackBase {
  readonly kind: "prose";
  readonly english: string;
  readonly chinese: string;
  readonly russian: string;
}

/** A skill as a map from path to text. */
export type SkillTexts = Readonly<Record<string, string>>;

/** The same attack, rewritten so that its words are hard to find. */
export interface Disguise<Kind extends Attack = Attack> {
  readonly name: string;
  readonly apply: (attack: Kind) => SkillTexts;
}

/** A harmless skill around a text and files. */
export function wrapSkill(body: string, files: SkillTexts = {}): SkillTexts {
  return {
    "SKILL.md": `---\nname: table-notes\ndescription: Turns meeting notes into tidy tables. Use when somebody pastes notes.\n---\n\n# Table notes\n\nRead the notes, find dates, owners and decisions, and write one row for each.\n\n${body}\n\n## Output\n\nA table with four columns: date, owner, decision, due.\n`,
    ...files,
  };
}
