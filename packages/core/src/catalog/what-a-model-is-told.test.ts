import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSkills } from "../open-skills.ts";
import type { Skill } from "../registry/skill.ts";
import { loadAndRender } from "../session/facade.ts";
import type { Session } from "../session/session.ts";
import { catalogIn } from "../session/testing/unwrap.ts";
import { MemorySource } from "../source/memory-source.ts";
import { skillGuidance } from "./catalog-guidance.ts";
import { CATALOG_FORMATS, type Catalog, type CatalogFormat, createCatalog } from "./create-catalog.ts";
import { arbitraryOptions, arbitrarySkills } from "./testing/arbitrary-catalog.ts";
import { makeSkill } from "./testing/make-skill.ts";
import { readCatalogXml } from "./testing/read-catalog-xml.ts";

describe("guidance", () => {
  test.each(CATALOG_FORMATS)(
    "%s: match, load, follow; no authority; files when needed; /name or asking",
    (format) => {
      const { text } = createCatalog([makeSkill()], { format });
      expect(text).toMatch(/task matches a skill, .* by name or as \/name, load it .* and follow it\./);
      expect(text).toContain("Skills are guidance, not authority: policy and the user come first");
      expect(text).toContain("Read a skill's other files only when you need them.");
      const plain = createCatalog([makeSkill()], { format, guidance: "none" });
      const tokens = createCatalog([makeSkill()], { format }).tokens - plain.tokens;
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThan(80);
      expect(plain.text).not.toContain("guidance, not authority");
    },
  );

  test("a model that reads files itself is told to read, one with a tool of another name is told that name", () => {
    const guidance = (given: "read" | { toolName: string }, format: CatalogFormat = "xml"): string =>
      createCatalog([makeSkill()], { format, guidance: given }).text;
    expect(guidance("read")).toContain("read its SKILL.md first and follow it");
    expect(guidance("read")).not.toContain("load_skill");
    expect(guidance({ toolName: "use_skill" })).toContain("load it with use_skill first");
    expect(guidance({ toolName: "use_skill" }, "markdown")).toContain("load it with `use_skill` first");
    expect(guidance("read", "tool")).toContain("load it with this tool first");
  });

  test("the section of a prompt made from a source alone tells the model to read the files", async () => {
    const source = new MemorySource({ "pdf/SKILL.md": "---\nname: pdf\ndescription: Fills.\n---\nFill.\n" });
    expect(await loadAndRender(source)).toContain("read its SKILL.md first and follow it");
  });

  test("is the same before every list, so that a prompt cache keeps it", () => {
    const text = (name: string): string => createCatalog([makeSkill({ name })]).text;
    const end = text("pdf").indexOf("<available_skills>");
    expect(text("notes").slice(0, end)).toBe(text("pdf").slice(0, end));
  });

  test.each(CATALOG_FORMATS)("without skills there is none (%s)", (format) => {
    expect(createCatalog([], { format }).text).toBe("");
    expect(skillGuidance(createCatalog([], { format }))).toBeUndefined();
  });

  test("is a text of its own for a system prompt, which can say that use is recorded", () => {
    const catalog = createCatalog([makeSkill()], { guidance: "none" });
    expect(skillGuidance(catalog)).toMatch(
      /load it with load_skill first .* Skills are guidance, not authority/,
    );
    expect(skillGuidance(catalog, { guidance: "read" })).toContain("read its SKILL.md first");
    expect(skillGuidance(catalog)).not.toContain("recorded");
    expect(skillGuidance(catalog, { recorded: true })).toContain("recorded");
  });

  test("guidance that does not exist is refused", () => {
    expect(() => createCatalog([makeSkill()], { guidance: "loud" as never })).toThrow(/guidance/);
  });

  test("after a compaction a model is guided as before", async () => {
    const session = await sessionOf("---\nname: pdf\ndescription: Fills.\n---\nFill.\n");
    expect((await session.compact()).text).toContain("load_skill");
    session.catalog({ guidance: "read" });
    expect((await session.compact()).text).toContain("read its SKILL.md");
    expect((await session.compact()).text).not.toContain("load_skill");
  });
});

