import { expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { codes, createPlace, standing } from "./place.ts";

// An engine takes about 120,000 arguments in one call.

test("a hundred faults in each of many files are more than one call takes, and all other skills load", async () => {
  const place = createPlace();
  const faulty = `---\n${"k: 1\n".repeat(120)}---\n`;
  for (let index = 0; index < 1300; index++) place.write(`project/.agents/skills/s${index}/SKILL.md`, faulty);
  const skills = await place.open();
  expect(standing(skills)).toEqual(["mine enabled"]);
  expect(codes(skills).filter((code) => code === "more-faults")).toHaveLength(1300);
});

test("a body full of prices is more than one call takes, and doctor still answers", async () => {
  const place = createPlace();
  place.write("project/.agents/skills/shop/SKILL.md", `${skillText("shop")}${"$1 ".repeat(340_000)}`);
  expect(await place.within(30, ["doctor"])).toMatchObject({ exitCode: 0, stderr: "" });
});

test("headers that no repair makes YAML keep no other skill from loading", async () => {
  const place = createPlace();
  const lines = Array.from({ length: 3500 }, (_, index) => `k${index % 9}: 'b`);
  const hopeless = `---\nname: a\ndescription: b\n]\n${lines.join("\n")}\n---\n`;
  for (let index = 0; index < 10; index++) place.write(`project/.agents/skills/s${index}/SKILL.md`, hopeless);
  const skills = await place.open();
  expect(standing(skills)).toEqual(["mine enabled"]);
  expect(codes(skills)).toEqual(Array.from({ length: 10 }, () => "invalid-yaml"));
});
