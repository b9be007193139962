import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CATALOG_FORMATS } from "../../catalog/create-catalog.ts";
import { readCatalogXml } from "../../catalog/testing/read-catalog-xml.ts";
import type { Skills } from "../../workspace/skills.ts";
import { SkillSecrets } from "../secrets.ts";
import type { Session } from "../session.ts";
import { Vettings } from "../session-vetting.ts";
import { selectIn, usableIn } from "../testing/inspect-session.ts";
import { catalogIn } from "../testing/unwrap.ts";
import { toolOf } from "../toolbox/testing/open-toolbox.ts";
import type { FoundSkill } from "./session-search.ts";
import { generateSkills, openMemory, skillText } from "./testing/generated-library.ts";

const TARGET = skillText(
  "beekeeping",
  "Plans the care of honey bee hives: swarms, mites, winter feed. Use when somebody keeps bees.",
);
const MESSAGE = "my honey bees have mites, how do I treat the hives before winter?";

const listed = (text: string): readonly string[] => readCatalogXml(text).entries.map(({ name }) => name);

describe("with ten thousand skills", () => {
  let skills: Skills;
  let session: Session;
  const userHome = mkdtempSync(join(tmpdir(), "skillet-search-"));
  afterAll(() => rmSync(userHome, { recursive: true, force: true }));

  beforeAll(async () => {
    const files = {
      ...generateSkills(10_000),
      "beekeeping/SKILL.md": TARGET,
      "secret-bees/SKILL.md": skillText("secret-bees", "Treats mites of honey bees in hives before winter."),
      "people-bees/SKILL.md": skillText(
        "people-bees",
        "Treats mites of honey bees in hives before winter.",
        "disable-model-invocation: true\n",
      ),
    };
    skills = await openMemory(files, {
      userHome,
      config: 'policy:\n  rules:\n    - { skill: "secret-*", action: deny }\n',
    });
    session = await skills.session();
  });

  test("the catalogue lists what suits the conversation, within its budget, and says how to find the rest", async () => {
    const { text, report } = await catalogIn(session.prompt([MESSAGE], { budget: { characters: 6000 } }));
    expect(text.length).toBeLessThanOrEqual(6000);
    expect(listed(text)).toContain("beekeeping");
    expect(readCatalogXml(text).note).toMatch(/^\d+ more skills are not listed here. Find .* search_skills/);
    expect(report.total).toBe(10_001);
    expect(report.omitted).toBe(10_001 - listed(text).length);
    expect(report.skills.length).toBeLessThan(200);
  });

  test.each(CATALOG_FORMATS)("every form keeps to its budget: %s", async (format) => {
    for (const budget of [{ tokens: 300 }, { characters: 2000 }, { contextWindow: 200_000 }]) {
      const catalog = await catalogIn(session.prompt([MESSAGE], { format, budget }));
      const limit = "tokens" in budget ? 300 : "characters" in budget ? 2000 : 4000;
      expect("characters" in budget ? catalog.characters : catalog.tokens).toBeLessThanOrEqual(limit);
      expect(catalog.text).toContain("beekeeping");
    }
  });

  test("the text stays the same while the selection does, and what is always listed stands first", async () => {
    const options = { rank: { preferred: ["audit-chess-4"] } };
    const first = await catalogIn(session.prompt([MESSAGE], options));
    expect((await catalogIn(session.prompt(["hello", MESSAGE, "ok, go on"], options))).text).toBe(first.text);
    const other = await catalogIn(session.prompt(["schedule the rugby season"], options));
    expect(other.text).not.toBe(first.text);
    expect(listed(first.text)[0]).toBe("audit-chess-4");
    expect(listed(other.text)[0]).toBe("audit-chess-4");
  });

  test("what the conversation was about before still counts, and nothing is needed to say", async () => {
    const { text } = await catalogIn(
      session.prompt([MESSAGE, "and draft a ledger"], {
        budget: { characters: 9000 },
      }),
    );
    expect(listed(text)).toContain("beekeeping");
    const empty = await catalogIn(session.prompt([], { budget: { characters: 3000 } }));
    expect(listed(empty.text).length).toBeGreaterThan(3);
    expect(empty.characters).toBeLessThanOrEqual(3000);
  });

  test("the search tool finds what is not listed, and it can be activated", async () => {
    const catalog = await catalogIn(session.prompt(["plan a volcano visit"]));
    expect(listed(catalog.text)).not.toContain("beekeeping");
    const tool = toolOf(await session.toolbox(), "search_skills");
    const { value, text } = await tool.execute({ query: "bees with mites", limit: 3 });
    const results = value as readonly FoundSkill[];
    expect(results[0]).toMatchObject({ name: "beekeeping" });
    expect(text).toContain("<name>\nbeekeeping\n</name>");
    const { name } = await session.activate(results[0]?.name ?? "");
    expect(name).toBe("beekeeping");
  });

  test("names are any text beyond the budget, so that what was found can be loaded", async () => {
    const { toolbox } = await session.prompt([MESSAGE]);
    expect(toolOf(toolbox, "load_skill").inputSchema.properties.name).not.toHaveProperty("enum");
  });

  test("what a rule denies, or a model may not start, is in none of the answers", async () => {
    const catalog = await catalogIn(
      session.prompt([MESSAGE, "use secret-bees and people-bees for the mites"], {
        rank: { preferred: ["secret-bees", "people-bees"] },
      }),
    );
    const search = await toolOf(await session.toolbox(), "search_skills").execute({
      query: `${MESSAGE} secret-bees`,
      limit: 20,
    });
    const selected = await selectIn(session, MESSAGE, { limit: 50 });
    const { activate, suggest } = await session.decide(MESSAGE);
    const names = [
      ...listed(catalog.text),
      ...(search.value as readonly FoundSkill[]).map(({ name }) => name),
      ...[...selected, ...activate, ...suggest].map(({ skill }) => skill.qualifiedName),
    ];
    expect(names).toContain("beekeeping");
    expect(names.filter((name) => /secret|people/.test(name))).toEqual([]);
    expect(search?.text).not.toMatch(/secret|people/);
    const named = await session.decide("$secret-bees for the mites");
    expect([...named.activate, ...named.suggest].map(({ skill }) => skill.name)).not.toContain("secret-bees");
  });

  test("who names a skill has chosen it, also one that models may not choose", async () => {
    const decision = await session.decide("/people-bees treat them");
    expect(decision.action).toBe("activate");
    expect(decision.activate[0]).toMatchObject({ score: 1, skill: { name: "people-bees" } });
    const [first] = await selectIn(session, "$people-bees please");
    expect(first?.skill.name).toBe("people-bees");
  });

  test("a fork selects among what it was given, however many others fit better", async () => {
    const fork = await session.fork({ skills: ["audit-chess-4"] });
    const found = await selectIn(fork, `${MESSAGE} and then audit my chess game`);
    expect(found.map(({ skill }) => skill.name)).toEqual(["audit-chess-4"]);
    expect((await catalogIn(fork.prompt([MESSAGE]))).text).toBe(fork.catalog().text);
  });

  test("a message costs no look at every skill", async () => {
    let asked = 0;
    const [first, ...others] = skills.snapshot.skills;
    const watched = new Proxy(first!, {
      get: (target, key) => {
        asked += 1;
        return Reflect.get(target, key);
      },
    });
    const { catalogFor } = await import("./catalog-for.ts");
    const found = [{ skill: others[7]!, score: 1, reasons: [] }];
    const state = {
      mode: "default",
      interactive: false,
      layers: [],
      options: {},
      preferred: [],
      views: new Map(),
      vetted: new Vettings(),
      snapshot: { ...skills.snapshot, skills: [...others, watched] },
      secrets: new SkillSecrets(),
      isAllowed: () => false,
      hasScripts: () => false,
      memory: { context: () => ({}) },
      openSelector: async () => ({ among: () => ({ select: () => found }) }),
    } as never;
    const make = (): Promise<unknown> => catalogFor(state, [MESSAGE], {});
    await make();
    asked = 0;
    await make();
    expect(asked).toBe(0);
  });
});