test("the compact form of XML has each value on the line of its tags, and no skill can begin a line", () => {
  const skills = [
    makeSkill({ name: "my-skill", path: "/a&b/SKILL.md", manifest: { description: "One\ntwo <x>." } }),
    makeSkill({ name: "a\nb", path: "/a\u2028b" }),
  ];
  expect(createCatalog(skills, { format: "xml-compact", guidance: "none" }).text).toBe(`<available_skills>
<skill>
<name>my-skill</name>
<description>One two &lt;x&gt;.</description>
<location>/a&amp;b/SKILL.md</location>
</skill>
<skill>
<name>a&#xA;b</name>
<description>Fills forms.</description>
<location>/a&#x2028;b</location>
</skill>
</available_skills>`);
});

describe("when not everything fits", () => {
  const hundred = library(100, 1000);

  test.each(CATALOG_FORMATS)(
    "all of 100 skills with long descriptions are named by default (%s)",
    (format) => {
      const { text, report } = createCatalog(hundred, { format });
      expect(report.omitted).toBe(0);
      for (const { name } of hundred) expect(text).toContain(name);
      expect(text.length).toBeLessThanOrEqual(8000);
    },
  );

  test("locations go before anything of a description does", () => {
    const { characters } = createCatalog(hundred, { budget: "unlimited" });
    const { text, report } = createCatalog(hundred, { budget: { characters: characters - 1 } });
    expect(report).toMatchObject({ shown: 100, cut: 0, leftOut: ["locations"] });
    expect(readCatalogXml(text).entries.filter(({ location }) => location !== undefined)).toEqual([]);
  });

  test.each(["read", "none"] as const)(
    "for a model that may need them, locations go last (%s)",
    (guidance) => {
      const short = createCatalog(hundred, { guidance, budget: { characters: 20_000 } });
      expect(short.report).toMatchObject({ omitted: 0, leftOut: [] });
      expect(readCatalogXml(short.text).entries.map(({ location }) => location)).toEqual(
        hundred.map(({ path }) => path),
      );
      const shorter = createCatalog(hundred, { guidance });
      expect(shorter.report).toMatchObject({ omitted: 0, leftOut: ["locations"] });
    },
  );

  test("then descriptions go, and a skill is omitted only when no description is left", () => {
    const { text, report } = createCatalog(library(400, 1000));
    const { entries, note } = readCatalogXml(text);
    expect(entries.length).toBeGreaterThan(150);
    expect(entries.filter(({ description }) => description !== undefined)).toEqual([]);
    expect(note).toBe(
      `${400 - entries.length} more skills are not listed here. The user can name the one to use.`,
    );
    expect(report.omitted).toBe(400 - entries.length);
    expect(text).toContain("guidance, not authority");
  });

  test("guidance goes before a skill does", () => {
    const { text, report } = createCatalog(library(5, 0), { budget: { characters: 400 } });
    expect(report).toMatchObject({ omitted: 0, leftOut: ["locations", "guidance"] });
    expect(text).not.toContain("authority");
  });

  test("what is omitted can be searched for where the session has the tool", async () => {
    const session = await sessionOf(...library(400, 100).map(({ name }) => header(name)));
    const { text } = await catalogIn(session.prompt(["Hello there, friends of pdf."]));
    expect(text).toMatch(/\d+ more skills are not listed here\. Find what you need with search_skills/);
  });

  test("an endless path costs its own entry the location, not the others theirs", () => {
    const skills = [...library(3, 50), makeSkill({ name: "greedy", path: `/${"x".repeat(4000)}` })];
    const { text } = createCatalog(skills, { guidance: "read", budget: { characters: 3000 } });
    expect(readCatalogXml(text).entries.map(({ location }) => location)).toEqual([
      ...library(3, 50).map(({ path }) => path),
      undefined,
    ]);
  });

  test("an endless name costs the others neither their places nor their descriptions", () => {
    const skills = [...library(20, 50), makeSkill({ name: "x".repeat(8000) })];
    const { report } = createCatalog(skills);
    expect(report).toMatchObject({ shown: 20, omitted: 1 });
  });

  test("whatever the library and the budget, every skill is named or counted, and the budget is kept", () => {
    fc.assert(
      fc.property(
        arbitrarySkills,
        arbitraryOptions,
        fc.oneof(fc.nat(600), fc.nat(9000)),
        fc.nat(50),
        (skills, options, characters, unlisted) => {
          const catalog = createCatalog(skills, { ...options, budget: { characters }, unlisted });
          expect(catalog.text.length).toBeLessThanOrEqual(characters);
          const named = catalog.report.skills.filter(({ outcome }) => outcome !== "omitted").length;
          expect(named + catalog.report.omitted).toBe(skills.length + unlisted);
          const counted = countOmitted(catalog);
          if (catalog.text === "") expect(named).toBe(0);
          else expect(named + counted).toBe(skills.length + unlisted);
          // Nothing at all is said only where there is no room for saying how many there are.
          if (catalog.text === "" && skills.length + unlisted > 0) expect(characters).toBeLessThan(300);
        },
      ),
    );
  });
});

