import type { RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";

export const AN1: Rule = {
  id: "AN1",
  title: "Not analysed",
  category: "not-analysed",
  severity: "warn",
  explanation:
    "Something in the skill could not be read whole: it is encrypted, damaged, of an unknown format, too large, or could not be parsed. Nothing is known about it, so the skill cannot be called safe.",
  remedy:
    "Ship the content as plain UTF-8 text or in a format that can be opened, or review the file by hand and dismiss the finding.",
  owasp: ["AST08"],
  find: (facts) => {
    const seen = new Set<string>();
    return facts.of("unread").flatMap((place): RuleHit[] => {
      const key = `${place.file}\0${place.reason}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ severity: "warn", place, message: `${place.file} was not read whole: ${place.reason}` }];
    });
  },
};
