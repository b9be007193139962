import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scope } from "../registry/skill.ts";
import { createEnablement } from "./create-enablement.ts";
import { setSkillEnabled } from "./set-skill-enabled.ts";
import { type ConfigPlace, createPlace } from "./testing/config-place.ts";

describe("bundled skills", () => {
  test("disabling writes the seed's list and keeps comments and order", async () => {
    const place = createPlace();
    place.user(`# my settings
policy:
  mode: plan # careful

skills: # where they are
  # quiet ones
  disabledBundled:
    - hello # noisy
  userDir: "~/mine"
`);
    expect(await toggle(place, "gh", "bundled", "off")).toEqual({ file: place.userFile, changed: true });
    expect(readFileSync(place.userFile, "utf8")).toBe(`# my settings
policy:
  mode: plan # careful

skills: # where they are
  # quiet ones
  disabledBundled:
    - hello # noisy
    - gh
  userDir: "~/mine"
`);
    await toggle(place, "gh", "bundled", "on");
    await toggle(place, "hello", "bundled", "on");
    expect(readFileSync(place.userFile, "utf8")).toContain("  # quiet ones\n  userDir");
  });

  test("without a file, one is made that only its owner can read", async () => {
    const place = createPlace();
    await toggle(place, "gh", "bundled", "off");
    expect(readFileSync(place.userFile, "utf8")).toBe("skills:\n  disabledBundled:\n    - gh\n");
    expect(await toggle(place, "gh", "bundled", "off")).toEqual({ file: place.userFile, changed: false });
  });

  test("a list of enabled ones is kept in step and never becomes empty by disabling", async () => {
    const place = createPlace();
    place.user("skills:\n  enabledBundled: [gh, hello]\n");
    await toggle(place, "gh", "bundled", "off");
    expect(place.load().config.skills).toMatchObject({ enabledBundled: ["hello"], disabledBundled: ["gh"] });
    await toggle(place, "hello", "bundled", "off");
    expect(isEnabled(place, "other", "bundled")).toBe(false);
    await toggle(place, "gh", "bundled", "on");
    expect(place.load().config.skills).toMatchObject({
      enabledBundled: ["hello", "gh"],
      disabledBundled: ["hello"],
    });
    expect([isEnabled(place, "gh", "bundled"), isEnabled(place, "hello", "bundled")]).toEqual([true, false]);
  });
});

describe("other skills", () => {
  test("are overridden by qualified name, and enabling takes the override away again", async () => {
    const place = createPlace();
    place.user("policy: { mode: plan }\n");
    await toggle(place, "pdf", "user", "off");
    expect(readFileSync(place.userFile, "utf8")).toBe(
      "policy: { mode: plan }\nskills:\n  overrides:\n    user:pdf:\n      enabled: false\n",
    );
    expect([isEnabled(place, "pdf", "user"), isEnabled(place, "pdf", "project")]).toEqual([false, true]);
    await toggle(place, "pdf", "user", "on");
    expect(readFileSync(place.userFile, "utf8")).toBe("policy: { mode: plan }\n");
  });

  test("what another layer disables is enabled explicitly", async () => {
    const place = createPlace();
    place.organisation("skills: { disabledBundled: [gh], overrides: { pdf: { enabled: false } } }");
    await toggle(place, "pdf", "user", "on");
    await toggle(place, "gh", "bundled", "on");
    expect([isEnabled(place, "pdf", "user"), isEnabled(place, "gh", "bundled")]).toEqual([true, true]);
    expect(place.load().config.skills.overrides).toMatchObject({
      "user:pdf": { enabled: true },
      "bundled:gh": { enabled: true },
    });
  });

  test.each([
    ["an override of its own goes", "user:pdf", false],
    ["a rule for several stays", "pdf", true],
    ["what is said about others stays", "user:web", true],
  ])("of one that is removed, %s, and nothing is enabled", async (_, selector, stays) => {
    const place = createPlace();
    const text = `skills:\n  overrides:\n    ${selector}:\n      enabled: false\n`;
    place.user(text);
    const common = { home: place.home, layer: "user", name: "pdf", scope: "user" } as const;
    expect((await setSkillEnabled({ ...common, enabled: true, takeBackOnly: true })).changed).toBe(!stays);
    expect(existsSync(place.userFile)).toBe(stays);
    if (stays) expect(readFileSync(place.userFile, "utf8")).toBe(text);
  });

  test("a rule for the bare name stays as it is; the one skill gets its own", async () => {
    const place = createPlace();
    place.user("skills:\n  overrides:\n    pdf: { enabled: false }\n");
    await toggle(place, "pdf", "user", "on");
    expect([isEnabled(place, "pdf", "user"), isEnabled(place, "pdf", "project")]).toEqual([true, false]);
  });

  test("an installed plugin is switched in its entry, a skill of a bundle by itself", async () => {
    const place = createPlace();
    place.user("skills:\n  plugins:\n    - url: https://x/tools # ours\n      enabled: true\n");
    await toggle(place, "tools", "plugin", "off");
    expect(readFileSync(place.userFile, "utf8")).toBe(
      "skills:\n  plugins:\n    - url: https://x/tools # ours\n      enabled: false\n",
    );
    await toggle(place, "tools", "plugin", "on");
    await setSkillEnabled({
      home: place.home,
      layer: "user",
      name: "lint",
      scope: "plugin",
      plugin: "tools",
      enabled: false,
    });
    expect(place.load().config.skills).toMatchObject({
      plugins: [{ enabled: true }],
      overrides: { "tools:lint": { enabled: false } },
    });
  });

  test("a rule of the policy is not worked around", async () => {
    const place = createPlace();
    place.user("policy: { rules: [{ skill: pdf, action: deny }] }\n");
    await expect(toggle(place, "pdf", "user", "on")).rejects.toMatchObject({
      code: "config-not-allowed",
      message: `pdf stays disabled: denied by policy (${place.userFile}:1). Change that first.`,
    });
  });
});

