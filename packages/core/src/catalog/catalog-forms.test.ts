import { removeHidden } from "@skillet/kit/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSkill as parseSkillFrom, writeHeader } from "../../../select/src/testing/make-skill.ts";
import type { Skill } from "../registry/skill.ts";
import { catalogEntry, escapeXml } from "./catalog-forms.ts";
import { createCatalog } from "./create-catalog.ts";
import { arbitraryOptions, arbitrarySkills, arbitraryText } from "./testing/arbitrary-catalog.ts";
import { makeSkill } from "./testing/make-skill.ts";
import { readCatalogXml } from "./testing/read-catalog-xml.ts";

// What XML cannot carry; a reader gets U+FFFD in its place.
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

describe("for any names, descriptions and paths", () => {
  test("the unbudgeted XML form parses back to exactly the entries", () => {
    fc.assert(
      fc.property(arbitrarySkills, (skills) => {
        const { text } = createCatalog(skills, { budget: "unlimited" });
        const carried = (value: string): string => value.replace(NOT_XML, "\ufffd");
        expect(readCatalogXml(text)).toEqual({
          entries: entriesOf(skills).map(({ name, description, location }) => ({
            name: carried(name),
            description: carried(description),
            location: carried(location),
          })),
        });
      }),
    );
  });

  test("the unbudgeted JSON form parses back to exactly the entries, and has a line for each", () => {
    fc.assert(
      fc.property(arbitrarySkills, (skills) => {
        fc.pre(skills.length > 0);
        const { text } = createCatalog(skills, { format: "json", guidance: "none", budget: "unlimited" });
        expect(JSON.parse(text)).toEqual(entriesOf(skills));
        expect(text.split(/[\r\n\u0085\u2028\u2029]/)).toHaveLength(skills.length + 2);
        expect(text).not.toContain("<");
      }),
    );
  });

  test("under a budget, XML and JSON still parse, and say what the report says", () => {
    fc.assert(
      fc.property(arbitrarySkills, fc.integer({ min: 0, max: 9000 }), (skills, characters) => {
        const budget = { characters };
        const xml = createCatalog(skills, { budget });
        const read = readCatalogXml(xml.text);
        expect(read.entries.map(({ description }) => countShown(description))).toEqual(shownOf(xml));
        expect(read.note === undefined).toBe(xml.text === "" || xml.report.omitted === 0);

        const json = createCatalog(skills, { budget, format: "json" });
        const list: { name?: string; description?: string; omitted?: number }[] = JSON.parse(
          json.text || "[]",
        );
        const entries = list.filter(({ name }) => name !== undefined);
        expect(entries.map(({ description }) => countShown(description))).toEqual(shownOf(json));
        expect(list.at(-1)?.omitted ?? 0).toBe(json.text === "" ? 0 : json.report.omitted);
      }),
    );
  });

  test("a Markdown list has one line a skill, with two code spans and nothing else that is markup", () => {
    fc.assert(
      fc.property(arbitrarySkills, (skills) => {
        fc.pre(skills.length > 0);
        const { text } = createCatalog(skills, { format: "markdown", guidance: "none", budget: "unlimited" });
        const [heading, blank, ...lines] = text.split(/[\r\n\u0085\u2028\u2029\v\f]/);
        expect([heading, blank]).toEqual(["## Available skills", ""]);
        expect(lines.map(readMarkdownLine)).toEqual(
          entriesOf(skills).map(({ name, location, description }) => ({
            name: onOneLine(name),
            location: onOneLine(location),
            description: whole(description)
              .replace(/[\s\p{Cc}]+/gu, " ")
              .trim(),
          })),
        );
      }),
    );
  });

  test("no form lets a skill begin a line of its own, whatever the budget", () => {
    fc.assert(
      fc.property(arbitraryText, arbitraryOptions, (text, options) => {
        const hostile = makeSkill({ name: text, path: text, manifest: { description: text } });
        const plain = makeSkill({ name: "x", path: "x", manifest: { description: "x" } });
        const linesOf = (skill: Skill): number =>
          createCatalog([skill], { ...options, budget: "unlimited" }).text.split(/[\n\r\u0085\u2028\u2029]/)
            .length;
        if (options.format === "xml") return;
        expect(linesOf(hostile)).toBe(linesOf(plain));
      }),
    );
  });
});

