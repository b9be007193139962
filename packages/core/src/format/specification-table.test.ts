import { describe, expect, it } from "vitest";
import { parseSkill } from "./parse-skill.ts";
import { validateSkill } from "./validate-skill.ts";

/**
 * What the reference validator was observed to do, case by case.
 *
 * `spec` rows bind both the strict mode and the reference's messages; `ref-strict` rows bind the messages only, and the
 * strict mode follows the specification there; `ref-bug` rows are faults of the reference, which we do not copy.
 */
type Row = {
  readonly what: string;
  readonly text: string;
  readonly directory?: string;
  /** The messages of the reference; behind `Invalid YAML in frontmatter:` the words are our parser's. */
  readonly reference: readonly string[];
  /** Codes of the errors and warnings in strict mode. */
  readonly strict: readonly string[];
};

const INVALID_YAML = "Invalid YAML in frontmatter: ";
const INVALID_CHARACTERS = "contains invalid characters. Only letters, digits, and hyphens are allowed.";
const skill = (lines: string, body = ""): string => `---\n${lines}\n---\n${body}`;
const named = (name: string): string => skill(`name: ${name}\ndescription: b`);
const described = (description: string): string => skill(`name: a\ndescription: ${description}`);
const keyed = (lines: string): string => skill(`name: a\ndescription: b\n${lines}`);

const SPEC: readonly Row[] = [
  { what: "a minimal skill", text: named("a"), reference: [], strict: [] },
  { what: "CRLF line ends", text: named("a").replaceAll("\n", "\r\n"), reference: [], strict: [] },
  { what: "an empty body", text: "---\nname: a\ndescription: b\n---", reference: [], strict: [] },
  { what: "comments", text: skill("# x\nname: a # y\ndescription: b"), reference: [], strict: [] },
  { what: "a quoted colon", text: described('"a: b"'), reference: [], strict: [] },
  { what: "a folded block", text: described(">\n  b\n  c"), reference: [], strict: [] },
  { what: "a literal block", text: described("|\n  b\n  c"), reference: [], strict: [] },
  {
    what: "a ruler in the body",
    text: skill("name: a\ndescription: b", "x\n\n---\n\ny"),
    reference: [],
    strict: [],
  },
  { what: "a name of 64", text: named("a".repeat(64)), directory: "a".repeat(64), reference: [], strict: [] },
  {
    what: "a name of 65",
    text: named("a".repeat(65)),
    directory: "a".repeat(65),
    reference: [`Skill name '${"a".repeat(65)}' exceeds 64 character limit (65 chars)`],
    strict: ["name-too-long"],
  },
  { what: "a description of 1024", text: described("é".repeat(1024)), reference: [], strict: [] },
  {
    what: "a description of 1024 astral characters",
    text: described("🎬".repeat(1024)),
    reference: [],
    strict: [],
  },
  {
    what: "a description of 1025",
    text: described("x".repeat(1025)),
    reference: ["Description exceeds 1024 character limit (1025 chars)"],
    strict: ["description-too-long"],
  },
  {
    what: "a compatibility of 500",
    text: keyed(`compatibility: ${"x".repeat(500)}`),
    reference: [],
    strict: [],
  },
  {
    what: "a compatibility of 501",
    text: keyed(`compatibility: ${"x".repeat(501)}`),
    reference: ["Compatibility exceeds 500 character limit (501 chars)"],
    strict: ["compatibility-too-long"],
  },
  {
    what: "a list as the name",
    text: skill("name:\n- a\ndescription: b"),
    reference: ["Field 'name' must be a non-empty string"],
    strict: ["missing-name"],
  },
  {
    what: "an empty name",
    text: named('""'),
    reference: ["Field 'name' must be a non-empty string"],
    strict: ["missing-name"],
  },
  {
    what: "a missing name",
    text: skill("description: b"),
    reference: ["Missing required field in frontmatter: name"],
    strict: ["missing-name"],
  },
  {
    what: "a blank description",
    text: described('"  "'),
    reference: ["Field 'description' must be a non-empty string"],
    strict: ["missing-description"],
  },
  {
    what: "a missing description",
    text: skill("name: a"),
    reference: ["Missing required field in frontmatter: description"],
    strict: ["missing-description"],
  },
  ...["my_skill", "my.skill", "my skill", "my:skill", "a/b", "🎬", "a‐b"].map((name) => ({
    what: `the name ${name}`,
    text: named(name),
    directory: name,
    reference: [`Skill name '${name}' ${INVALID_CHARACTERS}`],
    strict: ["name-characters"],
  })),
  {
    what: "a name in upper case",
    text: named("Abc"),
    directory: "Abc",
    reference: ["Skill name 'Abc' must be lowercase"],
    strict: ["name-not-lowercase"],
  },
  ...["-a", "a-"].map((name) => ({
    what: `the name ${name}`,
    text: named(name),
    directory: name,
    reference: ["Skill name cannot start or end with a hyphen"],
    strict: ["name-hyphens"],
  })),
  {
    what: "two hyphens in a row",
    text: named("a--b"),
    directory: "a--b",
    reference: ["Skill name cannot contain consecutive hyphens"],
    strict: ["name-hyphens"],
  },
  {
    what: "a folder that differs in case",
    text: named("abc"),
    directory: "Abc",
    reference: ["Directory name 'Abc' must match skill name 'abc'"],
    strict: ["name-directory-mismatch"],
  },
  {
    what: "no frontmatter",
    text: "# A\n\nText.",
    reference: ["SKILL.md must start with YAML frontmatter (---)"],
    strict: ["missing-frontmatter"],
  },
  {
    what: "frontmatter that is not closed",
    text: "---\nname: a\ndescription: b\n",
    reference: ["SKILL.md frontmatter not properly closed with ---"],
    strict: ["unclosed-frontmatter"],
  },
  {
    what: "frontmatter that is no map",
    text: skill("- a"),
    reference: ["SKILL.md frontmatter must be a YAML mapping"],
    strict: ["header-not-map"],
  },
];

