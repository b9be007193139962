import { expect, test } from "vitest";
import { createSelector } from "./create-selector.ts";
import type { SelectorOptions } from "./selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "./testing/make-skill.ts";

const open = (
  described: Readonly<Record<string, string>>,
  options: SelectorOptions & { readonly bundled?: readonly string[] } = {},
) =>
  createSelector(
    [
      ...makeLibrary(40),
      ...Object.entries(described).map(([name, description]) => {
        const isBundled = options.bundled?.includes(name) === true;
        return {
          ...makeSkill(writeHeader(name, description)),
          ...(isBundled && { origin: "builtin" as const }),
        };
      }),
    ],
    options,
  );

test("two common words that stand side by side in a description are worth a suggestion, and never more", async () => {
  const selector = await open({ "cron-rescue": "Starts the nightly tasks by hand: backup, mail, cleaning." });
  const { activate, suggest } = selector.decide("run the nightly tasks");
  expect(activate).toEqual([]);
  expect(suggest[0]?.skill.name).toBe("cron-rescue");
  expect(selector.decide("these tasks bored me all night").action).toBe("nothing");
});

test.each([
  ["shrink the images", "optimises"],
  ["compress hero.jpg", "optimises"],
  ["resize my photos for the website", "images"],
])("%s finds a skill that says it in other words, and the reason quotes those", async (message, word) => {
  const selector = await open({ "web-assets": "Optimises images for the website and strips metadata." });
  const [first] = selector.decide(message).suggest;
  expect(first?.skill.name).toBe("web-assets");
  expect(first?.reasons.join()).toContain(`"${word}"`);
});

test("several near words of one word count once", async () => {
  const selector = await open({
    "slide-decks": "Builds a presentation: slides, deck, PowerPoint, pptx, for a talk.",
  });
  expect(selector.decide("my boss loved the slides, thank you").activate).toEqual([]);
});

const WEATHER = {
  weather: "Current conditions and forecasts.",
  "solar-weather": "Monitors solar weather conditions: weather alerts, flares and solar wind.",
};

test.each([
  "what's the weather",
  "what's the weather in Oslo tomorrow",
  "weather tomorrow",
  "show me the weather",
])(
  "%s, which is about the whole name of a skill alone, suggests that one before longer names",
  async (message) => {
    const selector = await open(WEATHER);
    expect(selector.decide(message).suggest[0]?.skill.name).toBe("weather");
  },
);

test.each(["what's a weather", "nice weather today", "how was your weekend"])(
  "%s does not suggest a skill whose name it has in passing",
  async (message) => {
    expect((await open(WEATHER)).decide(message).action).toBe("nothing");
  },
);

test("a skill is not activated for what it says it is not for, whatever its examples say", async () => {
  const description =
    "Finds out why a test fails or times out in CI. Not for production incidents or database outages.";
  const examples = ["the test times out", "timeouts in the suite", "a test times out in CI", "CI timeouts"];
  const selector = await open(
    { "red-test": description },
    {
      bundled: ["red-test"],
      examples: new Map([["red-test", examples.map((message) => ({ message, shouldTrigger: true }))]]),
    },
  );
  expect(selector.decide("the test times out in CI, why does it fail").action).toBe("activate");
  const [first] = selector.select("the test times out in CI, why does it fail in production");
  expect(first?.reasons).toContain("near to what it says it is not for");
  expect(selector.decide("the test times out in CI, why does it fail in production").activate).toEqual([]);
});

test("one word that a description names in passing does not activate a skill, and among many is not worth a suggestion", async () => {
  const models = {
    "model-list": "Lists models with prices and limits: Opus, Sonnet, Haiku, Flash. Use to compare models.",
  };
  expect((await open(models)).decide("write me a haiku").activate).toEqual([]);
  const among = await createSelector([
    ...makeLibrary(400),
    ...Object.entries(models).map(([name, text]) => makeSkill(writeHeader(name, text))),
  ]);
  expect(among.decide("write me a haiku").action).toBe("nothing");
  expect(among.decide("compare the prices of haiku and sonnet models").action).toBe("activate");
});

test("the user's own skill comes before a bundled one that has examples, where it says as much of the message", async () => {
  const examples = ["commit my work", "commit what is staged", "commit the changes I staged", "commit it"];
  const selector = await open(
    {
      "our-commit": "Commits staged changes in our style, with the ticket in the subject.",
      "neat-history": "Splits, squashes and rewords commits. Use when asked to commit staged work.",
    },
    {
      bundled: ["neat-history"],
      examples: new Map([["neat-history", examples.map((message) => ({ message, shouldTrigger: true }))]]),
    },
  );
  const { activate, suggest } = selector.decide("commit what I staged");
  expect([...activate, ...suggest].map(({ skill }) => skill.name)).toEqual(["our-commit", "neat-history"]);
  expect(
    selector.decide("squash and reword the last commits").activate[0]?.skill.name ?? "neat-history",
  ).toBe("neat-history");
});

