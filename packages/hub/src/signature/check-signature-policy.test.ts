import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSignaturePolicy, needsSignature } from "./check-signature-policy.ts";
import { signTree } from "./envelope.ts";
import { createKey, formatPublicKey } from "./key.ts";

const isAsked = (rule: string, source: string): boolean =>
  needsSignature({ requireSignature: [{ sources: rule, keys: [] }], sources: [source] });

describe("a rule", () => {
  test.each([
    ["*://github.com/acme/*", "https://github.com/acme/tools"],
    ["*://github.com/acme/*", "git@github.com:acme/tools"],
    ["*://registry.example.com/team/*", "oci://registry.example.com/team/pdf:1"],
    ["*:///srv/skills/*", "/srv/skills/pdf"],
    ["http*://github.com/acme/*", "https://github.com/acme/tools"],
    ["*github.com/acme/tools.git", "https://github.com/acme/tools.git"],
    ["*/tools.git", "https://github.com/acme/tools"],
    ["*.git", "https://github.com/acme/tools.git"],
    ["https://*.git", "https://github.com/acme/tools.git"],
    ["*@github.com:acme/*", "git@github.com:acme/tools"],
    ["*@github.com:acme/*", "https://github.com/acme/tools"],
    ["git@*:acme/*", "git@github.com:acme/tools"],
    ["*:acme/*", "git@github.com:acme/tools"],
    ["git@github.com:*", "https://github.com/acme/tools"],
    ["github:123/*", "git@github.com:123/tools"],
    ["https://*:443/skills/*", "https://example.com/skills/x"],
    ["https://*.githubusercontent.com/acme/*", "https://raw.githubusercontent.com/acme/tools/main/SKILL.md"],
    ["/srv/skills/", "/srv/skills/pdf"],
    ["/srv/skills/", "/srv/skills"],
    ["/srv//./skills", "/srv/skills/pdf"],
    ["/", "/srv/skills/pdf"],
    ["file:///srv/skills/", "file:///srv/skills"],
    ["file://localhost/srv/skills", "/srv/skills/pdf"],
    ["file:///srv/acme.git", "git:file:///srv/acme"],
    ["file:///srv/acme", "/srv/acme.git"],
    ["file:///srv/work/.git", "git:file:///srv/work"],
    ["/srv/work", "git:file:///srv/x/../work/.git"],
    ["oci://registry-1.docker.io/acme/*", "oci://index.docker.io/acme/pdf"],
    ["oci://docker.io/acme/*", "oci://registry-1.docker.io/acme/pdf"],
    ["gitlab:acme/*", "https://gitlab.com/api/v4/projects/acme%2Ftools/repository/archive.zip"],
    ["https://git.example.com/acme/*", "https://git.example.com/api/v1/repos/acme/tools/archive/main.zip"],
    ["https://bitbucket.org/acme/*", "https://api.bitbucket.org/2.0/repositories/acme/tools/src/main/a.zip"],
    ["github:acme/*", "https://raw.github.com/acme/tools/main/SKILL.md"],
    ["github:acme/*", "https://media.githubusercontent.com/media/acme/tools/main/SKILL.md"],
    ["github:acme/*", "https://github.com/acme/tools/archive/refs/heads/main.zip"],
    ["github:acme/*", "git+ssh://git@github.com/acme/tools"],
    ["http://127.0.0.1/x", "ssh://git@0x7f000001/x"],
    ["npm:@acme/*", "npm:@acme/x@1.0.0"],
    ["npm:@acme", "npm:@acme/x"],
    ["npm:@acme/", "npm:@acme/x"],
    ["oci://registry.example.com/team/", "oci://registry.example.com/team/pdf:1"],
    ["acme/", "acme/tools"],
    ["acme", "acme/tools"],
    [
      "well-known:https://skills.example.com",
      "https://skills.example.com/.well-known/agent-skills/index.json",
    ],
    ["https://example.com/a.zip", "https://example.com/a.zip?download=1"],
    ["https://example.com/a.zip", "https://example.com/a.zip%3Fdownload=1"],
  ])("%s holds for %s", (rule, source) => {
    expect(isAsked(rule, source)).toBe(true);
  });

  test.each([
    ["acme/tools#main", "acme/tools#a1b2c3"],
    ["acme/tools@pdf", "acme/tools"],
    ["npm:@acme/x@1.0.0", "npm:@acme/x@1.0.1"],
    ["oci://registry.example.com/pdf:1", "oci://registry.example.com/pdf@sha256:00"],
    ["oci://registry.example.com:5000/pdf:1", "oci://registry.example.com:5000/pdf:2"],
    ["https://example.com/a.zip?v=1", "https://example.com/a.zip?v=1&x"],
    ["/srv/skills@pdf", "/srv/skills"],
  ])("%s holds for every version, as %s", (rule, source) => {
    expect(isAsked(rule, source)).toBe(true);
  });

  test.each([
    ["*://github.com/acme/*", "https://gitlab.com/acme/tools"],
    ["/srv/skills", "/srv/skills-of-others/pdf"],
    ["/srv/skills", "srv/skills"],
    ["file:///srv/acme.git", "file:///srv/acme-tools.git"],
    ["media/*", "acme/tools"],
    ["repos/*", "acme/tools"],
    ["npm:@acme/", "npm:@acme-other/x"],
    ["npm:@acme", "npm:other"],
    ["https://example.com/a.zip", "https://example.com/b.zip?a.zip"],
    ["oci://docker.io/acme/*", "https://docker.io/acme/x"],
  ])("%s does not hold for %s", (rule, source) => {
    expect(isAsked(rule, source)).toBe(false);
  });

  test.each([
    "",
    "  ",
    "./skills",
    "../skills",
    "..",
    "~other/skills",
    "npm:",
    "npm:Not A Name",
    "oci://",
    "https://",
    "ftp://example.com/*",
    "s3://bucket/*",
    "C:\\skills",
    "acme/*, other/*",
    "acme/* other/*",
    "https://{a,b}.example.com/*",
  ])("that no source can be is an error, and not a rule less: %j", (rule) => {
    expect(() => isAsked(rule, "acme/tools")).toThrow(
      expect.objectContaining({ code: "signature-rule-malformed", data: { rule } }),
    );
  });
});

