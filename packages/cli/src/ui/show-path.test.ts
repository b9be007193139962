import { execFileSync } from "node:child_process";
import { shellArgument } from "@skillet/kit/text";
import { expect, test } from "vitest";
import { formatBytes, formatTokens, showPath, showSentence } from "./show-path.ts";

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

test("a plain path stays plain", () => {
  expect(shellArgument("/srv/app-1/.skillet")).toBe("/srv/app-1/.skillet");
});

test.each(["two words", "it's", "$HOME", "`id`", "a\\b", "", "*"])(
  "a shell reads %j back as it was",
  (argument) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellArgument(argument)}`], { encoding: "utf8" })).toBe(
      argument,
    );
  },
);

test.each([
  [0, "~0"],
  [999, "~999"],
  [1000, "~1k"],
  [1234, "~1.2k"],
  [9949, "~9.9k"],
  [9950, "~10k"],
  [999_499, "~999k"],
  [999_500, "~1M"],
  [12_345_678, "~12M"],
])("%i tokens are written %s", (tokens, text) => {
  expect(formatTokens(tokens)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 kB"],
  [1024 * 1024, "1 MB"],
])("%i bytes are written %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
