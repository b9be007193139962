import { expect, test } from "vitest";
import { gitError } from "./run-git.ts";

test("git is quoted in its own words, with the address that it named", () => {
  const url = "https://git.example.com/team/skills";
  const error = gitError(url, `fatal: repository '${url}/' not found\n`);
  expect(error.code).toBe("git-not-found");
  expect(error.message).toContain(`git said: fatal: repository '${url}/' not found`);
});

test("a repository's name is not read as a message of git", () => {
  const url = "https://git.example.com/team/Authentication failed";
  expect(gitError(url, `fatal: repository '${url}/' not found\n`).code).toBe("git-not-found");
});
