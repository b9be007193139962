import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseConfigValue, setConfigValue, unsetConfigValue } from "./edit-config.ts";
import { type ConfigPlace, createPlace, failureOf } from "./testing/config-place.ts";

const STYLED = `# top

skills: # mine
    # four blanks, lists not indented
    disabledBundled:
    - gh   # noisy
    directories: [~/a, "~/b"]

    scriptTimeout: 30_000 # half a minute
policy: {mode: plan}
# end
`;

describe("setConfigValue", () => {
  test("changes one value and leaves style, comments and order alone", async () => {
    const place = createPlace();
    place.user(STYLED.replace("30_000", "30000").replace("gh   #", "gh #"));
    await set(place, "policy.mode", "locked");
    await set(place, "skills.limits.depth", 3);
    const expected = STYLED.replace("30_000", "30000").replace("gh   #", "gh #").replace("plan", "locked");
    expect(readFileSync(place.userFile, "utf8")).toBe(
      expected.replace("# half a minute\n", "# half a minute\n    limits:\n        depth: 3\n"),
    );
  });

  test("a file with Windows line ends keeps them", async () => {
    const place = createPlace();
    place.user("skills:\r\n  scriptTimeout: 5 # x\r\n");
    await set(place, "policy.mode", "plan");
    expect(readFileSync(place.userFile, "utf8")).toBe(
      "skills:\r\n  scriptTimeout: 5 # x\r\npolicy:\r\n  mode: plan\r\n",
    );
  });

  test("comments alone, an empty value and an empty map take a first value without losing a comment", async () => {
    const place = createPlace();
    for (const [before, after] of [
      ["# only this\n", "# only this\n\nskills:\n  scriptTimeout: 5\n"],
      ["skills: # mine\n", "skills: # mine\n  scriptTimeout: 5\n"],
      ["skills: {} # mine\n", "skills:\n  # mine\n  scriptTimeout: 5\n"],
    ] as const) {
      place.user(before);
      await set(place, "skills.scriptTimeout", 5);
      expect(place.load().config.skills.scriptTimeout).toBe(5);
      expect(readFileSync(place.userFile, "utf8")).toBe(after);
    }
  });

  test("keys with dots are quoted, and items of lists have numbers", async () => {
    const place = createPlace();
    await set(place, 'skills.overrides."user:v1.2".enabled', false);
    await set(place, "skills.plugins", [{ url: "x/y" }]);
    await set(place, "skills.plugins.0.enabled", false);
    expect(place.load().config.skills).toMatchObject({
      overrides: { "user:v1.2": { enabled: false } },
      plugins: [{ url: "x/y", enabled: false }],
    });
  });

  const refused: [string, string, unknown, string, RegExp][] = [
    ["a value of the wrong kind", "skills.scriptTimeout", "soon", "config-invalid", /must be a whole number/],
    [
      "a key that does not exist",
      "skills.scriptTimout",
      5,
      "config-key-unknown",
      /did you mean `scriptTimeout`/,
    ],
    [
      "a key below a single value",
      "policy.mode.x",
      5,
      "config-key-unknown",
      /`policy.mode` is a single value/,
    ],
    ["a name in a list", "skills.disabledBundled.first", "x", "config-key-unknown", /is a list of 1/],
    [
      "a place far past a list's end",
      "skills.disabledBundled.7",
      "x",
      "config-key-unknown",
      /is a list of 1/,
    ],
    ["a key that is none", "skills..x", 5, "config-key-invalid", /is not a dotted key/],
    ["no key at all", "", 5, "config-key-invalid", /is not a dotted key/],
    [
      "a text that makes the file too large",
      "skills.disabledBundled",
      Array(300).fill("x".repeat(1000)),
      "file-too-large",
      /262144/,
    ],
  ];

  test.each(refused)("%s is refused and nothing is written", async (_title, key, value, code, message) => {
    const place = createPlace();
    const text = "policy: { mode: plan }\nskills: { disabledBundled: [a] }\n";
    place.user(text);
    await expect(set(place, key, value)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(readFileSync(place.userFile, "utf8")).toBe(text);
    expect(readdirSync(place.home)).toEqual(["config.yaml"]);
  });

  test("a file that does not load is left as it is", async () => {
    const place = createPlace();
    place.user("skills: [\n");
    await expect(set(place, "policy.mode", "plan")).rejects.toMatchObject({ code: "config-invalid" });
    expect(readFileSync(place.userFile, "utf8")).toBe("skills: [\n");
  });

  test("values that keep a file from loading are repaired one by one, and only for the better", async () => {
    const place = createPlace();
    const broken = "skills:\n  scriptTimeout: soon # late\n  limits: { depth: deep }\n";
    place.user(broken);
    for (const [key, value] of [
      ["policy.mode", "plan"],
      ["skills.scriptTimeout", "later"],
      ["skills.limits.entries", "many"],
    ])
      await expect(set(place, key ?? "", value)).rejects.toMatchObject({ code: "config-invalid" });
    expect(readFileSync(place.userFile, "utf8")).toBe(broken);
    await set(place, "skills.scriptTimeout", 5000);
    await unsetConfigValue({ home: place.home, layer: "user", key: "skills.limits.depth" });
    expect(readFileSync(place.userFile, "utf8")).toBe("skills:\n  scriptTimeout: 5000 # late\n");
  });

  test("what is wrong already is quoted from the file as it is, which stays so", async () => {
    const broken = "# mine\nskills:\n  overides: {}\n  scriptTimeout: soon\n";
    const place = createPlace();
    place.user(broken);
    await expect(
      unsetConfigValue({ home: place.home, layer: "user", key: "skills.overides" }),
    ).rejects.toMatchObject({
      message: expect.stringContaining(`${place.userFile}:4:18: `),
      data: { problems: [{ line: 4 }] },
    });
  });

  test("a value that would not load is said to be one that was not written", async () => {
    const place = createPlace();
    await expect(set(place, "skills.scriptTimeout", "soon")).rejects.toMatchObject({
      message: expect.stringMatching(/^The configuration would have 1 problem:\n/),
    });
  });

  test("a project takes what tightens and refuses the rest", async () => {
    const place = createPlace();
    mkdirSync(place.projectRoot);
    const target = { home: place.home, layer: "project", projectRoot: place.projectRoot } as const;
    await setConfigValue({ ...target, key: "skills.limits.depth", value: 2 });
    await expect(setConfigValue({ ...target, key: "skills.userDir", value: "x" })).rejects.toMatchObject({
      code: "config-not-allowed",
      message: expect.stringContaining("may only disable skills, deny them or lower limits"),
    });
    expect(readFileSync(place.projectFile, "utf8")).toBe("skills:\n  limits:\n    depth: 2\n");
    expect(existsSync(place.userFile)).toBe(false);
    const nowhere = setConfigValue({ home: place.home, layer: "project", key: "policy.mode", value: "plan" });
    await expect(nowhere).rejects.toMatchObject({ code: "no-project" });
  });

  test("a linked file is changed where it lies and stays a link", async () => {
    const place = createPlace();
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.root, "dotfile"), "policy: { mode: plan }\n", { mode: 0o644 });
    symlinkSync("../../dotfile", place.userFile);
    await set(place, "policy.mode", "locked");
    expect(readFileSync(join(place.root, "dotfile"), "utf8")).toBe("policy: { mode: locked }\n");
    expect(statSync(join(place.root, "dotfile")).mode & 0o777).toBe(0o644);
  });
});