const REF_STRICT: readonly Row[] = [
  {
    what: "a literal block of 1024 characters and its line end",
    text: described(`|\n  ${"x".repeat(1024)}`),
    reference: ["Description exceeds 1024 character limit (1025 chars)"],
    strict: [],
  },
  {
    what: "an unquoted colon",
    text: described("a: b"),
    reference: [INVALID_YAML],
    strict: ["unquoted-colon"],
  },
  { what: "a flow list", text: keyed("license: [MIT]"), reference: [INVALID_YAML], strict: ["not-text"] },
  { what: "a flow map", text: keyed("metadata: {c: d}"), reference: [INVALID_YAML], strict: [] },
  { what: "an empty flow map", text: keyed("metadata: {}"), reference: [INVALID_YAML], strict: [] },
  { what: "a duplicate key", text: keyed("name: a"), reference: [INVALID_YAML], strict: ["duplicate-key"] },
  { what: "an anchor", text: keyed("license: &x MIT"), reference: [INVALID_YAML], strict: ["yaml-alias"] },
  { what: "an alias", text: keyed("license: *x"), reference: [INVALID_YAML], strict: ["yaml-alias"] },
  { what: "a tag", text: keyed("license: !x MIT"), reference: [INVALID_YAML], strict: ["yaml-tag"] },
  {
    what: "a tab as indentation",
    text: keyed("metadata:\n\tc: d"),
    reference: [INVALID_YAML],
    strict: ["tab-indentation"],
  },
  {
    what: "maps that are indented differently",
    text: keyed("metadata:\n  c:\n    d: e\n  f:\n      g: h"),
    reference: [INVALID_YAML],
    strict: ["metadata-nested", "metadata-nested"],
  },
  {
    what: "four dashes",
    text: named("a").replace("---", "----"),
    reference: [INVALID_YAML],
    strict: ["long-fence"],
  },
  { what: "a number as the name", text: named("123"), directory: "123", reference: [], strict: ["not-text"] },
  { what: "a boolean as the description", text: described("true"), reference: [], strict: ["not-text"] },
  ...["技能", "навык", "straße", "٣٤", "café"].map((name) => ({
    what: `the name ${name}`,
    text: named(name),
    directory: name.normalize("NFKC"),
    reference: [],
    strict: ["name-not-ascii"],
  })),
  {
    what: "a decomposed name",
    text: named("cafe\u0301"),
    directory: "café",
    reference: [],
    strict: ["name-not-ascii"],
  },
  ...[
    ["ｐｄｆ－ｔｏｏｌ", "pdf-tool"],
    ["ﬁle", "file"],
    ["x²", "x2"],
  ].map(([name = "", directory = ""]) => ({
    what: `the name ${name} in its NFKC folder`,
    text: named(name),
    directory,
    reference: [],
    strict: ["name-not-ascii"],
  })),
  {
    what: "Ⅷ, which is upper case in NFKC",
    text: named("Ⅷ"),
    directory: "VIII",
    reference: ["Skill name 'VIII' must be lowercase"],
    strict: ["name-not-ascii", "name-not-lowercase"],
  },
  ...["version: 1.0.0", "disable-model-invocation: true", "Name: x"].map((line) => ({
    what: `the unknown key of ${line}`,
    text: keyed(line),
    reference: [
      `Unexpected fields in frontmatter: ${line.split(":")[0]}. Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.`,
    ],
    strict: line.startsWith("Name") ? ["unknown-key"] : [],
  })),
  {
    what: "a blank line first",
    text: `\n${named("a")}`,
    reference: ["SKILL.md must start with YAML frontmatter (---)"],
    strict: ["leading-blank-lines"],
  },
  {
    what: "a byte order mark",
    text: `\uFEFF${named("a")}`,
    reference: ["SKILL.md must start with YAML frontmatter (---)"],
    strict: [],
  },
  {
    what: "dots as the closing fence",
    text: "---\nname: a\ndescription: b\n...\nbody",
    reference: ["SKILL.md frontmatter not properly closed with ---"],
    strict: ["unclosed-frontmatter"],
  },
];

