import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askAboutGains } from "./ask-about-gains.ts";
import type { CapabilityChange } from "./version-changes.ts";

const change = (kind: CapabilityChange["kind"], text: string): CapabilityChange => ({
  kind,
  value: text,
  text,
});
const hosts = (count: number): readonly CapabilityChange[] =>
  Array.from({ length: count }, (_, index) => change("network", `contacts h${index}.example`));

describe("askAboutGains", () => {
  test("nothing new is no question", () => {
    expect(askAboutGains([])).toBeUndefined();
  });

  test.each<CapabilityChange["kind"]>([
    "hooks",
    "mcpServers",
    "allowedTools",
    "limits",
    "secrets",
    "settings",
  ])("hosts cannot push %s out of the question, nor to its end", (kind) => {
    const question = askAboutGains([...hosts(60), change(kind, "does the one thing")]);
    expect(question).toMatch(/^the new version does the one thing; contacts h0\.example; /);
    expect(question).toMatch(/; and can do 11 more things that it could not$/);
  });

  test("whatever is new, each hook is named and everything else is counted", () => {
    const kinds = fc.constantFrom<CapabilityChange["kind"]>(
      "network",
      "scripts",
      "hooks",
      "skills",
      "secrets",
    );
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 1, maxLength: 150 }), (drawn) => {
        const gained = drawn.map((kind, index) => change(kind, `${kind}-${index}.`));
        const question = askAboutGains(gained) ?? "";
        const shown = gained.filter(({ text }) => question.includes(text));
        const more = Number(/and can do (\d+) more/.exec(question)?.[1] ?? 0);
        expect(shown.length + more).toBe(gained.length);
        for (const { kind, text } of gained)
          if (kind === "hooks" || kind === "secrets") expect(question).toContain(text);
      }),
    );
  });
});