describe("unsetConfigValue", () => {
  test("removes a value and the maps it leaves empty, but not those with a comment", async () => {
    const place = createPlace();
    place.user("skills:\n  limits:\n    depth: 3\n  scriptTimeout: 5\npolicy:\n  # careful\n  mode: plan\n");
    expect(await unset(place, "skills.limits.depth")).toEqual({ file: place.userFile, changed: true });
    expect(readFileSync(place.userFile, "utf8")).toBe(
      "skills:\n  scriptTimeout: 5\npolicy:\n  # careful\n  mode: plan\n",
    );
    await unset(place, "policy.mode");
    expect(place.load().config.policy.mode).toBe("default");
  });

  test("a value that is not set changes nothing, not even the layout", async () => {
    const place = createPlace();
    place.user(STYLED.replace("30_000", "30000"));
    for (const key of ["skills.userDir", "skills.scriptTimeout.x", "nothing.at.all"]) {
      expect(await unset(place, key)).toEqual({ file: place.userFile, changed: false });
    }
    expect(readFileSync(place.userFile, "utf8")).toBe(STYLED.replace("30_000", "30000"));
  });

  test("setting and then unsetting leaves what was loaded before", async () => {
    const settings: [string, unknown][] = [
      ["skills.scriptTimeout", 77],
      ["skills.limits.entries", 5],
      ["skills.precedence", ["claude"]],
      ["policy.mode", "locked"],
      ["profiles.ci", { skills: ["a"], scripts: [], hostScripts: [] }],
      ['skills.overrides."a.b".enabled', false],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...settings), { minLength: 1, selector: ([key]) => key }),
        async (chosen) => {
          const place = createPlace();
          place.user("# a\nskills: # b\n  disabledBundled: [gh] # c\n  # d\n");
          const before = place.load().config;
          for (const [key, value] of chosen) await set(place, key, value);
          for (const [key] of chosen.toReversed()) await unset(place, key);
          expect(place.load().config).toEqual(before);
          for (const comment of ["# a", "# b", "# c", "# d"])
            expect(readFileSync(place.userFile, "utf8")).toContain(comment);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("parseConfigValue", () => {
  test.each<[string, unknown]>([
    ["5000", 5000],
    ["true", true],
    ["[a, b]", ["a", "b"]],
    ["{ a: 1 }", { a: 1 }],
    ["~/skills", "~/skills"],
    ["plain text", "plain text"],
    ["", null],
  ])("%j is read as YAML", (text, value) => {
    expect(parseConfigValue(text)).toEqual(value);
  });

  test("text that is not YAML, and aliases, are refused", () => {
    for (const text of ["[", "&a [*a]", "{".repeat(5000)])
      expect(failureOf(() => parseConfigValue(text)).code).toBe("config-value-invalid");
  });
});

function set(place: ConfigPlace, key: string, value: unknown) {
  return setConfigValue({ home: place.home, layer: "user", key, value });
}

function unset(place: ConfigPlace, key: string) {
  return unsetConfigValue({ home: place.home, layer: "user", key });
}
