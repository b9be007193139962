import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyCodexInterface } from "./apply-codex-interface.ts";
import { loadYaml } from "./load-yaml.ts";
import { parseSkill } from "./parse-skill.ts";
import { repairSkill } from "./repair-skill.ts";

const HEADER_CHARACTERS = 32_000;
const fill = (piece: string): string => piece.repeat(Math.floor(HEADER_CHARACTERS / piece.length));
const skill = (header: string): string => `---\nname: a\ndescription: b\n${header}\n---\nBody.\n`;

// Lines that want a repair each, in a header that no repair makes YAML.
const HOPELESS: [string, string][] = [
  ["quotes that are not closed", `]\n${fill("k: 'b\n")}`],
  ["brackets that are not closed", `]\n${fill("k: [b\n")}`],
  ["two colons", `${fill("k: b: c\n")}]`],
  ["reserved characters", `]\n${fill("k: @b\n")}`],
  ["apostrophes in brackets", `]\n${fill("['it''[']\n")}`],
  ["brackets below a key", `]\nk:\n${fill(" ['it''[']\n")}`],
];

describe("a header that is beyond repair", () => {
  // Each composition passes over a text once; a text that is taken apart line by line costs one a line.
  let compositions = 0;
  beforeEach(() => {
    compositions = 0;
    const { Composer } = loadYaml();
    const original = Composer.prototype.compose;
    vi.spyOn(Composer.prototype, "compose").mockImplementation(function (this: never, ...parameters) {
      compositions += 1;
      return original.apply(this, parameters);
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(HOPELESS)("because of %s is given up soon and throws nothing", (_what, header) => {
    expect(parseSkill(skill(header)).diagnostics.length).toBeGreaterThan(0);
    expect(parseSkill(skill(header), { mode: "strict" }).manifest).toBeUndefined();
    expect(repairSkill(skill(header))).toEqual({ text: skill(header), applied: [] });
    expect(compositions).toBeLessThan(1000);
  });

  it("costs little more than one that is sound, which is composed once", () => {
    expect(parseSkill(skill("? a\n: b")).manifest?.extra).toEqual({ a: "b" });
    expect(compositions).toBe(1);
  });

  it.each(HOPELESS)("because of %s can be the settings of Codex and changes nothing", (_what, header) => {
    const { manifest } = parseSkill(skill(""));
    const applied = applyCodexInterface(manifest!, header, { file: "openai.yaml" });
    expect(applied.manifest).toEqual(manifest);
    expect(applied.diagnostics.map(({ code }) => code)).toEqual(["companion-invalid"]);
  });
});

describe("repairs", () => {
  it("are made on two hundred lines, and on none if there are many more", () => {
    const lines = (count: number): string =>
      skill(Array.from({ length: count }, (_, index) => `k${index}: b: c`).join("\n"));
    expect(parseSkill(lines(200)).manifest?.extra).toMatchObject({ k0: "b: c", k199: "b: c" });
    expect(parseSkill(lines(2000)).diagnostics.map(({ code }) => code)).toEqual(["unquoted-colon"]);
  });

  it("quote thousands of numbers at once", () => {
    const numbers = Array.from({ length: 2000 }, (_, index) => `  key-${index}: 1`);
    const text = skill(`metadata:\n${numbers.join("\n")}`);
    const { text: repaired, applied } = repairSkill(text);
    expect(repaired).toBe(text.replaceAll(/: 1$/gm, ': "1"'));
    expect(applied.length).toBe(101);
    expect(applied.at(-1)).toMatchObject({ code: "more-faults", message: expect.stringContaining("1900") });
    expect(repairSkill(repaired)).toEqual({ text: repaired, applied: [] });
  });

  it("quote numbers in brackets, in every spelling and with every line end", () => {
    const text = skill("license: 0x1F # c\nmetadata: {a: 1, b: [1], c: 1.10, 'd': true, e: x}").replaceAll(
      "\n",
      "\r\n",
    );
    expect(repairSkill(text).text).toBe(
      text
        .replace("0x1F", '"0x1F"')
        .replace("a: 1", 'a: "1"')
        .replace("1.10", '"1.10"')
        .replace("true", '"true"'),
    );
  });
});