describe("a skill that a config names by its folder", () => {
  const skill = (place: ConfigPlace, folder = "skills/q") => ({
    home: place.home,
    userHome: place.userHome,
    projectRoot: place.projectRoot,
    layer: "user" as const,
    name: "q",
    scope: "user" as const,
    directory: join(place.userHome, folder),
  });
  const isOn = (place: ConfigPlace, folder = "skills/q"): boolean =>
    createEnablement(place.load({ projectTrusted: true }).layers)({
      name: "q",
      qualifiedName: "user:q",
      scope: "user",
      directory: join(place.userHome, folder),
    }).enabled;

  test.each(["~/skills/q", "../skills/q", "~/skills/q/SKILL.md"])(
    "is enabled by taking %s away, and the rest stays",
    async (spelling) => {
      const place = createPlace();
      place.user(
        `skills:\n  overrides:\n    ${spelling}: { enabled: false }\n    r: { enabled: false } # mine\n`,
      );
      expect(isOn(place)).toBe(false);
      await setSkillEnabled({ ...skill(place), enabled: true });
      expect(isOn(place)).toBe(true);
      expect(readFileSync(place.userFile, "utf8")).toBe(
        "skills:\n  overrides:\n    r: { enabled: false } # mine\n",
      );
    },
  );

  test("is disabled although its folder was enabled", async () => {
    const place = createPlace();
    place.user("skills:\n  overrides:\n    ~/skills/q: { enabled: true }\n");
    await setSkillEnabled({ ...skill(place), enabled: false });
    expect(isOn(place)).toBe(false);
    expect(place.load().config.skills.overrides).toEqual({ "user:q": { enabled: false } });
  });

  test("is switched alone where another one has its name", async () => {
    const place = createPlace();
    const selectBy = "folder" as const;
    await setSkillEnabled({ ...skill(place), selectBy, enabled: false });
    expect(readFileSync(place.userFile, "utf8")).toBe(
      "skills:\n  overrides:\n    ~/skills/q:\n      enabled: false\n",
    );
    expect([isOn(place), isOn(place, "other/q")]).toEqual([false, true]);
    place.user("skills:\n  overrides:\n    user:q: { enabled: false }\n");
    await setSkillEnabled({ ...skill(place, "other/q"), selectBy, enabled: true });
    expect([isOn(place), isOn(place, "other/q")]).toEqual([false, true]);
  });

  test("is not switched, and nothing is written, where it is a command of that folder", async () => {
    const place = createPlace();
    const text = "skills:\n  overrides:\n    ~/skills/q: { enabled: false }\n";
    place.user(text);
    await expect(setSkillEnabled({ ...skill(place), kind: "command", enabled: true })).rejects.toMatchObject({
      code: "config-not-allowed",
      message: `q stays disabled: disabled by skills.overrides (${place.userFile}:3). Change that first.`,
    });
    expect(readFileSync(place.userFile, "utf8")).toBe(text);
  });

  test("is named in a project's config by a path that holds on other machines", async () => {
    const place = createPlace();
    for (const folder of [".skillet/skills/q", ".claude/skills/q"])
      await setSkillEnabled({
        ...skill(place),
        directory: join(place.projectRoot, folder),
        scope: "project",
        layer: "project",
        selectBy: "folder",
        enabled: false,
      });
    expect(readFileSync(place.projectFile, "utf8")).toBe(
      "skills:\n  overrides:\n    ./skills/q:\n      enabled: false\n    ../.claude/skills/q:\n      enabled: false\n",
    );
    expect(isOn(place, "../project/.claude/skills/q")).toBe(false);
  });
});

