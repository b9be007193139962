import { expect, test } from "vitest";
import { abilitySentence } from "./ability-sentence.ts";

const many = (kind: "commands" | "network", count: number) =>
  Array.from({ length: count }, (_, index) => ({ kind, value: `${kind}-${index}` }));

test("one sentence in people's words, the riskiest first", () => {
  const abilities = [
    { kind: "commands", value: "cat" },
    { kind: "network", value: "api.notion.com" },
    { kind: "secrets", value: "NOTION_KEY" },
    { kind: "persistence", value: "cron" },
  ] as const;
  expect(abilitySentence(abilities)).toBe(
    "It sets itself up to run again (cron), reads your environment or secrets (NOTION_KEY), contacts api.notion.com and runs shell commands (cat).",
  );
  expect(abilitySentence(abilities.slice(1, 2))).toBe("It contacts api.notion.com.");
  expect(abilitySentence([])).toBe("");
});

test("what is ordinary and many is cut, secrets are named before plain variables, and no host is left out", () => {
  expect(abilitySentence(many("commands", 9))).toBe(
    "It runs shell commands (commands-0, commands-1, commands-2, commands-3 and 5 more).",
  );
  for (const { value } of many("network", 30)) expect(abilitySentence(many("network", 30))).toContain(value);
  const variables = ["CHAIN", "FROM", "MAC", "POD", "SEOUL_OPENAPI_KEY"];
  expect(abilitySentence(variables.map((value) => ({ kind: "secrets", value })))).toBe(
    "It reads your environment or secrets (SEOUL_OPENAPI_KEY, CHAIN, FROM, MAC and 1 more).",
  );
});

test("what a header sends, or lets be called, keeps its own verb", () => {
  expect(
    abilitySentence([
      { kind: "secrets", value: "KEY" },
      { kind: "secrets", value: "KEY to api.test", verb: "sends" },
      { kind: "network", value: "*" },
    ]),
  ).toBe(
    "It reads your environment or secrets (KEY), sends KEY to api.test and contacts hosts known only at run time.",
  );
});
