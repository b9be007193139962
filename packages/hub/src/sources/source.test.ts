import { expect, test } from "vitest";
import { sourceIdentity } from "./source.ts";

test.each([
  "https://github.com/Anthropics/Skills",
  "https://github.com/anthropics/skills.git",
  "git@github.com:anthropics/skills.git",
  "git@github.com:anthropics/skills",
  "ssh://git@github.com/anthropics/skills.git",
  "ssh://git@github.com:22/anthropics/skills",
])("%s is anthropics/skills, whatever its case", (url) => {
  expect(sourceIdentity(url)).toBe("anthropics/skills");
});

test.each([
  "http://github.com/anthropics/skills",
  "https://github.com./anthropics/skills",
  "https://github.com:8443/anthropics/skills",
  "https://github.com.evil.example/anthropics/skills",
  "https://evil.example/github.com/anthropics/skills",
  "https://github.com@evil.example/anthropics/skills",
  "https://gitlab.com/anthropics/skills",
  "https://github.com/anthropics/skills/evil",
  "https://github.com/evil/../anthropics/skills",
  "https://github.com/anthropics/..",
  "https://github.com//anthropics/skills",
  "https://github.com/anthropics/skills#x",
  "https://github.com/anthropics/skills?x",
  "https://github.com/anthropics/skills\n",
  "https://github.com/anthropics%2fskills/x",
  "https://github.com/аnthropics/skills",
  "https://GITHUB.com/anthropics/skills",
  "evil@github.com:anthropics/skills",
  "git@github.com:/anthropics/skills",
  "git@github.com.evil.example:anthropics/skills",
  "ssh://git@github.com:2222/anthropics/skills",
  "ssh://github.com/anthropics/skills",
  "file:///github.com/anthropics/skills",
  "anthropics/skills",
  "https://github.com/skills-sh/openai",
  "https://github.com/Skills-SH/openai",
  "",
])("%j has no identity that could be trusted", (url) => {
  expect(sourceIdentity(url)).toBeUndefined();
});

test("a repository whose name only begins like another one keeps its own", () => {
  expect(sourceIdentity("https://github.com/anthropics/skills-evil")).toBe("anthropics/skills-evil");
  expect(sourceIdentity("https://github.com/anthropics/skills.git.git")).toBe("anthropics/skills.git");
});
