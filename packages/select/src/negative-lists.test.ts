import { describe, expect, test } from "vitest";
import { createSelector } from "./create-selector.ts";
import type { SelectedSkill } from "./selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "./testing/make-skill.ts";

const library = makeLibrary(40);

async function ask(text: string, message: string): Promise<Partial<SelectedSkill> & { action: string }> {
  const skill = makeSkill(text);
  const selector = await createSelector([...library, skill]);
  const found = selector.select(message, { limit: 50 }).find((one) => one.skill === skill);
  const { activate, suggest } = selector.decide(message);
  const has = (list: readonly SelectedSkill[]): boolean => list.some((one) => one.skill === skill);
  return { ...found, action: has(activate) ? "activate" : has(suggest) ? "suggest" : "nothing" };
}

const header = (lines: readonly string[], description = "Backport fixes to release branches."): string =>
  writeHeader("backport-fix", description, ["when_to_use: |", ...lines.map((line) => `  ${line}`)]);

const SAMPLE = [
  "Use when the user wants to backport a fix to a release branch.",
  "",
  "Trigger phrases:",
  '- "cherry-pick X to release"',
  '- "backport this fix"',
  '- "apply Y to the release-N branch"',
  "",
  "Example user messages:",
  '- "Please cherry-pick commit abc123 to release-2.5"',
  '- "Backport the auth fix to last week\'s release"',
  "",
  "Do NOT use for:",
  "- Initial merge from feature branch to main",
  "- Squash-merging multiple commits",
];

describe("the list below a negation that ends in a colon", () => {
  test("counts against the skill: the sample of a good when_to_use is not offered for what it rules out", async () => {
    for (const message of [
      "Initial merge from feature branch to main",
      "squash-merge these multiple commits",
    ]) {
      const { action, reasons = [] } = await ask(header(SAMPLE), message);
      expect({ message, action }).toEqual({ message, action: "nothing" });
      expect(reasons).toContain("near to what it says it is not for");
    }
    for (const message of [
      "Please cherry-pick commit abc123 to release-2.5",
      "backport this fix to the release branch",
    ])
      expect(await ask(header(SAMPLE), message)).toMatchObject({ action: "activate" });
  });

  test("quotes no phrases that call the skill", async () => {
    const text = header(["Do NOT use for:", '- "squash my commits"', '- "rename the branch"']);
    for (const message of ["squash my commits", "rename the branch"]) {
      const { action, reasons = [] } = await ask(text, message);
      expect(action).toBe("nothing");
      expect(reasons.join()).not.toContain("phrase");
    }
  });

  test("names no files that the skill is about", async () => {
    const text = header(["Not for:", "- .docx files"]);
    expect((await ask(text, "backport report.docx")).reasons?.join()).not.toContain("docx");
  });

  test.each([
    ["Not for", ["Not for:", "- photographs of animals"]],
    ["Do not use when", ["Do not use when:", "* photographs of animals"]],
    ["When not to use", ["When NOT to use this skill:", "1. photographs of animals"]],
    ["bold, colon inside", ["**Do NOT use for:**", "- photographs of animals"]],
    ["bold, colon outside", ["**Not for**:", "", "- photographs of animals"]],
    ["bold, no colon", ["**Do not use for**", "- photographs of animals"]],
    ["a heading", ["## Do not use for", "- photographs of animals"]],
    ["on a line of a list", ["- Use for fixes", "- Not for:", "  - photographs of animals"]],
    ["lines without bullets", ["Do not use for:", "  photographs of animals"]],
    ["after the items of a first list", ["Do not use for:", "- maps", "", "- photographs of animals"]],
    ["on one line", ["Do not use for: maps, photographs of animals"]],
    ["on one line, with semicolons", ["Do not use for: maps; charts; photographs of animals"]],
    ["on one line, with a dash", ["Do not use for: maps — photographs of animals"]],
    ["folded into one line", ["Do not use for: - Maps. - Photographs of animals. Use for: - fixes"]],
    ["German", ["Nicht verwenden für:", "- photographs of animals"]],
    ["German, bold", ["**Nicht geeignet für**:", "- photographs of animals"]],
    ["French", ["Ne pas utiliser pour :", "- photographs of animals"]],
    ["Spanish", ["No usar para:", "- photographs of animals"]],
    ["Portuguese", ["Não usar para:", "- photographs of animals"]],
    ["Italian", ["Non usare per:", "- photographs of animals"]],
    ["Dutch", ["Niet gebruiken voor:", "- photographs of animals"]],
    ["Polish", ["Nie używać do:", "- photographs of animals"]],
    ["Russian", ["Не использовать для:", "- photographs of animals"]],
    ["Indonesian", ["Jangan gunakan untuk:", "- photographs of animals"]],
    ["Chinese", ["不适用于：", "- photographs of animals"]],
    ["Japanese", ["使用しない場合：", "- photographs of animals"]],
    ["Korean", ["다음에는 사용하지 마세요:", "- photographs of animals"]],
  ])("is read as one in the form %s, in when_to_use and in a description", async (_, lines) => {
    const message = "sort the photographs of animals";
    const fromDescription = writeHeader("backport-fix", `Backport fixes.\n${lines.join("\n")}`);
    for (const text of [header(lines), fromDescription]) {
      const { action, reasons = [] } = await ask(text, message);
      expect(action).toBe("nothing");
      expect(reasons).not.toContainEqual(expect.stringMatching(/^words .*photograph/));
    }
  });

  test("ends where another text begins", async () => {
    const lines = ["Do NOT use for:", "- maps", "", "Use for:", "- photographs of animals"];
    expect((await ask(header(lines), "sort the photographs of animals")).action).not.toBe("nothing");
    const plain = ["Do NOT use for:", "- maps", "It also sorts photographs of animals."];
    expect((await ask(header(plain), "sort the photographs of animals")).action).not.toBe("nothing");
  });

  test.each([
    ["on the next line", ["Do not use for:", "images and video", "Use for: photographs of animals"]],
    ["on the same line", ["Do not use for: images; Use for: photographs of animals"]],
  ])("ends at a heading with its text %s", async (_, lines) => {
    expect((await ask(header(lines), "sort the photographs of animals")).action).not.toBe("nothing");
  });
});

