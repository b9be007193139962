import { describe, expect, it } from "vitest";
import type { Manifest } from "./manifest.ts";
import { parseSkill } from "./parse-skill.ts";

const parse = (lines: string): { readonly manifest: Manifest; readonly faults: readonly string[] } => {
  const { manifest, diagnostics } = parseSkill(`---\nname: a\ndescription: b\n${lines}---\nbody\n`);
  if (manifest === undefined) throw new Error(`skipped: ${JSON.stringify(diagnostics)}`);
  const faults = diagnostics
    .filter(({ code }) => code !== "flow-style")
    .map(({ code, range }) => `${code} ${range?.line}:${range?.column}`);
  return { manifest, faults };
};

describe("standard fields", () => {
  it("are read with their values as text", () => {
    const { manifest, faults } = parse(
      "license: MIT\ncompatibility: Node 20\nallowed-tools: Bash(git:*) Read\nmetadata:\n  owner: me\n",
    );
    expect(manifest).toMatchObject({
      license: "MIT",
      compatibility: "Node 20",
      tools: { allowed: ["Bash(git:*)", "Read"], disallowed: [] },
      metadata: { owner: "me" },
    });
    expect(faults).toEqual([]);
  });

  it("keep versions as they were written", () => {
    expect(parse("version: 1.10\n").manifest.version).toBe("1.10");
    expect(parse("metadata: {version: 2.0}\n").manifest.version).toBe("2.0");
    expect(parse("version: 3\n").manifest.version).toBe("3");
  });

  it("warn of lists and maps where text belongs, and join lists", () => {
    expect(parse("license: [MIT, BSD]\n").manifest.license).toBe("MIT BSD");
    const { manifest, faults } = parse("compatibility:\n  os: linux\n");
    expect(manifest.compatibility).toBeUndefined();
    expect(faults).toEqual(["invalid-value 4:1"]);
  });

  it("read metadata that was written as JSON in a text", () => {
    const { manifest, faults } = parse(`metadata: '{"openclaw":{"emoji":"x"},"n":[1,{"__proto__":2}]}'\n`);
    expect(manifest.ui).toEqual({ emoji: "x" });
    expect(JSON.stringify(manifest.metadata)).toBe('{"openclaw":{"emoji":"x"},"n":[1,{"__proto__":2}]}');
    expect(faults).toEqual(["metadata-not-map 4:11"]);
  });
});

describe("keys that no dialect defines", () => {
  it("are kept as they were and not interpreted", () => {
    const { manifest, faults } = parse("Name: X\nscope: 1.10\ncommand-dispatch: tool\ntools:\n- a: 1\n");
    expect(JSON.parse(JSON.stringify(manifest.extra))).toEqual({
      Name: "X",
      scope: "1.10",
      "command-dispatch": "tool",
      tools: [{ a: 1 }],
    });
    expect(manifest.name).toBe("a");
    expect(faults).toEqual([]);
  });
});

