import { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import type { Skill } from "../registry/skill.ts";
import { CATALOG_FORMATS, type CatalogFormat, catalogDiff, createCatalog } from "./create-catalog.ts";
import { makeSkill } from "./testing/make-skill.ts";
import { readCatalogXml } from "./testing/read-catalog-xml.ts";

/** Of what stands before a list in a tool's description, with guidance and without. */
const TOOL = "Loads the instructions of a skill by its name.";

describe("without a budget", () => {
  const unlimited = { budget: "unlimited", guidance: "none" } as const;
  const skills = [
    makeSkill({
      name: "my-skill",
      path: "/abs/my-skill/SKILL.md",
      manifest: { description: `Use <x> & 'y' "z"` },
    }),
    makeSkill({
      name: "pdf",
      path: "/abs/it's/SKILL.md",
      manifest: { description: "Two\nlines.", whenToUse: "Often." },
    }),
  ];

  test("XML is the reference form, with the path escaped too", () => {
    const { text, tokens, characters } = createCatalog(skills, unlimited);
    expect(text).toBe(`<available_skills>
<skill>
<name>
my-skill
</name>
<description>
Use &lt;x&gt; &amp; &#x27;y&#x27; &quot;z&quot;
</description>
<location>
/abs/my-skill/SKILL.md
</location>
</skill>
<skill>
<name>
pdf
</name>
<description>
Two
lines. Often.
</description>
<location>
/abs/it&#x27;s/SKILL.md
</location>
</skill>
</available_skills>`);
    expect({ tokens, characters }).toEqual({ tokens: Math.ceil(text.length / 4), characters: text.length });
  });

  test("Markdown has one line a skill, and a tool's description has no paths", () => {
    expect(createCatalog(skills, { format: "markdown", ...unlimited }).text).toBe(
      `## Available skills

- \`my-skill\` (\`/abs/my-skill/SKILL.md\`): Use \\<x\\> & 'y' "z"
- \`pdf\` (\`/abs/it's/SKILL.md\`): Two lines. Often.`,
    );
    expect(createCatalog(skills, { format: "tool", ...unlimited }).text).toBe(`${TOOL}

- \`my-skill\`: Use \\<x\\> & 'y' "z"
- \`pdf\`: Two lines. Often.`);
  });

  test("JSON is a list of entries, one on a line, and cannot close the tags that it is put between", () => {
    const { text } = createCatalog(skills, { format: "json", ...unlimited });
    expect(text).toBe(`[
{"name":"my-skill","description":"Use \\u003cx> & 'y' \\"z\\"","location":"/abs/my-skill/SKILL.md"},
{"name":"pdf","description":"Two\\nlines. Often.","location":"/abs/it's/SKILL.md"}
]`);
  });

  test.each(CATALOG_FORMATS)("no skills are no text at all (%s)", (format) => {
    expect(createCatalog([], { format })).toEqual({
      text: "",
      tokens: 0,
      characters: 0,
      report: {
        total: 0,
        shown: 0,
        shortened: 0,
        nameOnly: 0,
        omitted: 0,
        kept: 0,
        cut: 0,
        leftOut: [],
        skills: [],
        hidden: [],
      },
    });
    expect(createCatalog([], { format, budget: "unlimited" }).text).toBe("");
  });
});

describe("within a budget", () => {
  const skills = [library("alpha", 300), library("beta", 20), library("gamma", 300)];

  test("what fits is whole", () => {
    const { text, report } = createCatalog(skills, { format: "tool" });
    expect(text).toBe(createCatalog(skills, { format: "tool", budget: "unlimited" }).text);
    expect(report).toMatchObject({ total: 3, shown: 3, kept: 620, cut: 0 });
  });

  test("descriptions share what names leave, all alike", () => {
    const given = { format: "tool", guidance: "none" } as const;
    const { characters } = createCatalog(skills, { ...given, budget: "unlimited" });
    const { text, report } = createCatalog(skills, { ...given, budget: { characters: characters - 297 } });
    expect(text).toBe(`${TOOL}

- \`alpha\`: ${"a".repeat(150)}…
- \`beta\`: ${"b".repeat(20)}
- \`gamma\`: ${"g".repeat(150)}…`);
    expect(report).toEqual({
      total: 3,
      shown: 1,
      shortened: 2,
      nameOnly: 0,
      omitted: 0,
      kept: 320,
      cut: 300,
      leftOut: [],
      skills: [
        { name: "alpha", outcome: "shortened", kept: 150, cut: 150 },
        { name: "beta", outcome: "shown", kept: 20, cut: 0 },
        { name: "gamma", outcome: "shortened", kept: 150, cut: 150 },
      ],
      hidden: [],
    });
  });

  test("where shares would be too short to be of use, the most valuable skills get usable ones", () => {
    const rank = { preferred: ["gamma"] };
    const budget = { characters: 200 };
    const { text, report } = createCatalog(skills, { format: "tool", guidance: "none", budget, rank });
    expect(text).toBe(`${TOOL}

- \`alpha\`
- \`beta\`
- \`gamma\`: ${"g".repeat(121)}…`);
    expect(report.skills.map(({ outcome }) => outcome)).toEqual(["name-only", "name-only", "shortened"]);
  });

  test("where not even that is possible, there are names alone", () => {
    const given = { format: "markdown", guidance: "none" } as const;
    expect(createCatalog(skills, { ...given, budget: { characters: 50 } }).text).toBe(
      "## Available skills\n\n- `alpha`\n- `beta`\n- `gamma`",
    );
    const { text } = createCatalog(skills, { ...given, budget: { characters: 130 } });
    expect(text).toBe(`## Available skills

- \`alpha\` (\`/skills/alpha/SKILL.md\`)
- \`beta\` (\`/skills/beta/SKILL.md\`)
- \`gamma\` (\`/skills/gamma/SKILL.md\`)`);
  });

  test("when names do not fit, the most valuable names are kept, and the rest is counted", () => {
    const many = Array.from({ length: 40 }, (_, index) => library(`skill-${index}`, 200));
    const options = {
      format: "markdown",
      guidance: "none",
      budget: { characters: 182 },
      rank: { preferred: ["skill-30", "skill-7"] },
    } as const;
    const { text, report } = createCatalog(many, { ...options, search: { toolName: "search_skills" } });
    expect(text).toBe(`## Available skills

- \`skill-0\`
- \`skill-7\`
- \`skill-30\`

37 more skills are not listed here. Find what you need with \`search_skills\`: a few words about the task are enough.`);
    expect(report).toMatchObject({ total: 40, shown: 0, shortened: 0, nameOnly: 3, omitted: 37 });
  });

  test("the note is the last line of every form, and names a tool only where there is one", () => {
    const many = Array.from({ length: 40 }, (_, index) => library(`skill-${index}`, 200));
    const last = (format: CatalogFormat, search?: { toolName: string }): string | undefined =>
      createCatalog(many, {
        format,
        budget: { characters: 500 },
        ...(search === undefined ? {} : { search }),
      })
        .text.split("\n")
        .findLast((line) => line.includes("not listed"))
        ?.replace(/[23]\d/g, "N");
    const alone = "N more skills are not listed here. The user can name the one to use.";
    expect(last("xml")).toBe(alone);
    expect(last("xml", { toolName: "a&b" })).toBe(
      "N more skills are not listed here. Find what you need with a&amp;b: a few words about the task are enough.",
    );
    expect(last("markdown")).toBe(alone);
    expect(last("tool")).toBe(alone);
    expect(last("json")).toBe(`{"omitted":N,"note":"${alone}"}`);
  });

  test("one skill that is left out is counted in the singular", () => {
    const two = [library("near", 100), makeSkill({ name: "far".repeat(300) })];
    expect(createCatalog(two, { format: "markdown", budget: { characters: 400 } }).text).toMatch(
      /\n1 more skill is not listed here\. /,
    );
  });

  test("a budget too small for any skill leaves the note, and one too small for that leaves nothing", () => {
    const long = skills.map((skill) => ({ ...skill, qualifiedName: skill.name.repeat(50) }));
    const note = createCatalog(long, { format: "markdown", budget: { characters: 100 } });
    expect(note.text).toBe(
      "## Available skills\n\n\n3 more skills are not listed here. The user can name the one to use.",
    );
    expect(note.report).toMatchObject({ omitted: 3, cut: 620 });
    expect(createCatalog(long, { format: "markdown", budget: { characters: 80 } })).toMatchObject({
      text: "",
      tokens: 0,
      report: { total: 3, omitted: 3, cut: 620 },
    });
  });

  test("where nothing but a name and the note fit, it is the most valuable name", () => {
    const rank = { preferred: ["beta"] };
    const named = skills.map((skill) => ({ ...skill, qualifiedName: skill.name.repeat(9) }));
    const { text, report } = createCatalog(named, { format: "json", budget: { characters: 160 }, rank });
    expect(JSON.parse(text)).toEqual([
      { name: "beta".repeat(9) },
      { omitted: 2, note: "2 more skills are not listed here. The user can name the one to use." },
    ]);
    expect(report.skills.map(({ outcome }) => outcome)).toEqual(["omitted", "name-only", "omitted"]);
  });

  test("a skill with an endless name does not push out the others, not even when it is preferred", () => {
    const greedy = makeSkill({ name: "greedy".repeat(1000) });
    const rest = Array.from({ length: 20 }, (_, index) => library(`skill-${index}`, 100));
    const rank = { preferred: [greedy.name] };
    const { report } = createCatalog([greedy, ...rest], { budget: { characters: 3000 }, rank });
    expect(report.omitted).toBe(1);
    expect(report.skills[0]?.outcome).toBe("omitted");
    expect(report.shown + report.shortened).toBeGreaterThan(10);
    const { report: less } = createCatalog([greedy, ...rest], { budget: { characters: 700 }, rank });
    expect(less.nameOnly).toBeGreaterThan(3);
    expect(less.skills[0]?.outcome).toBe("omitted");
  });

  test("no description is shown beyond 1,536 code points, unless there is no budget at all", () => {
    const long = [library("long", 5000)];
    expect(createCatalog(long, { budget: { characters: 100_000 } }).report.skills).toEqual([
      { name: "long", outcome: "shortened", kept: 1536, cut: 3464 },
    ]);
    expect(createCatalog(long, { budget: "unlimited" }).report.cut).toBe(0);
  });

  test("the default is 8,000 characters, and 2 % of a context window", () => {
    const many = Array.from({ length: 150 }, (_, index) => library(`skill-${index}`, 600));
    const used = (budget?: { contextWindow: number }): [characters: number, tokens: number] => {
      const { characters, tokens } = createCatalog(many, budget === undefined ? {} : { budget });
      return [characters, tokens];
    };
    expect(used()[0]).toBeGreaterThan(7900);
    expect(used()[0]).toBeLessThanOrEqual(8000);
    for (const [contextWindow, most] of [
      [100_000, 2000],
      [400_000, 8000],
    ] as const) {
      expect(used({ contextWindow })[1]).toBeGreaterThan(most * 0.98);
      expect(used({ contextWindow })[1]).toBeLessThanOrEqual(most);
    }
    expect(used({ contextWindow: 10 })).toEqual([0, 0]);
  });

  test("text in other scripts takes more tokens than characters over four", () => {
    const chinese = Array.from({ length: 20 }, (_, index) =>
      makeSkill({ name: `skill-${index}`, manifest: { description: "填写表格".repeat(50) } }),
    );
    const { text, tokens } = createCatalog(chinese, { budget: { tokens: 1500 } });
    expect(tokens).toBe(Math.ceil(Buffer.byteLength(text) / 4));
    expect(tokens).toBeLessThanOrEqual(1500);
    expect(text.length).toBeLessThan(1500 * 3);
  });

  test("a host's own count of tokens is kept to, with little room lost", () => {
    const many = Array.from({ length: 60 }, (_, index) => library(`skill-${index}`, 200));
    const countTokens = (text: string): number => text.split(/[^a-z]/).length;
    const { tokens, text } = createCatalog(many, { budget: { tokens: 900 }, countTokens });
    expect(tokens).toBe(countTokens(text));
    expect(tokens).toBeLessThanOrEqual(900);
    expect(tokens).toBeGreaterThan(850);
    const roomy = createCatalog(many, { budget: { tokens: 1e9 }, countTokens });
    expect(roomy.text).toBe(createCatalog(many, { budget: "unlimited" }).text);
  });

  test.each([-1, Number.NaN])("a budget of %s is refused, and so is such a count", (amount) => {
    for (const budget of [{ tokens: amount }, { characters: amount }, { contextWindow: amount }])
      expect(codeOf(() => createCatalog(skills, { budget }))).toBe("invalid-budget");
    expect(codeOf(() => createCatalog(skills, { budget: { tokens: 9 }, countTokens: () => amount }))).toBe(
      "invalid-token-count",
    );
  });
});

/** A skill whose description is so many times the first letter of its name. */
function library(name: string, length: number): Skill {
  return makeSkill({ name, manifest: { description: name.slice(0, 1).repeat(length) } });
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (SkilletError.isInstance(error)) return error.code;
    throw error;
  }
  return undefined;
}