/** The messages are what we answer; the reference itself is noted where it differs. */
const REF_BUG: readonly (Row & { readonly theirs: string })[] = [
  {
    what: "names with combining marks",
    theirs: "invalid characters",
    text: named("हिन्दी"),
    directory: "हिन्दी",
    reference: [],
    strict: ["name-not-ascii"],
  },
  {
    what: "a nested map in metadata",
    theirs: "valid, and the inner map becomes its text",
    text: keyed("metadata:\n  c:\n    d: e"),
    reference: [],
    strict: ["metadata-nested"],
  },
  {
    what: "metadata that is no map",
    theirs: "valid",
    text: keyed("metadata: c"),
    reference: [],
    strict: ["metadata-not-map"],
  },
  {
    what: "a block list of tools",
    theirs: "valid",
    text: keyed("allowed-tools:\n- Read"),
    reference: [],
    strict: ["allowed-tools-list"],
  },
  {
    what: "a block list of licences",
    theirs: "valid",
    text: keyed("license:\n- MIT"),
    reference: [],
    strict: ["not-text"],
  },
  {
    what: "an empty compatibility",
    theirs: "valid",
    text: keyed('compatibility: ""'),
    reference: [],
    strict: ["not-text"],
  },
  {
    what: "dashes inside a value",
    theirs: "valid, and the value is cut",
    text: described("b --- c"),
    reference: [],
    strict: [],
  },
  {
    what: "text on the opening fence",
    theirs: "valid",
    text: "--- name: a\ndescription: b\n---\n",
    reference: [INVALID_YAML],
    strict: ["text-on-fence"],
  },
  {
    what: "an indented closing fence",
    theirs: "valid",
    text: "---\nname: a\ndescription: b\n ---\n",
    reference: ["SKILL.md frontmatter not properly closed with ---"],
    strict: ["unclosed-frontmatter"],
  },
];

describe.each([
  ["spec", SPEC],
  ["ref-strict", REF_STRICT],
  ["ref-bug", REF_BUG],
])("the %s rows of the table", (_class, rows: readonly Row[]) => {
  it.each(rows)("answers $what like the reference", ({ text, directory = "a", reference }) => {
    const messages = validateSkill({ text, directoryName: directory });
    expect(messages.map((message) => (message.startsWith(INVALID_YAML) ? INVALID_YAML : message))).toEqual(
      reference,
    );
  });

  it.each(rows)("answers $what in strict mode by the specification", ({ text, directory = "a", strict }) => {
    const { manifest, diagnostics } = parseSkill(text, { mode: "strict", directoryName: directory });
    expect(diagnostics.filter(({ severity }) => severity !== "info").map(({ code }) => code)).toEqual(strict);
    const hasErrors = diagnostics.some(({ severity }) => severity === "error");
    expect(manifest === undefined).toBe(hasErrors);
  });
});

describe("validateSkill", () => {
  it("gives all messages in the order of the reference", () => {
    const text = skill(
      `zeta: x\nname: -A--b_${"x".repeat(60)}-\nalpha: y\ndescription: ""\ncompatibility:\n- x`,
    );
    const name = `-A--b_${"x".repeat(60)}-`;
    expect(validateSkill({ text, directoryName: "a" })).toEqual([
      "Unexpected fields in frontmatter: alpha, zeta. Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.",
      `Skill name '${name}' exceeds 64 character limit (67 chars)`,
      `Skill name '${name}' must be lowercase`,
      "Skill name cannot start or end with a hyphen",
      "Skill name cannot contain consecutive hyphens",
      `Skill name '${name}' ${INVALID_CHARACTERS}`,
      `Directory name 'a' must match skill name '${name}'`,
      "Field 'description' must be a non-empty string",
      "Field 'compatibility' must be a string",
    ]);
  });

  it("reads every scalar as text", () => {
    const text = skill("name: 1.10\ndescription: null\nlicense: ~\nmetadata:\n  version: 1.0");
    expect(validateSkill({ text, directoryName: "1.10" })).toEqual([
      `Skill name '1.10' ${INVALID_CHARACTERS}`,
    ]);
  });

  it.each([
    ["control characters", "a: \u0007"],
    ["deep nesting", `a:\n  ${"- ".repeat(1000)}x`],
    ["an oversized header", `a: ${"x".repeat(40_000)}`],
  ])("refuses %s as invalid YAML", (_what, lines) => {
    expect(validateSkill({ text: keyed(lines), directoryName: "a" })[0]).toMatch(
      /^Invalid YAML in frontmatter: /,
    );
  });
});
