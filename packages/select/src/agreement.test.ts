import { expect, test } from "vitest";
import { createSelector } from "./create-selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "./testing/make-skill.ts";

const open = (described: Readonly<Record<string, string>>, count = 12) =>
  createSelector([
    ...makeLibrary(count),
    ...Object.entries(described).map(([name, description]) => makeSkill(writeHeader(name, description))),
  ]);

test("short words count where one sentence has nearly all of a message: that is worth a suggestion", async () => {
  const selector = await open({
    heartbeat: "Asks a server for its start page. Use whenever somebody wonders whether a site is up.",
  });
  const { activate, suggest } = selector.decide("is my site up?");
  expect([activate.length, suggest[0]?.skill.name]).toEqual([0, "heartbeat"]);
  // An address is a site, whatever it is called.
  for (const message of ["is https://example.com up?", "is www.example.com/start?page=1 up?"])
    expect(selector.decide(message).suggest[0]?.skill.name, message).toBe("heartbeat");
  for (const message of ["what's up?", "my site is on the second page", "is it up to me?"])
    expect(selector.decide(message).action, message).toBe("nothing");
});

test("a skill that makes the reverse of what an order wants is suggested at most, after one that makes just that", async () => {
  const selector = await open({
    "epub-to-docx": "Converts EPUB files to editable Word documents.",
    "docx-to-epub": "Converts Word documents to EPUB, with a cover.",
  });
  const named = (message: string) => selector.decide(message).activate.map(({ skill }) => skill.name);
  expect(named("convert this epub to a word document")).toEqual(["epub-to-docx"]);
  expect(named("convert this word document to epub")).not.toContain("epub-to-docx");
  expect(selector.select("convert this word document to epub")[0]?.skill.name).toBe("docx-to-epub");
});

test("a skill that only takes what an order wants made is not activated for it, and comes after one that makes it", async () => {
  const selector = await open({
    "to-markdown":
      "Converts files. Use when converting Word (.docx), Excel (.xlsx), CSV or HTML to Markdown.",
    workbooks: "Reads and edits Excel files (.xlsx), merges sheets, and exports to CSV.",
  });
  const named = (message: string) => selector.select(message).map(({ skill }) => skill.name);
  const { activate } = selector.decide("convert budget.xlsx to csv");
  expect(activate.map(({ skill }) => skill.name)).not.toContain("to-markdown");
  expect(named("convert budget.xlsx to csv")[0]).toBe("workbooks");
  expect(named("convert budget.xlsx to markdown")[0]).toBe("to-markdown");
});

test("a skill that lacks what an order is about is not activated beside one that is named after it", async () => {
  const described = {
    "page-texts":
      "Writes and improves texts of any page: landing page, pricing page. Use to improve a landing page.",
    "seo-check": "Checks how search engines find a page. Use for SEO of any page, sitemaps and meta tags.",
  };
  const message = "improve the SEO of my landing page";
  const { activate, suggest } = (await open(described)).decide(message);
  expect(activate.map(({ skill }) => skill.name)).not.toContain("page-texts");
  expect(suggest.map(({ skill }) => skill.name)).toContain("seo-check");
});

test("a place that only instructions mention does not keep a skill whose name is the rest from being found", async () => {
  const selector = await createSelector(
    [
      ...makeLibrary(400),
      makeSkill(writeHeader("weather", "Current conditions and forecasts.")),
      makeSkill(writeHeader("quiz-cards", "Asks questions from notes and keeps the score.")),
    ],
    { readBody: ({ name }) => (name === "quiz-cards" ? "Capital of Portugal? Lisbon, by its weather." : "") },
  );
  expect(selector.decide("weather in Lisbon").suggest[0]?.skill.name).toBe("weather");
});

test("a Chinese order activates no skill without its verb", async () => {
  const selector = await open({
    "clip-saver": 'Downloads videos from "YouTube". Use for 下载视频, 保存视频, 这个视频.',
  });
  expect(selector.decide("下载这个YouTube视频").action).toBe("activate");
  expect(selector.decide("帮我总结这个YouTube视频").activate).toEqual([]);
});

test("nothing is activated where another skill is about as near", async () => {
  const twins = {
    "fair-press": "Prints poems as a chapbook with woodcuts, for spring fairs in small towns.",
    "school-press": "For libraries and schools: prints poems as a chapbook with woodcuts.",
  };
  const message = "print my poems as a chapbook with woodcuts";
  const { "fair-press": alone } = twins;
  expect((await open({ "fair-press": alone })).decide(message).action).toBe("activate");
  const { activate, suggest } = (await open(twins)).decide(message);
  expect([activate.length, suggest.length]).toEqual([0, 2]);
});

test("one word of a longer phrase, such as a place, is not worth a suggestion among many skills", async () => {
  const selector = await open({ "plane-watch": 'Follows planes. Use for "hamburg to oslo tomorrow".' }, 400);
  expect(selector.decide("wie wird das Wetter in Hamburg?").action).toBe("nothing");
  expect(selector.decide("hamburg to oslo tomorrow").action).not.toBe("nothing");
});