describe("skills beyond those given", () => {
  const skills = ["alpha", "beta"].map((name) => makeSkill({ name, manifest: { description: "Does it." } }));

  test.each([{ characters: 8000 }, { tokens: 2000 }, "unlimited"] as const)(
    "are counted by the note, also where all that were given fit: %j",
    (budget) => {
      const { text, report } = createCatalog(skills, { budget, unlisted: 40, search: { toolName: "find" } });
      expect(readCatalogXml(text).entries).toHaveLength(2);
      expect(readCatalogXml(text).note).toMatch(/^40 more skills are not listed here\. Find .* find:/);
      expect(report).toMatchObject({ total: 42, shown: 2, omitted: 40 });
      expect(report.skills).toHaveLength(2);
    },
  );

  test.each([{ characters: 8000 }, { tokens: 2000 }])(
    "are counted also where no skill is given: %j",
    (budget) => {
      const countTokens = (text: string): number => text.length / 4;
      const { text, report } = createCatalog([], { budget, countTokens, unlisted: 40 });
      expect(readCatalogXml(text)).toEqual({ entries: [], note: expect.stringMatching(/^40 more/) });
      expect(report).toMatchObject({ omitted: 40, leftOut: [] });
    },
  );

  test("are counted together with those that do not fit", () => {
    const { text, report } = createCatalog(skills, { budget: { characters: 180 }, unlisted: 40 });
    expect(readCatalogXml(text).note).toMatch(/^41 more/);
    expect(report.omitted).toBe(41);
    expect(text.length).toBeLessThanOrEqual(180);
  });
});

