import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCodexInterface } from "./apply-codex-interface.ts";
import type { Manifest } from "./manifest.ts";
import { parseSkill } from "./parse-skill.ts";
import { damagedHeaders, jumbles } from "./testing/headers.ts";

const manifestOf = (lines = ""): Manifest => {
  const { manifest } = parseSkill(`---\nname: a\ndescription: b\n${lines}---\n`);
  if (manifest === undefined) throw new Error("the fixture does not load");
  return manifest;
};

const apply = (text: string, lines = "") => {
  const { manifest, diagnostics } = applyCodexInterface(manifestOf(lines), text, {
    file: "a/agents/openai.yaml",
  });
  return {
    manifest,
    faults: diagnostics.map(
      ({ severity, code, range }) => `${severity} ${code} ${range?.line}:${range?.column}`,
    ),
  };
};

describe("applyCodexInterface", () => {
  it("adds interface, dependencies and policy", () => {
    const { manifest, faults } = apply(`interface:
  display_name: "My
    Skill"
  short_description: Does things
  icon_small: ./assets/small.png
  icon_large: assets/icons/large.svg
  brand_color: "#1A2b3C"
  default_prompt: Do it
dependencies:
  tools:
  - {type: mcp, value: linear, description: Issues, url: https://mcp.example.com}
  - {type: mcp, value: same, url: https://mcp.example.com}
  - {type: mcp, value: local, transport: stdio, command: serve}
  - {type: env_var, value: API_KEY, description: A key}
policy:
  allow_implicit_invocation: false
  products: [codex]
`);
    expect(manifest).toMatchObject({
      ui: {
        displayName: "My Skill",
        shortDescription: "Does things",
        iconSmall: "assets/small.png",
        iconLarge: "assets/icons/large.svg",
        brandColor: "#1A2b3C",
        defaultPrompt: "Do it",
      },
      invocation: { model: false, user: true, paths: [], products: ["codex"], internal: false },
    });
    expect(manifest.gating.mcp).toEqual([
      { name: "linear", transport: "streamable_http", url: "https://mcp.example.com", description: "Issues" },
      { name: "local", transport: "stdio", command: "serve" },
    ]);
    expect(manifest.gating.env).toEqual([{ name: "API_KEY", help: "A key" }]);
    expect(faults).toEqual([]);
  });

  it("adds to what the header says and never gives back what it took away", () => {
    const { manifest } = apply(
      "interface: {display_name: X}\npolicy: {allow_implicit_invocation: true}\ndependencies: {tools: [{type: env_var, value: KEY}, {type: env_var, value: NEW}]}\n",
      "disable-model-invocation: true\nmetadata: {openclaw: {emoji: y, requires: {env: [KEY]}}}\n",
    );
    expect(manifest.invocation.model).toBe(false);
    expect(manifest.ui).toEqual({ emoji: "y", displayName: "X" });
    expect(manifest.gating.env).toEqual([{ name: "KEY" }, { name: "NEW" }]);
  });

  it.each([
    ["a name that is too long", `interface: {display_name: ${"x".repeat(65)}}\n`, "1:13"],
    ["an empty prompt", 'interface:\n  default_prompt: " "\n', "2:3"],
    ["an icon outside assets", "interface:\n  icon_small: icons/x.png\n", "2:3"],
    ["an icon that climbs out", "interface:\n  icon_large: assets/../../x.png\n", "2:3"],
    ["an icon with a backslash", "interface:\n  icon_small: assets\\x.png\n", "2:3"],
    ["an absolute icon", "interface:\n  icon_small: /assets/x.png\n", "2:3"],
    ["a colour by name", "interface:\n  brand_color: red\n", "2:3"],
    ["a server without url", "dependencies:\n  tools: [{type: mcp, value: x}]\n", "2:3"],
    [
      "a server without command",
      "dependencies:\n  tools: [{type: mcp, value: x, transport: stdio}]\n",
      "2:3",
    ],
    ["an unknown type", "dependencies:\n  tools: [{type: y, value: x}]\n", "2:3"],
    ["a variable that cannot be one", "dependencies:\n  tools: [{type: env_var, value: a b}]\n", "2:3"],
    ["tools that are no list", "dependencies:\n  tools: x\n", "2:3"],
  ])("leaves out %s with a warning, and keeps the rest", (_what, text, place) => {
    const { manifest, faults } = apply(`${text}policy:\n  products: [p]\n`);
    expect({ ...manifest.ui, mcp: manifest.gating.mcp, env: manifest.gating.env }).toEqual({
      mcp: [],
      env: [],
    });
    expect(manifest.invocation.products).toEqual(["p"]);
    expect(faults).toEqual([`warning companion-field ${place}`]);
  });

  it.each([
    ["invalid YAML", "interface: [x\n", "warning companion-invalid 2:1"],
    ["a list", "- x\n", "warning companion-invalid 1:1"],
    ["aliases", "a: &x y\nb: *x\n", "warning companion-invalid 1:7"],
    ["too much text", `a: ${"x".repeat(40_000)}\n`, "warning companion-too-large 1:1"],
  ])("leaves out a file of %s as a whole", (_what, text, fault) => {
    const { manifest, faults } = apply(text);
    expect(manifest).toEqual(manifestOf());
    expect(faults).toEqual([fault]);
  });

  it("never throws and never fails the skill", () => {
    const text = fc.oneof(
      jumbles(),
      damagedHeaders(),
      damagedHeaders().map((lines) => `interface:\n  ${lines.replaceAll("\n", "\n  ")}`),
    );
    fc.assert(
      fc.property(text, (value) => {
        const { diagnostics } = applyCodexInterface(manifestOf(), value, { file: "x" });
        expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
      }),
    );
  });
});
