import type { Language } from "../file/file-kind.ts";
import type { Rule } from "../rule/rule.ts";
import type { Medium } from "../text/source-text.ts";
import type { TextCondition } from "./text-condition.ts";

/** A rule of a pack: the rule itself, and the texts that it looks at. */
export interface PackRule {
  readonly rule: Rule;
  readonly condition: TextCondition;
  readonly view: "raw" | "folded";
  /** Empty for every language. */
  readonly languages: ReadonlySet<Language>;
  /** Empty for every medium. */
  readonly media: ReadonlySet<Medium>;
  /** A text that it matches, by its own tests. */
  readonly example?: string;
}
