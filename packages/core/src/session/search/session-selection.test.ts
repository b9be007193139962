import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCatalogXml } from "../../catalog/testing/read-catalog-xml.ts";
import type { SelectContext } from "../../selection.ts";
import type { Skills } from "../../workspace/skills.ts";
import type { Session } from "../session.ts";
import { selectIn } from "../testing/inspect-session.ts";
import { catalogIn } from "../testing/unwrap.ts";
import { toolOf } from "../toolbox/testing/open-toolbox.ts";
import { generateSkills, openMemory, skillText } from "./testing/generated-library.ts";

const MESSAGE = "my honey bees have mites, plan the care of the hives before winter";
const BEES = "Plans the care of honey bee hives: swarms, mites, winter feed.";
const userHome = mkdtempSync(join(tmpdir(), "skillet-select-"));
afterAll(() => rmSync(userHome, { recursive: true, force: true }));

let skills: Skills;
let session: Session;
beforeAll(async () => {
  const bees = skillText("bees", BEES, 'paths: ["**/*.hive"]\n');
  skills = await openMemory({ ...generateSkills(60), "bees/SKILL.md": bees }, { userHome });
  session = await skills.session();
});

describe("a skill that is bound to paths", () => {
  const files = ["a.py"];

  test("is not offered for other files, whether the session has them or the message", async () => {
    const other = await skills.session({ files });
    for (const decision of [
      await other.decide(MESSAGE),
      await session.decide(MESSAGE, { context: { files } }),
    ])
      expect([...decision.activate, ...decision.suggest].map(({ skill }) => skill.name)).not.toContain(
        "bees",
      );
    const found = await selectIn(session, MESSAGE, { limit: 50, context: { files } });
    expect(found.map(({ skill }) => skill.name)).not.toContain("bees");
    const near = await selectIn(session, MESSAGE, { context: { files: ["yard/north.hive"] } });
    expect(near[0]?.skill.name).toBe("bees");
  });

  test.each([{ characters: 1500 }, { characters: 6000 }, { characters: 100_000 }])(
    "is in no catalogue for other files, with room for $characters characters",
    async (budget) => {
      const listed = async (context: SelectContext): Promise<readonly string[]> => {
        const { text } = await catalogIn(session.prompt([MESSAGE], { budget, context }));
        return readCatalogXml(text).entries.map(({ name }) => name);
      };
      expect(await listed({ files })).not.toContain("bees");
      expect(await listed({ files: ["north.hive"] })).toContain("bees");
      expect(await listed({})).toContain("bees");
    },
  );

  test("is reported as hidden where all others are listed", async () => {
    const { report } = await catalogIn(
      session.prompt([MESSAGE], {
        budget: { characters: 100_000 },
        context: { files },
      }),
    );
    expect(report.hidden.map(({ skill, cause }) => [skill.name, cause])).toEqual([["bees", "paths"]]);
  });
});

test.each([-1, -2, Number.NaN])("who wants %s skills gets none", async (limit) => {
  expect(await selectIn(session, "audit the invoice records of the series", { limit })).toEqual([]);
});

test.each<[string, unknown]>([
  ["a text", "x"],
  ["null", null],
  ["files that are null", { files: null }],
  ["uses without a map", { recentUse: {} }],
  ["ignored that is no map", { ignored: {} }],
])("a context with %s is refused by every way to ask", async (_, given) => {
  const context = given as SelectContext;
  const refused = expect.objectContaining({ code: "select-context-invalid" });
  await expect(session.decide(MESSAGE, { context })).rejects.toThrow(refused);
  await expect(selectIn(session, MESSAGE, { context })).rejects.toThrow(refused);
  await expect(catalogIn(session.prompt([MESSAGE], { context }))).rejects.toThrow(refused);
});

test("nothing that a reader would not see reaches a model by the catalogue or by a search", async () => {
  const hidden = "\u{E0049}\u{E0047}\u{E004E}\u202e\u200b";
  const evil = skillText("evil", `Keeps honey bees${hidden} and hives.`);
  const own = await openMemory({ ...generateSkills(60), "evil/SKILL.md": evil });
  const mine = await own.session();
  const catalog = await catalogIn(mine.prompt(["honey bees and hives"], { budget: { characters: 1500 } }));
  const found = await toolOf(await mine.toolbox(), "search_skills").execute({ query: "honey bees hives" });
  for (const text of [catalog.text, found.text]) {
    expect(text).toContain("Keeps honey bees and hives.");
    expect(text).not.toMatch(/[\u{E0000}-\u{E007F}\u202e\u200b]/u);
  }
});

test("the list for a conversation has guidance and describes what suits it, however many names fit", async () => {
  const own = await openMemory({ ...generateSkills(120), "zz-bees/SKILL.md": skillText("zz-bees", BEES) });
  const mine = await own.session();
  for (let characters = 4000; characters <= 9000; characters += 250) {
    const { text, report } = await catalogIn(mine.prompt([MESSAGE], { budget: { characters } }));
    expect(report.leftOut).not.toContain("guidance");
    expect(report.skills.find(({ name }) => name === "zz-bees")).toMatchObject({ outcome: "shown" });
    if (report.omitted > 0) expect(text).toContain("search_skills");
  }
});
