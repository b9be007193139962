import type { TreeFile } from "@skillet/core";
import { expect, test } from "vitest";
import { skillsHash } from "./skills-hash.ts";

test("is the hash that the other tool computes", () => {
  expect(skillsHash([file("b.txt", "world"), file("a.txt", "hello")])).toBe(
    "3b470f925edcda36894769ad4ca1a5d83b6ac790ad6e3fcddd9109fbe9585ca9",
  );
});

test("leaves out what the other tool leaves out", () => {
  const skill = file("SKILL.md", "# x");
  expect(skillsHash([skill, file("a/node_modules/x.js", "y"), file(".git/config", "z")])).toBe(
    skillsHash([skill]),
  );
  expect(skillsHash([skill, file("node_modules", "y")])).not.toBe(skillsHash([skill]));
});

function file(path: string, text: string): TreeFile {
  return { path, mode: "644", bytes: Buffer.from(text) };
}
