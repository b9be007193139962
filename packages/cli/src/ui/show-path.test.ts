import { expect, test } from "vitest";
import { showPath, showSentence } from "./show-path.ts";

const environment = { HOME: "/home/user" };

test("the home folder is shortened, and folders that only begin like it are not", () => {
  const shown = ["/home/user", "/home/user/a", "/home/username/a", "/srv/home/user/a"].map((path) =>
    showPath(path, environment),
  );
  expect(shown).toEqual(["~", "~/a", "/home/username/a", "/srv/home/user/a"]);
});

test("paths in a sentence are shortened where they begin", () => {
  const text = "/home/user/a has it (/home/user/b:3), not /srv/home/user/c or /home/username/d\x1b";
  expect(showSentence(text, environment)).toBe(
    "~/a has it (~/b:3), not /srv/home/user/c or /home/username/d␛",
  );
});

test("without a home nothing is shortened", () => {
  expect(showSentence("in /home/user/a", {})).toBe("in /home/user/a");
});