function entriesOf(skills: readonly Skill[]): { name: string; description: string; location: string }[] {
  return skills.map(({ qualifiedName, manifest, path }) => ({
    name: qualifiedName,
    description: removeHidden(manifest.description),
    location: path,
  }));
}

/** How many code points of a description are shown, without the ellipsis where there is one. */
function shownOf({ report }: ReturnType<typeof createCatalog>): (number | undefined)[] {
  return report.skills
    .filter(({ outcome }) => outcome !== "omitted")
    .map(({ outcome, kept }) =>
      outcome === "name-only" ? undefined : outcome === "shown" ? kept : kept + 1,
    );
}

function countShown(description: string | undefined): number | undefined {
  return description === undefined ? undefined : Array.from(description).length;
}

/** Reads `- `name` (`location`): description` as CommonMark does. */
function readMarkdownLine(line: string): { name: string; location: string; description: string } {
  const name = readSpan(line, "- ".length);
  const location = readSpan(line, name.end + " (".length);
  expect(
    line.slice(0, 2) + line.slice(name.end, name.end + 2) + line.slice(location.end, location.end + 3),
  ).toBe("-  (): ");
  const escaped = line.slice(location.end + "): ".length);
  const description = escaped.replace(/\\([!-/:-@[-`{-~])/g, "$1");
  expect(escaped.replace(/\\[!-/:-@[-`{-~]/g, "")).not.toMatch(/[\\`*_~[\]<>]/);
  return { name: name.content, location: location.content, description };
}

function readSpan(line: string, start: number): { content: string; end: number } {
  const fence = /^`+/.exec(line.slice(start))?.[0] ?? "";
  expect(fence).not.toBe("");
  const from = start + fence.length;
  const closing = new RegExp(`(?<!\`)${fence}(?!\`)`, "g");
  closing.lastIndex = from;
  const end = closing.exec(line)?.index ?? Number.NaN;
  const content = line.slice(from, end);
  const isPadded = /^ .*[^ ].* $/u.test(content);
  return { content: isPadded ? content.slice(1, -1) : content, end: end + fence.length };
}

/** Names and paths keep every character but those that break lines, control something or are half a pair. */
function onOneLine(text: string): string {
  const shown = whole(text).replace(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
  // Markdown has no empty code spans, and takes nothing off those that are all spaces.
  return /^ *$/.test(shown) ? ` ${shown} ` : shown;
}

function whole(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

test("what a model is told about a skill holds nothing that a reader would not see", () => {
  const skill = parseSkillFrom(
    writeHeader("bees", "Keeps honey bees\u{E0049}\u{E0047}\u{E004E}\u202e and hives.", [
      `when_to_use: ${JSON.stringify("When mites\u200b come.")}`,
    ]),
  );
  expect(catalogEntry(skill).description).toBe("Keeps honey bees and hives. When mites come.");
});

test("joiners that shape what is seen, line ends and other scripts stay", () => {
  const text = "Zählt 👩‍🔬 und نامه‌ها.";
  expect(catalogEntry(parseSkillFrom(writeHeader("counts", text))).description).toBe(text);
});

test("markup is escaped, and text without any stays as it is", () => {
  expect(escapeXml(`</name> & "x" 'y'`)).toBe("&lt;/name&gt; &amp; &quot;x&quot; &#x27;y&#x27;");
  expect(escapeXml("Größe 漢字 🧀\n\tindented\n")).toBe("Größe 漢字 🧀\n\tindented\n");
});

test("a carriage return is written as a reference, because readers change bare ones", () => {
  expect(escapeXml("one\r\ntwo\r")).toBe("one&#xD;\ntwo&#xD;");
});

test("characters that XML does not allow, half a pair among them, become the replacement character", () => {
  expect(escapeXml("a\0b\x07c\x1b[2Jd\ufffee\uffff")).toBe("a\ufffdb\ufffdc\ufffd[2Jd\ufffde\ufffd");
  expect(escapeXml("\ud83e and \uddc0, but 🧀")).toBe("\ufffd and \ufffd, but 🧀");
});