describe("the fields of Claude Code", () => {
  it("are read in any spelling", () => {
    const { manifest, faults } = parse(`when_to_use: Always
argument-hint: [file, format]
arguments: file format
disableModelInvocation: true
user_invocable: false
disallowed-tools: Write, Bash(rm:*)
model: opus
effort: high
context: fork
agent: Explore
background: false
paths: src/**/*.{ts,tsx}, docs/[a-z]*.md
shell: bash
display-name: My Skill
hooks:
  Stop: [{command: x}]
`);
    expect(manifest).toMatchObject({
      whenToUse: "Always",
      args: { hint: "file format", names: ["file", "format"] },
      invocation: {
        model: false,
        user: false,
        paths: ["src/**/*.{ts,tsx}", "docs/[a-z]*.md"],
        products: [],
        internal: false,
      },
      tools: { allowed: [], disallowed: ["Write", "Bash(rm:*)"] },
      execution: {
        context: "fork",
        agent: "Explore",
        background: false,
        model: "opus",
        effort: "high",
        shell: "bash",
      },
      ui: { displayName: "My Skill" },
    });
    expect(JSON.stringify(manifest.hooks)).toBe('{"Stop":[{"command":"x"}]}');
    expect(faults).toEqual([]);
  });

  it.each([
    ["yes", true],
    ["ON", true],
    ['"1"', true],
    ["1", true],
    ["no", false],
    ["Off", false],
    ["'false'", false],
    ["0", false],
  ])("take %s for a boolean", (text, value) => {
    const { manifest, faults } = parse(`disable-model-invocation: ${text}\n`);
    expect(manifest.invocation.model).toBe(!value);
    expect(faults).toEqual(["boolean-spelling 4:1"]);
  });

  it("fall back to their defaults with a warning", () => {
    const { manifest, faults } = parse("user-invocable: maybe\ncontext: elsewhere\npaths: {a: b}\n");
    expect(manifest.invocation).toEqual({
      model: true,
      user: true,
      paths: [],
      products: [],
      internal: false,
    });
    expect(manifest.execution).toEqual({ context: "inline" });
    expect(faults).toEqual(["invalid-value 4:1", "invalid-value 5:1", "invalid-value 6:1"]);
  });

  it("take the last of two spellings with a warning", () => {
    const { manifest, faults } = parse("user-invocable: true\nuser_invocable: false\n");
    expect(manifest.invocation.user).toBe(false);
    expect(faults).toEqual(["duplicate-key 5:1"]);
  });
});

describe("the fields of Hermes", () => {
  it("are merged, and the first to name a variable wins", () => {
    const { manifest, faults } = parse(`platforms: [macos, linux, windows]
environments: [docker]
prerequisites:
  env_vars: [API_KEY, "2BAD"]
  commands: [curl]
required_environment_variables:
- name: API_KEY
  prompt: Your key
- name: TOKEN
  prompt: Your token
  help: See the site
  required_for: sending
  optional: true
setup:
  collect_secrets:
  - env_var: SECRET
required_credential_files: [token.json]
credential_destinations:
  TOKEN: [api.example.com]
  EXTRA: other.example.com
requires_tools: [web]
metadata:
  hermes:
    tags: [one, two]
    related_skills: [b, c]
    requires_toolsets: [browser]
    fallback_for_tools: [x]
    fallback_for_toolsets: [y]
`);
    expect(manifest.gating).toMatchObject({
      os: ["darwin", "linux", "win32"],
      environments: ["docker"],
      commands: ["curl"],
      credentialFiles: ["token.json"],
      env: [
        {
          name: "API_KEY",
          prompt: "Your key",
        },
        {
          name: "TOKEN",
          prompt: "Your token",
          help: "See the site",
          requiredFor: "sending",
          optional: true,
          hosts: ["api.example.com"],
        },
        { name: "SECRET" },
        { name: "EXTRA", optional: true, hosts: ["other.example.com"] },
      ],
      requiresTools: ["web"],
      requiresToolsets: ["browser"],
      fallbackForTools: ["x"],
      fallbackForToolsets: ["y"],
    });
    expect(manifest.tags).toEqual(["one", "two"]);
    expect(manifest.relatedSkills).toEqual(["b", "c"]);
    expect(faults).toEqual(["invalid-environment-name 6:1"]);
  });
});

