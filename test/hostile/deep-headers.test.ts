import { describe, expect, test } from "vitest";
import { createPlace, standing } from "./place.ts";

const header = (extra: string): string => `---\nname: deep\ndescription: Deep.\n${extra}\n---\n`;

// A bracket in quotes or in a comment closes nothing, though counting characters would take it for one that does.
const QUOTED = '["]",';
const COMMENTED = "[ #]\n ";

describe("a header that nests without end", () => {
  // Whether the engine aborts on an exhausted stack depends on what it compiled before, hence more than one depth.
  test.each([
    ["with closing brackets in quotes", QUOTED],
    ["with closing brackets in comments", COMMENTED],
  ])("%s ends no process", async (_title, unit) => {
    const place = createPlace();
    const most = Math.floor(30_000 / unit.length);
    for (let part = 1; part <= 20; part++)
      place.write(
        `project/.agents/skills/deep-${part}/SKILL.md`,
        header(`x: ${unit.repeat(Math.floor((most * part) / 20))}`),
      );
    expect(await place.within(30, ["show"])).toMatchObject({ exitCode: 0, signal: null });
  });

  test("in agents/openai.yaml ends no process", async () => {
    const place = createPlace();
    for (let part = 1; part <= 20; part++) {
      const folder = `project/.agents/skills/deep-${part}`;
      place.write(`${folder}/SKILL.md`, header("license: MIT"));
      place.write(`${folder}/agents/openai.yaml`, `x: ${QUOTED.repeat(part * 320)}`);
    }
    expect(await place.within(30, ["show"])).toMatchObject({ exitCode: 0, signal: null });
  });

  test("line by line keeps no other skill from loading", async () => {
    const place = createPlace();
    place.write("project/.agents/skills/deep/SKILL.md", header(`${"k: b: c\n".repeat(3500)}]`));
    expect(standing(await place.open())).toEqual(["mine enabled"]);
  });

  test.each([
    ["brackets", QUOTED.repeat(50_000)],
    ["lines", `${"k: b: c\n".repeat(4000)}]`],
    ["closing brackets", "]".repeat(255 * 1024)],
  ])("in the user's config is config-invalid: %s", async (_title, text) => {
    const place = createPlace();
    place.write("home/.skillet/config.yaml", text);
    await expect(place.open()).rejects.toMatchObject({ code: "config-invalid" });
  });
});