describe("a project's config", () => {
  test("takes a disabled skill in and back", async () => {
    const place = createPlace();
    await toggle(place, "pdf", "user", "off", "project");
    expect(isEnabled(place, "pdf", "user")).toBe(false);
    await toggle(place, "pdf", "user", "on", "project");
    expect(isEnabled(place, "pdf", "user")).toBe(true);
  });

  test("cannot enable what it does not disable, and stays untouched", async () => {
    const place = createPlace();
    place.user("skills: { overrides: { pdf: { enabled: false } } }");
    place.project("skills: { disabledBundled: [gh] } # ours\n");
    await expect(toggle(place, "pdf", "user", "on", "project")).rejects.toMatchObject({
      code: "config-not-allowed",
    });
    expect(readFileSync(place.projectFile, "utf8")).toBe("skills: { disabledBundled: [gh] } # ours\n");
  });

  test("is not written through a link that leads out of the project", async () => {
    const place = createPlace();
    mkdirSync(join(place.root, "elsewhere"));
    mkdirSync(place.projectRoot);
    symlinkSync(join(place.root, "elsewhere"), join(place.projectRoot, ".skillet"));
    await expect(toggle(place, "pdf", "user", "off", "project")).rejects.toMatchObject({
      code: "link-refused",
    });
  });
});

test("switches made at the same time are all kept", async () => {
  const place = createPlace();
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  await Promise.all(names.map((name) => toggle(place, name, "bundled", "off")));
  expect([...place.load().config.skills.disabledBundled].toSorted()).toEqual(names.toSorted());
});

test("any series of switches ends in what was last asked for and keeps every comment", async () => {
  const text = `# one
skills: # two
  # three
  overrides: # four
    a: { enabled: false } # five
    # six
    user:b: { enabled: true }
  enabledBundled: [a, b] # seven
  plugins:
    # eight
    - { url: x/c, name: c } # nine
# ten
`;
  const step = fc.record({
    name: fc.constantFrom("a", "b", "c"),
    scope: fc.constantFrom<Scope>("bundled", "user", "plugin"),
    state: fc.constantFrom<"on" | "off">("on", "off"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const place = createPlace();
      place.user(text);
      const wanted = new Map<string, boolean>();
      for (const { name, scope, state } of steps) {
        await toggle(place, name, scope, state);
        wanted.set(`${scope} ${name}`, state === "on");
        for (const [key, enabled] of wanted) {
          const [one = "", other = ""] = key.split(" ");
          expect([key, isEnabled(place, other, one as Scope)]).toEqual([key, enabled]);
        }
      }
      const after = readFileSync(place.userFile, "utf8");
      // A comment on an entry goes with the entry; the others stay.
      for (const word of ["one", "two", "three", "four", "seven", "eight", "nine", "ten"])
        expect(after).toContain(`# ${word}`);
    }),
    { numRuns: 40 },
  );
});

function toggle(
  place: ConfigPlace,
  name: string,
  scope: Scope,
  state: "on" | "off",
  layer: "user" | "project" = "user",
) {
  return setSkillEnabled({
    home: place.home,
    projectRoot: place.projectRoot,
    layer,
    name,
    scope,
    enabled: state === "on",
  });
}

function isEnabled(place: ConfigPlace, name: string, scope: Scope): boolean {
  const decide = createEnablement(place.load({ projectTrusted: true }).layers);
  return decide({ name, scope, qualifiedName: `${scope}:${name}`, directory: `/skills/${name}` }).enabled;
}