const options = { format: "markdown" } as const;
const none = createCatalog([], options);
const one = createCatalog([makeSkill({ name: "notes" })], options);
const two = createCatalog([makeSkill({ name: "notes" }), makeSkill({ name: "pdf" })], options);

test("nothing is said when a model would be told the same again", () => {
  const edited = makeSkill({ name: "notes", digest: `sha256:${"1".repeat(64)}`, bodyCharacters: 9 });
  expect(catalogDiff(one, createCatalog([edited], options))).toBeUndefined();
  expect(catalogDiff(none, createCatalog([], options))).toBeUndefined();
});

test("a new list takes the place of the old one", () => {
  expect(catalogDiff(one, two)).toEqual({
    text: `The available skills have changed. This list takes the place of the one given before.\n\n${two.text}`,
    added: ["pdf"],
    removed: [],
  });
  expect(catalogDiff(two, one)).toMatchObject({ added: [], removed: ["pdf"] });
});

test("a description that changed is a change", () => {
  const changed = createCatalog([makeSkill({ name: "notes", manifest: { description: "Other." } })], options);
  expect(catalogDiff(one, changed)).toEqual({
    text: `The available skills have changed. This list takes the place of the one given before.\n\n${changed.text}`,
    added: [],
    removed: [],
  });
});

test("when the last skill goes, a model is told that there are none", () => {
  expect(catalogDiff(two, none)).toEqual({
    text: "No skills are available any more. The list of skills given before no longer holds.",
    added: [],
    removed: ["notes", "pdf"],
  });
});

test("the first skills are announced without a list that they would replace", () => {
  expect(catalogDiff(none, one)).toEqual({
    text: `Skills are available now.\n\n${one.text}`,
    added: ["notes"],
    removed: [],
  });
});
