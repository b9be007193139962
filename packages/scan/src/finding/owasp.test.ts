import { expect, test } from "vitest";
import { ALL_RULES } from "../rule/all-rules.ts";
import { OWASP_LISTS, owaspTitle } from "./owasp.ts";

const IDS = OWASP_LISTS.flatMap(({ titles }) => Array.from(titles.keys()));

test("every rule is mapped to entries that exist, each once, in the order of the lists", () => {
  const wrong = ALL_RULES.filter(({ owasp }) => {
    const ranks = owasp.map((id) => IDS.indexOf(id));
    return owasp.length === 0 || ranks.some((rank, index) => rank <= (ranks[index - 1] ?? -1));
  });
  expect(wrong.map(({ id, owasp }) => [id, owasp])).toEqual([]);
});

test("an entry has its title, and what is none has none", () => {
  expect(["AST01", "ASI09", "AST11", "toString"].map(owaspTitle)).toEqual([
    "Malicious Skills",
    "Human-Agent Trust Exploitation",
    undefined,
    undefined,
  ]);
});
