import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldSource } from "./fold-source.ts";

describe("foldSource", () => {
  test.each([
    "acme/tools",
    "ACME/Tools",
    "github:acme/tools",
    "https://github.com/acme/tools",
    "https://github.com/acme/tools.git",
    "https://GitHub.com:443/acme/tools/",
    "http://github.com:80/acme//tools",
    "git:git@github.com:/acme/tools",
    "git@github.com:acme/tools.git",
    "github.com:acme/tools",
    "ssh://git@github.com:22/acme/tools",
    "ssh://git@github.com:2222/acme/tools",
    "git:https://github.com./acme/tools",
    "git+https://github.com/acme/tools",
    "git:https://www.github.com/acme/tools",
    "git:ssh://git@ssh.github.com:443/acme/tools",
    "git:https://github.com/%61cme/tools",
    "git:https://github.com/%2561cme/tools",
    "https://github.com/acme%2Ftools",
    "git:https://github.com/other/../acme/./tools",
    "https://raw.githubusercontent.com/acme/tools",
    "https://codeload.github.com/acme/tools",
    "https://api.github.com/repos/acme/tools",
    "github.com/acme/tools",
  ])("%s is the one repository", (text) => {
    expect(foldSource(text)).toBe("web:github.com/acme/tools");
  });

  test.each([
    ["gitlab:acme/tools", "git:https://gitlab.com/acme/tools.git"],
    ["gitlab:acme/tools", "git:ssh://git@altssh.gitlab.com:443/acme/tools.git"],
    ["oci://registry.example.com/team/pdf:1", "oci:registry.example.com:443/team/pdf:1"],
    ["oci://REGISTRY.example.com/team/pdf", "oci://registry.example.com./team/pdf"],
    ["well-known:https://skills.example.com/", "https://skills.example.com"],
    ["https://bücher.example/x", "https://xn--bcher-kva.example/x"],
    ["file:///srv/skills", "git:file:///srv/skills"],
    ["npm:@Acme/x", "npm:@acme/x"],
  ])("%s and %s are one place", (left, right) => {
    expect(foldSource(left)).toBe(foldSource(right));
  });

  test.each([
    ["acme/tools", "acme/tools-evil"],
    ["github:acme/tools", "gitlab:acme/tools"],
    ["oci://registry.example.com:5000/x", "oci://registry.example.com/x"],
    ["https://example.com/acme", "https://example.org/acme"],
    ["npm:acme", "acme/npm"],
    ["./acme/tools", "acme/tools"],
  ])("%s and %s are two", (left, right) => {
    expect(foldSource(left)).not.toBe(foldSource(right));
  });

  test.each([
    ["*", "*"],
    ["*/Tools", "*/tools"],
    ["ACME/*", "web:github.com/acme/*"],
    ["https://github.com/ACME/*", "web:github.com/acme/*"],
    ["https://*", "web:*"],
    ["git@*", "web:*"],
    ["oci://*", "oci:*"],
    ["https://*.example.com/*", "web:*.example.com/*"],
    ["git@github.com:acme/*", "web:github.com/acme/*"],
  ])("the pattern %s keeps its stars: %s", (pattern, folded) => {
    expect(foldSource(pattern)).toBe(folded);
  });

  test("no text makes it fail, and capitals never count", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aB./:@#%2f*~-gitOC") }), (text) => {
        expect(foldSource(text.toUpperCase())).toBe(foldSource(text.toLowerCase()));
      }),
      { numRuns: 1000 },
    );
  });
});