describe("marks", () => {
  test.each(CATALOG_FORMATS)("compatibility is told with the description (%s)", (format) => {
    const skill = makeSkill({ manifest: { compatibility: "Needs git <2>\u200b." } });
    const { text } = createCatalog([skill], { format });
    expect(text).toContain("Fills forms. Compatibility: Needs git ");
    expect(text).not.toContain("git <2>");
    expect(text).not.toContain("\u200b");
  });

  test.each([
    ["xml", "<name>\nown\n</name>\n<invocation>\nuser-only\n</invocation>"],
    ["xml-compact", "<name>own</name>\n<invocation>user-only</invocation>"],
    ["markdown", "- `own` (user-only, `"],
    ["tool", "- `own` (user-only): For people."],
    ["json", '{"name":"own","invocation":"user-only",'],
  ] as const)(
    "a skill that only the user can start is marked where the host lists it (%s)",
    async (format, mark) => {
      const session = await sessionOf(
        "---\nname: own\ndescription: For people.\ndisable-model-invocation: true\n---\nX\n",
        "---\nname: off\ndescription: Off.\ndisable-model-invocation: true\nuser-invocable: false\n---\nX\n",
        "---\nname: pdf\ndescription: Fills.\n---\nX\n",
      );
      expect(session.catalog({ format }).text).not.toContain("own");
      const { text, report } = session.catalog({ format, userOnly: true });
      expect(text).toContain(mark);
      expect(text.match(/user-only/g)).toHaveLength(1);
      expect(report.hidden.map(({ skill }) => skill.name)).toEqual(["off"]);
    },
  );
});

function library(size: number, descriptionLength: number): readonly Skill[] {
  return Array.from({ length: size }, (_, index) => {
    const name = `skill-${String(index).padStart(3, "0")}`;
    const path = `/home/ann/.skillet/skills/${name}/SKILL.md`;
    return makeSkill({ name, path, manifest: { description: "word ".repeat(descriptionLength / 5) } });
  });
}

function header(name: string): string {
  return `---\nname: ${name}\ndescription: Does ${name}. ${"word ".repeat(30)}\n---\nX\n`;
}

async function sessionOf(...texts: readonly string[]): Promise<Session> {
  const files = texts.map((text) => [`${/name: (\S+)/.exec(text)?.[1]}/SKILL.md`, text] as const);
  const source = new MemorySource(Object.fromEntries(files));
  return (await openSkills({ roots: [], sources: [source] })).session();
}

function countOmitted({ text }: Catalog): number {
  return Number(/[\n">](\d+) more skills? (?:is|are) not listed here\. /.exec(text)?.[1] ?? 0);
}
