/** What the skill says it is, for judging what it does: never a reason to trust it. */
export interface SkillProfile {
  readonly name: string;
  readonly description: string;
  /** Hosts of its homepage, its declared hosts and the documents that it links to. */
  readonly declaredHosts: ReadonlySet<string>;
  readonly declaredEnvironment: ReadonlySet<string>;
  /** Whether its name, description or headings are about finding, teaching or testing attacks. */
  readonly isSecurityTool: boolean;
  /** Lower-case words of name, description and headings. */
  readonly words: ReadonlySet<string>;
}
