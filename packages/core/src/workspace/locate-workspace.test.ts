import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { resolveHome } from "./locate-workspace.ts";

test("a host's own words come first, then the variables, then the system", () => {
  const environment = { HOME: "/home/a", SKILLET_HOME: "/srv/skillet/" };
  expect(resolveHome(environment, { userHome: "u", home: "/h" })).toEqual({
    userHome: resolve("u"),
    home: "/h",
  });
  expect(resolveHome(environment)).toEqual({ userHome: "/home/a", home: "/srv/skillet" });
  expect(resolveHome({ USERPROFILE: "/users/b" })).toEqual({
    userHome: "/users/b",
    home: "/users/b/.skillet",
  });
  expect(resolveHome({})).toEqual({ userHome: homedir(), home: join(homedir(), ".skillet") });
});

describe("the working directory becomes nobody's home", () => {
  test("by a variable that is empty", () => {
    expect(resolveHome({ HOME: "", USERPROFILE: "", SKILLET_HOME: "" })).toEqual(resolveHome({}));
    expect(resolveHome({ HOME: "/home/a", SKILLET_HOME: "" }).home).toBe("/home/a/.skillet");
  });

  test.each([
    ["HOME", "."],
    ["HOME", "~"],
    ["USERPROFILE", "home"],
    ["SKILLET_HOME", ".skillet"],
  ])("by %s=%s", (name, value) => {
    expect(() => resolveHome({ [name]: value })).toThrow(
      expect.objectContaining({
        code: "home-not-absolute",
        message: `${name} is "${value}", which depends on the working directory; set it to an absolute path.`,
        data: { name, value },
      }),
    );
  });

  test.each(["", "."])("by the process's own HOME, when it is %j", (value) => {
    const { HOME } = process.env;
    onTestFinished(() => {
      process.env.HOME = HOME;
    });
    process.env.HOME = value;
    expect(resolveHome({}).userHome).not.toBe(process.cwd());
    expect(resolveHome({}).userHome).toMatch(/^\//);
  });
});