describe("with few skills", () => {
  const open = (options?: Parameters<typeof openMemory>[1]): Promise<Skills> =>
    openMemory({ ...generateSkills(5), "beekeeping/SKILL.md": TARGET }, options);

  test("the catalogue is the same for every conversation, there is nothing to search, and names are listed", async () => {
    const session = await (await open()).session();
    const catalog = await catalogIn(session.prompt([MESSAGE]));
    expect(catalog).toEqual(session.catalog());
    const toolbox = await session.toolbox();
    expect(toolbox.tools.map(({ kind }) => kind)).not.toContain("search");
    expect(toolOf(toolbox, "load_skill").inputSchema.properties.name?.enum).toEqual(
      usableIn(session).map(({ qualifiedName }) => qualifiedName),
    );
  });

  test("with room for names alone, those that suit the conversation are described", async () => {
    const session = await (
      await openMemory({ ...generateSkills(30), "beekeeping/SKILL.md": TARGET })
    ).session();
    const { text, report } = await catalogIn(session.prompt([MESSAGE], { budget: { characters: 4400 } }));
    expect(report).toMatchObject({ total: 31, omitted: 0 });
    expect(report.nameOnly).toBeGreaterThan(0);
    const entry = readCatalogXml(text).entries.find(({ name }) => name === "beekeeping");
    expect(entry?.description).toContain("honey bee");
  });

  test("no skills, no text, no tool, no schema", async () => {
    const session = await (await openMemory({})).session();
    const catalog = await catalogIn(session.prompt([MESSAGE]));
    expect(catalog.text).toBe("");
    expect((await session.toolbox()).tools).toEqual([]);
    expect(await session.decide(MESSAGE)).toEqual({ action: "nothing", activate: [], suggest: [] });
  });

  test("a skill that only values are missing for is found once they are given", async () => {
    const files = {
      ...generateSkills(5),
      "beekeeping/SKILL.md": skillText(
        "beekeeping",
        "Treats mites of honey bees in hives.",
        "metadata: {openclaw: {requires: {env: [HIVE_KEY]}}}\n",
      ),
    };
    const skills = await openMemory(files);
    const ask = async (): Promise<{ choice: string; secrets: Record<string, string> }> => ({
      choice: "provide",
      secrets: { HIVE_KEY: "k" },
    });
    const session = await skills.session({ ask });
    const names = async (): Promise<readonly string[]> =>
      (await selectIn(session, MESSAGE)).map(({ skill }) => skill.name);
    expect(skills.find("beekeeping")).toMatchObject({ kind: "found", skill: { state: "unavailable" } });
    expect(await names()).not.toContain("beekeeping");
    await session.askForDependencies();
    expect(await names()).toContain("beekeeping");
    expect((await selectIn(session, MESSAGE))[0]?.skill).toBe(
      skills.snapshot.skills.find(({ name }) => name === "beekeeping"),
    );
    expect((await skills.select(MESSAGE)).map(({ skill }) => skill.name)).not.toContain("beekeeping");
  });

  test("locked mode and files in play count", async () => {
    const files = {
      ...generateSkills(5),
      "beekeeping/SKILL.md": skillText("beekeeping", "Treats mites of honey bees.", "paths: hives/*.csv\n"),
    };
    const skills = await openMemory(files);
    const names = async (options: object): Promise<readonly string[]> =>
      (await selectIn(await skills.session(options), MESSAGE)).map(({ skill }) => skill.name);
    expect(await names({ mode: "locked" })).toEqual([]);
    expect(await names({ mode: "locked", allow: ["beekeeping"] })).toEqual(["beekeeping"]);
    expect(await names({ files: ["README.md"] })).not.toContain("beekeeping");
    expect(await names({ files: ["hives/a.csv"] })).toContain("beekeeping");
  });

  test("nothing is selected in a session that has ended", async () => {
    const session = await (await open()).session();
    const fork = await session.fork({ skills: ["beekeeping"] });
    await fork.finish("done");
    await expect(selectIn(fork, MESSAGE)).rejects.toMatchObject({ code: "session-ended" });
    await expect(fork.decide(MESSAGE)).rejects.toMatchObject({ code: "session-ended" });
    await expect(catalogIn(fork.prompt([MESSAGE]))).rejects.toMatchObject({ code: "session-ended" });
  });
});