test("the user's own skill that would be activated comes before a bundled one that is likelier", async () => {
  const messages = ["review my diff before I push", "review the branch before it is pushed"];
  const described = {
    "code-reviewer": "Reviews pull requests and diffs for bugs, security and style. Use for a code review.",
    "review-change":
      "Reviews a diff before it is pushed or merged. Use before a push, for a diff or a branch.",
  };
  const examples = messages.map((message) => ({ message, shouldTrigger: true }));
  const options = { bundled: ["review-change"], examples: new Map([["review-change", examples]]) };
  const selector = await open(described, options);
  const { activate, suggest } = selector.decide("review my diff before I push it");
  expect(activate.map(({ skill }) => skill.name)).toEqual(["code-reviewer"]);
  expect(suggest.map(({ skill }) => skill.name)).toEqual(["review-change"]);
  expect(suggest[0]?.score).toBeLessThanOrEqual(activate[0]?.score ?? 0);
  expect(selector.decide("run $review-change on my diff").activate[0]?.skill.name).toBe("review-change");
});

test("beside the user's own skill that is activated, a bundled one that would not be is not suggested", async () => {
  const described = {
    pdf: "Reads, merges and fills PDF files. Use when the user mentions PDFs.",
    "create-skill":
      "Writes a skill from notes, and merges two skills into one. Use to write or merge skills.",
  };
  const alone = await open(described, { bundled: ["create-skill", "pdf"] });
  const both = await open(described, { bundled: ["create-skill"] });
  const offered = ({ activate, suggest }: ReturnType<typeof both.decide>) =>
    [...activate, ...suggest].map(({ skill }) => skill.name);
  expect(offered(alone.decide("merge these two PDFs into one"))).toEqual(["pdf", "create-skill"]);
  expect(offered(both.decide("merge these two PDFs into one"))).toEqual(["pdf"]);
});

test("everyday words that are the verb and the object of an order find the skill that has both", async () => {
  const selector = await open({ "suite-writer": "Writes tests for a function, with fixtures and mocks." });
  const [first] = selector.decide("write tests for this function").suggest;
  expect(first?.skill.name).toBe("suite-writer");
  expect(selector.decide("these tests were hard to write").action).toBe("nothing");
});

test("a name is meant in any order and form of its words", async () => {
  const selector = await open({ "test-writer": "Covers a module from edge to edge." });
  const { suggest } = selector.decide("write a test");
  expect(suggest[0]?.skill.name).toBe("test-writer");
});

test("a skill that lacks what an order wants done, or what to, is not activated for it", async () => {
  const selector = await open({
    "commit-format": "Formats commit messages by a convention, for each commit.",
  });
  expect(selector.decide("format the commit message").activate[0]?.skill.name).toBe("commit-format");
  expect(selector.decide("encrypt a commit").activate).toEqual([]);
});

test("of two that fit, one whose whole name is said keeps the other from being activated", async () => {
  const convert = { "markdown-converter": "Converts PDF, CSV and Excel files to Markdown." };
  const alone = await open(convert);
  expect(alone.decide("convert this csv to markdown").activate[0]?.skill.name).toBe("markdown-converter");
  const both = await open({ ...convert, excel: "Reads and writes Excel workbooks, also from csv." });
  const { activate, suggest } = both.decide("convert this csv to excel");
  expect(activate).toEqual([]);
  expect(suggest.map(({ skill }) => skill.name)).toContain("excel");
});

test("one word that is a small part of a name does not activate a skill", async () => {
  const selector = await open({ "quokka-sync-helper": "Syncs the quokka folder." });
  expect(selector.decide("quokka").action).toBe("suggest");
  expect((await open({ quokka: "Runs quokka." })).decide("quokka").action).toBe("activate");
});

test("the user's own skill does not pass a bundled one whose sentence is what was asked", async () => {
  const selector = await open(
    {
      "our-style": "Commit messages by our convention. Names changes in the ledger.",
      "neat-history": 'Splits and rewords commits. Use when asked to "commit my changes".',
    },
    {
      bundled: ["neat-history"],
      examples: new Map([["neat-history", [{ message: "commit my changes", shouldTrigger: true }]]]),
    },
  );
  const { activate, suggest } = selector.decide("commit my changes");
  expect([...activate, ...suggest][0]?.skill.name).toBe("neat-history");
});

test("examples that are unsure say nothing against a skill whose name says what is asked for", async () => {
  const wanted = "write the notes for 3.1, changed entries first";
  const examples = ["who writes the changelog here", "explain this changelog", "is the changelog long"];
  const selector = await open(
    { "write-changelog": "Writes the changelog of a release from its commits." },
    {
      bundled: ["write-changelog"],
      examples: new Map([
        [
          "write-changelog",
          [
            { message: wanted, shouldTrigger: true },
            ...examples.map((message) => ({ message, shouldTrigger: false })),
          ],
        ],
      ]),
    },
  );
  expect(selector.decide("write the changelog").activate[0]?.skill.name).toBe("write-changelog");
});

test("a reason says for which word of the message another one stands", async () => {
  const selector = await open({ "web-assets": "Optimises images for the website and strips metadata." });
  const [first] = selector.decide("resize my photos for the website").suggest;
  expect(first?.reasons.join()).toContain('"images" for "photos"');
});

test("endings and particles of Japanese are no evidence", async () => {
  const selector = await open({ scenarios: "予定について書いていく。" });
  expect(selector.decide("写真について教えていく").action).toBe("nothing");
});