describe("the block of OpenClaw", () => {
  it.each(["openclaw", "clawdbot", "clawdis"])("is read from metadata.%s", (key) => {
    const { manifest, faults } = parse(
      `metadata: {"${key}":{"always":true,"emoji":"🎬","homepage":"https://x","skillKey":"k","primaryEnv":"KEY","os":["macos"],` +
        `"requires":{"bins":["gh"],"anyBins":["a","b"],"env":["KEY"],"config":["c.d"],"skills":["s"]},` +
        `"install":[{"id":"brew","kind":"brew","formula":"gh","bins":["gh"],"os":["darwin"],"label":"Install"}],` +
        `"envVars":[{"name":"OTHER","required":false,"description":"why"}]}}\n`,
    );
    expect(manifest.gating).toMatchObject({
      always: true,
      skillKey: "k",
      primaryEnv: "KEY",
      os: ["darwin"],
      bins: ["gh"],
      anyBins: ["a", "b"],
      config: ["c.d"],
      skills: ["s"],
      env: [{ name: "KEY" }, { name: "OTHER", help: "why", optional: true }],
    });
    expect(JSON.parse(JSON.stringify(manifest.install))).toEqual([
      { kind: "brew", id: "brew", label: "Install", bins: ["gh"], os: ["darwin"], fields: { formula: "gh" } },
    ]);
    expect(manifest.homepage).toBe("https://x");
    expect(manifest.ui).toEqual({ emoji: "🎬" });
    expect(faults).toEqual([]);
  });

  it("is read from a text that holds JSON, and under its present name before its old ones", () => {
    const { manifest } = parse(`metadata:\n  clawdbot: {emoji: old}\n  openclaw: '{"emoji":"new"}'\n`);
    expect(manifest.ui.emoji).toBe("new");
  });

  it("leaves out install entries without a kind", () => {
    const { manifest, faults } = parse(
      'metadata: {openclaw: {install: [{id: x}, "y", {type: go, module: m}]}}\n',
    );
    expect(manifest.install.map(({ kind }) => kind)).toEqual(["go"]);
    expect(faults).toEqual(["invalid-value 4:23", "invalid-value 4:23"]);
  });
});

describe("the other dialects", () => {
  it("keep version, author, tags, requirements and more under metadata", () => {
    const { manifest } = parse(
      "metadata:\n  version: 1.0\n  author: me\n  tags: x y\n  requires: gh jq\n  internal: true\n  short-description: a  b\n",
    );
    expect(manifest).toMatchObject({
      version: "1.0",
      author: "me",
      tags: ["x", "y"],
      invocation: { internal: true },
      ui: { shortDescription: "a b" },
    });
    expect(manifest.gating.bins).toEqual(["gh", "jq"]);
  });

  it("never let a nested key override a top-level one", () => {
    const { manifest } = parse(
      "version: 1\nauthor: {name: me}\nhomepage: https://a\ntags: [x]\nmetadata:\n  name: no\n  description: no\n  version: 2\n" +
        "  author: other\n  tags: y\n  openclaw: {homepage: https://b}\n",
    );
    expect(manifest).toMatchObject({
      name: "a",
      description: "b",
      version: "1",
      author: "me",
      homepage: "https://a",
      tags: ["x", "y"],
    });
  });

  it.each([
    ["triggers: [fill a form, sign]\n", { keywords: ["fill a form", "sign"], verbs: [], patterns: [] }],
    ["triggers: fill a form, sign\n", { keywords: ["fill a form", "sign"], verbs: [], patterns: [] }],
    [
      'triggers:\n  keywords: [hello]\n  verbs: say, wave\n  patterns: ["a,\\\\s+b"]\n',
      { keywords: ["hello"], verbs: ["say", "wave"], patterns: ["a,\\s+b"] },
    ],
    ["triggers: {patterns: 'a, b'}\n", { keywords: [], verbs: [], patterns: ["a, b"] }],
  ])("read %j", (lines, triggers) => {
    expect(parse(lines).manifest.triggers).toEqual(triggers);
  });

  it("read toolsets and required skills", () => {
    const { manifest } = parse('toolsets:\n- "tools/index:Mine"\nrequires-skills: pdf xlsx\n');
    expect(manifest.toolsets).toEqual(["tools/index:Mine"]);
    expect(manifest.gating.skills).toEqual(["pdf", "xlsx"]);
  });
});