describe("a sentence about what is not used", () => {
  test.each([
    ["English", "Finds photographs of animals that do not use tags."],
    ["Japanese", "使用しない photographs of animals を削除します。"],
    ["Korean", "사용하지 않는 photographs of animals 정리합니다."],
    ["Indonesian", "Menghapus yang tidak digunakan: photographs of animals."],
  ])("says what the skill is for: %s", async (_, sentence) => {
    const { action } = await ask(header([sentence]), "sort the photographs of animals");
    expect(action).not.toBe("nothing");
  });
});

describe("what a skill says it is not for", () => {
  const wanted = "Greets people by name. Use to greet a guest or a team.";
  const message = "greet a guest in a docker container with a lambda";
  const scoreOf = async (description: string): Promise<number> =>
    (await ask(writeHeader("greeter", description), message)).score ?? 0;

  test("counts together, in however many sentences it says it", async () => {
    const one = await scoreOf(`${wanted} Not for a docker container.`);
    const two = await scoreOf(`${wanted} Not for a docker container. Not for a lambda.`);
    expect(two).toBeLessThan(one - 0.05);
  });

  test("counts more where the words are not also what it is for", async () => {
    const shared = await ask(
      writeHeader("greeter", `${wanted} Not for greeting guests on a page.`),
      "greet a guest",
    );
    expect(shared.action).not.toBe("nothing");
    const other = await ask(
      writeHeader("greeter", `${wanted} Not for a docker container.`),
      "greet a docker container",
    );
    expect(other.action).toBe("nothing");
  });

  test("is not evidence for it where its body says so", async () => {
    const skill = makeSkill(writeHeader("greeter", wanted));
    const coverageOf = async (body: string): Promise<number> => {
      const selector = await createSelector([...library, skill], {
        readBody: (one) => (one === skill ? body : ""),
      });
      return selector.select(message, { limit: 50 }).find((one) => one.skill === skill)?.score ?? 0;
    };
    const plain = await coverageOf("Say the name first.");
    expect(await coverageOf("Say the name first. Not for a docker container or a lambda.")).toBeCloseTo(
      plain,
      2,
    );
    expect(await coverageOf("Say the name first, in a docker container or a lambda.")).toBeGreaterThan(
      plain + 0.05,
    );
  });
});

describe("what people say, in quotes", () => {
  const words = "juggle whittle crochet solder tango fiddle".split(" ");
  const phrases = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => words.map((word) => `${word}${at}`).join(" "));
  const scoreOf = async (uses: readonly string[]): Promise<number> => {
    const description = ["Greets people by name.", ...uses.map((use) => `Use for ${use}.`)].join(" ");
    return (await ask(writeHeader("greeter", description), "greet my new neighbour over there")).score ?? 0;
  };

  test("does not count against a skill as a long description does", async () => {
    const quoted = (count: number): Promise<number> => scoreOf(phrases(count).map((text) => `"${text}"`));
    expect(await quoted(12)).toBeGreaterThan((await scoreOf(phrases(12))) + 0.02);
  });
});
