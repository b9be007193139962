import { splitWords } from "@skillet/kit/words";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSelector } from "./create-selector.ts";
import type { Selector } from "./selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "./testing/make-skill.ts";

const BUNDLED_LIKE = [
  writeHeader("write-changelog", "Writes the changelog and release notes of a version from its history."),
  writeHeader("review-change", "Reviews a change before it is merged: bugs, tests and names in a diff."),
  writeHeader("tidy-commits", "Tidies commits before a branch is shared: splits, squashes and rewords them."),
  writeHeader("how-to-ask", "How to ask good questions and what you need to say when you are stuck."),
  writeHeader("pdf-forms", "Fills in PDF forms: text fields, check boxes and signatures."),
  writeHeader("changelog", "Generates a changelog."),
  writeHeader("docker-build", "Builds docker images and fixes docker builds that fail."),
  writeHeader("pytest-runner", "Runs pytest and fixes what fails in its tests."),
  writeHeader("deploy", "Deploys the site to production."),
  writeHeader("translate", "Translates letters and documents."),
  writeHeader("extraer-texto", "Extrae texto de un PDF."),
  writeHeader("hello-world", "Skill with triggers.", [
    "triggers: { keywords: [hello, greet], verbs: [say, wave, make] }",
  ]),
].map((text) => makeSkill(text));

const small = await createSelector(BUNDLED_LIKE);
const large = await createSelector([...BUNDLED_LIKE, ...makeLibrary(120)]);

const offered = (selector: Selector, message: string): readonly string[] => {
  const { activate, suggest } = selector.decide(message);
  return [...activate, ...suggest].map(({ skill }) => skill.name);
};
const scoreOf = (selector: Selector, message: string, name: string): number =>
  selector.select(message, { limit: 50 }).find(({ skill }) => skill.name === name)?.score ?? 0;

describe("words", () => {
  test("an exact word beats a stem", async () => {
    const about = (word: string) =>
      makeSkill(writeHeader(`on-${word.length}`, `Explains ${word} to players.`));
    const selector = await createSelector([about("generators"), about("generation")]);
    for (const word of ["generators", "generation"]) {
      const [first, second] = selector.select(word);
      expect(first?.skill.manifest.description).toContain(word);
      expect(first?.score).toBeGreaterThan(second?.score ?? 0);
    }
  });

  test("a reason never shows a word that is not in the header", () => {
    const words = ["notion", "notes", "changing", "changes", "commitment", "filling", "forms", "signed", "a"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }), (said) => {
        for (const selector of [small, large])
          for (const { skill, reasons } of selector.select(said.join(" "), { limit: 20 })) {
            const { description, triggers } = skill.manifest;
            const header = splitWords(
              [skill.name, description, ...triggers.keywords, ...triggers.verbs].join(" "),
            );
            for (const reason of reasons.filter((one) => one.startsWith("words ")))
              for (const [, word = ""] of reason.matchAll(/"([^"]+)"/g)) expect(header).toContain(word);
          }
      }),
    );
  });

  test("an unknown word counts against every skill", () => {
    for (const selector of [small, large]) {
      const known = scoreOf(selector, "fill in the form", "pdf-forms");
      const one = scoreOf(selector, "fill in the zorblax form", "pdf-forms");
      expect(one).toBeLessThan(known);
      expect(scoreOf(selector, "fill in the zorblax form of quibnax", "pdf-forms")).toBeLessThan(one);
    }
    expect(offered(small, "create a notion page with today's meeting notes")).toEqual([]);
  });

  test.each(["notion", "giraffe", "what is notion", "reformation"])(
    "a message of one rare word that no skill has finds nothing: %s",
    (message) => {
      expect(offered(small, message)).toEqual([]);
      expect(offered(large, message)).toEqual([]);
    },
  );

  test("a word that no skill has is no result at all, however it looks", () => {
    for (const selector of [small, large]) expect(selector.select("notion")).toEqual([]);
  });

  test.each(["commit my changes", "please commit my changes"])(
    "%s finds the skill about commits",
    (message) => {
      for (const selector of [small, large]) expect(offered(selector, message)[0]).toBe("tidy-commits");
    },
  );

  test.each(["how are you?", "what do you need?", "no", "and then?", "how do you do"])(
    "words that every message has find nothing: %s",
    (message) => {
      for (const selector of [small, large]) expect(selector.select(message)).toEqual([]);
    },
  );
});

describe("a message that rules a skill out", () => {
  test.each([
    "don't use pdf-forms",
    "don't use the pdf forms skill, fill in the form by hand",
    "fill in this PDF form, but do not use $pdf-forms",
    "Please fill in the form without using /pdf-forms",
    "fill in the form with plain text fields, not with pdf-forms",
    "no PDF forms please",
    "fülle das PDF aus, aber benutze nicht pdf-forms",
    "n'utilise pas pdf-forms pour ce PDF",
    "no uses pdf-forms para este PDF",
    "不要用 pdf-forms",
  ])("does not find it: %s", (message) => {
    for (const selector of [small, large]) expect(offered(selector, message)).not.toContain("pdf-forms");
  });

  test("finds the one that it asks for instead", () => {
    for (const selector of [small, large]) {
      const message = "don't fill in any PDF forms, just write the changelog for this version";
      expect(offered(selector, message)[0]).toBe("write-changelog");
    }
  });

  test.each([
    "don't forget to fill in the PDF form",
    "I don't understand this PDF form, fill in the text fields",
    "why does the PDF form not work? fill in its fields",
    "no, fill in the PDF form",
    "Don't touch the tests and fill in the PDF form",
    "Don't write the changelog by hand, then fill in the PDF form",
  ])("but finds it where the negation is about something else: %s", (message) => {
    for (const selector of [small, large]) expect(offered(selector, message)).toContain("pdf-forms");
  });
});