test("a rule in a source's own words holds for it and for what is below, or is an error", () => {
  const part = fc.constantFrom(
    "acme",
    "Tools",
    "x.git",
    ".git",
    "a.zip",
    "..",
    ".",
    "",
    "@s",
    "%61",
    "127.1",
    "é",
  );
  const start = fc.constantFrom(
    ...[
      "",
      "/",
      "https://",
      "git:https://",
      "ssh://git@",
      "git@h:",
      "github:",
      "gitlab:",
      "file:///",
      "npm:",
    ],
    ...["oci://", "well-known:", "https://h:8443/", "https://api.github.com/repos/", "git+ssh://"],
  );
  const end = fc.constantFrom("", "/", "#main", "#main@pdf", "@pdf", "?x=1", ":1", "@1.0.0", ".git", ".git/");
  const written = fc
    .tuple(start, fc.array(part, { minLength: 1, maxLength: 4 }), end)
    .map(([first, parts, last]) => `${first}${parts.join("/")}${last}`);
  fc.assert(
    fc.property(written, fc.boolean(), (source, isLoud) => {
      const rule = isLoud ? source.toUpperCase() : source;
      let asked: boolean | "error";
      try {
        asked = isAsked(rule, source);
      } catch (error) {
        expect(error).toMatchObject({ code: "signature-rule-malformed" });
        asked = "error";
      }
      expect([true, "error"]).toContain(asked);
      const below = `${source.replace(/\/+$/, "")}/below`;
      if (asked === true && !/[#?]/.test(source)) expect(isAsked(rule, below)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

describe("what was signed", () => {
  const [acme, mirror] = [createKey(), createKey()];
  const digest = `sha256:${"1".repeat(64)}` as const;
  const envelopes = [
    signTree({ key: mirror, statement: { name: "pdf", treeDigest: digest, version: "99.0.0" } }),
    signTree({ key: acme, statement: { name: "pdf", treeDigest: digest, version: "1.0.0" } }),
    signTree({ key: acme, statement: { name: "other", treeDigest: digest, version: "7.0.0" } }),
    signTree({ key: createKey(), statement: { name: "pdf", treeDigest: digest, version: "8.0.0" } }),
  ];
  const rules = [
    { sources: "acme/*", keys: [formatPublicKey(acme)] },
    { sources: "*", keys: [formatPublicKey(mirror)] },
  ];
  const question = { sources: ["acme/pdf"], digest, names: ["pdf"], envelopes };

  test("is all that the keys of fitting rules say about this name, in whatever order the rules stand", () => {
    for (const requireSignature of [rules, rules.toReversed()]) {
      const decision = checkSignaturePolicy({ ...question, requireSignature });
      const versions =
        decision.state === "satisfied" ? decision.statements.map(({ version }) => version) : [];
      expect(versions.sort()).toEqual(["1.0.0", "99.0.0"]);
    }
  });

  test("and what could not be read is in the refusal, shortened", () => {
    const failures = ["https://a.example/1 answered 403.", "no JSON", "x".repeat(900), "four"];
    const decision = checkSignaturePolicy({ ...question, requireSignature: rules, envelopes: [], failures });
    if (decision.state !== "refused") throw new Error("it was let in");
    expect(decision.message).toContain("it carries none");
    expect(decision.message).toContain("https://a.example/1 answered 403. no JSON. And 2 more");
  });
});
