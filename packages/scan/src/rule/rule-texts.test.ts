import { expect, test } from "vitest";
import { scanSkill } from "../scan-skill.ts";
import { makeFile } from "../testing/make-source.ts";
import { ALL_RULES } from "./all-rules.ts";
import { RULE_EXAMPLES } from "./rule-texts.ts";

const HEADER = "---\nname: example\ndescription: Shows what a rule finds.\n---\n\n";

test("every rule has an example, and no example is of a rule that is gone", () => {
  expect([...RULE_EXAMPLES.keys()].sort()).toEqual(ALL_RULES.map(({ id }) => id).sort());
});

test.each(Array.from(RULE_EXAMPLES).filter(([, { file }]) => file !== undefined))(
  "the example of %s is found by it",
  async (id, { file = "", text }) => {
    const body = `${HEADER}${file === "SKILL.md" ? `${text}\n` : "Run it.\n"}`;
    const beside = file === "SKILL.md" ? [] : [makeFile(file, `${text}\n`)];
    const { findings } = await scanSkill([makeFile("SKILL.md", body), ...beside]);
    const found = findings.filter(({ rule }) => rule === id);
    const rule = ALL_RULES.find((one) => one.id === id);
    expect(found.map(({ severity }) => severity)).toContainEqual(
      expect.stringMatching(rule?.severity === "info" ? /./ : /^(?:warn|critical)$/),
    );
  },
);