describe("a message that has a negation", () => {
  test.each([
    ["docker-build", "No space left on device while building the docker image"],
    ["docker-build", "Not enough memory when I build the docker image"],
    ["docker-build", "error: no space left on device while building the docker image, please help"],
    ["pytest-runner", "No module named requests when I run pytest"],
    ["docker-build", "everything works except the docker build"],
    ["docker-build", "I don't want to break the docker build"],
    ["changelog", "Instead of writing it by hand generate a changelog"],
    ["changelog", "Don't write the changelog by hand, generate the changelog"],
    ["extraer-texto", "No consigo extraer texto del PDF"],
    ["review-change", "Don't touch the tests and run /review-change"],
    ["review-change", "Don't merge it yet, use /review-change"],
  ])("finds %s: %s", (name, message) => {
    for (const selector of [small, large]) expect(offered(selector, message)).toContain(name);
  });
});

describe("a noun made of a verb", () => {
  test.each([
    ["deploy", "deployment please"],
    ["translate", "I need a translation of this letter"],
  ])("suggests %s: %s", (name, message) => {
    for (const selector of [small, large]) expect(offered(selector, message)).toContain(name);
  });

  test("activates nothing that has another word of its stem: commitment", () => {
    for (const selector of [small, large]) expect(selector.decide("commitment").activate).toEqual([]);
  });
});

describe("declared verbs", () => {
  test.each(["say something nice", "please make something nice", "can you make something nice"])(
    "count at the head of a message, stop words too: %s",
    (message) => {
      for (const selector of [small, large]) {
        expect(offered(selector, message)).toContain("hello-world");
        expect(selector.decide(message).activate).toEqual([]);
        const found = selector.select(message).find(({ skill }) => skill.name === "hello-world");
        expect(found?.reasons).toContainEqual(expect.stringMatching(/^verb '(?:say|make)' in triggers$/));
      }
    },
  );

  test.each(["how do you make bread in a village oven", "make a zorblax for ten people", "ok, make it so"])(
    "count for nothing elsewhere, and alone: %s",
    (message) => {
      for (const selector of [small, large]) expect(offered(selector, message)).not.toContain("hello-world");
    },
  );

  test("suggest nothing by themselves where no person vouches for the skill", async () => {
    const greedy = makeSkill(
      writeHeader("greedy", "Sells insurance.", ["triggers: { verbs: [show, say, make, do, get] }"]),
    );
    const selector = await createSelector([...BUNDLED_LIKE, { ...greedy, origin: "community" }]);
    expect(offered(selector, "show me something new")).toEqual([]);
  });
});

describe("a message about nothing", () => {
  test.each([
    [
      "hi",
      "good morning",
      "thanks a lot",
      "yes please",
      "no",
      "continue",
      "keep going",
      "help",
      "run the tests",
    ],
    [
      "what is 17 times 23",
      "what time is it tomorrow?",
      "how is the weather today?",
      "fix line 3",
      "save it",
    ],
  ])("calls no skill of a dozen or of a hundred: %s and others", (...messages) => {
    for (const message of messages)
      for (const selector of [small, large])
        expect([message, ...offered(selector, message)]).toEqual([message]);
  });

  test("is not told by one everyday word of a header, but by a whole name of such words, as a suggestion", async () => {
    const selector = await createSelector([
      makeSkill(writeHeader("run-tests", "Runs the suite of this repository and reports.")),
    ]);
    expect(offered(selector, "tests")).toEqual([]);
    expect(selector.decide("run tests").suggest.map(({ skill }) => skill.name)).toEqual(["run-tests"]);
  });

  test("is not told by one word of the instructions alone", async () => {
    const skill = makeSkill(writeHeader("ledger", "Keeps the books."));
    const selector = await createSelector([skill], { readBody: () => "Cancel the voucher, good morning." });
    for (const message of ["voucher", "good morning", "cancel that"])
      expect(offered(selector, message)).toEqual([]);
  });
});

test("a skill of the user's own comes before a bundled one with examples that fits about as well", async () => {
  const description = "Prepares release notes for a version, with features and fixes.";
  const own = { ...makeSkill(writeHeader("release-notes", description)), origin: "local" as const };
  const bundled = {
    ...makeSkill(writeHeader("write-changelog", "Turns git history into release notes for a version.")),
    origin: "builtin" as const,
  };
  const examples = new Map([
    [
      bundled.qualifiedName,
      ["draft the release notes", "release notes for 3.1", "write release notes please"].map((message) => ({
        message,
        shouldTrigger: true,
      })),
    ],
  ]);
  const message = "prepare the release notes for 2.0";
  const withOwn = (said: readonly string[], shouldTrigger: boolean): typeof examples =>
    new Map([...examples, [own.qualifiedName, said.map((one) => ({ message: one, shouldTrigger }))]]);
  const first = async (given: typeof examples): Promise<string | undefined> =>
    (await createSelector([own, bundled], { examples: given })).select(message)[0]?.skill.name;
  const others = Array.from({ length: 60 }, (_, index) => `collect what sprint${index} brought`);
  expect(await first(examples)).toBe("release-notes");
  // Examples of its own that are about something else do not lower it; one that rules the message out does.
  expect(await first(withOwn(others, true))).toBe("release-notes");
  expect(await first(withOwn([message], false))).toBe("write-changelog");
});
