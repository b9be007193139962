import { describe, expect, test } from "vitest";
import { createPlace, failureOf } from "./testing/config-place.ts";

describe("policy.rules", () => {
  test("take every selector, and keep where they stand", () => {
    const place = createPlace();
    place.user(`policy:
  rules:
    - { skill: "deploy-*", source: model, action: ask }
    - origin: community
      mode: plan
      tool: Bash(git push:*)
      action: deny
`);
    const { config, diagnostics } = place.load();
    const from = { layer: "user", file: place.userFile };
    expect(config.policy.rules).toEqual([
      { skill: "deploy-*", source: "model", action: "ask", from: { ...from, line: 3 } },
      {
        origin: "community",
        mode: "plan",
        tool: "Bash(git push:*)",
        action: "deny",
        from: { ...from, line: 4 },
      },
    ]);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ["{ action: deny }", 3, /`policy\.rules\.0` does not say what it is for/],
    ["{ skill: a }", 3, /has no `action`/],
    ["{ skill: , action: allow }", 3, /`policy\.rules\.0\.skill` is empty/],
    [
      "{ skill: a, orgin: builtin, action: allow }",
      3,
      /`policy\.rules\.0\.orgin` is not a known key.*did you mean `origin`\?/s,
    ],
    [
      "{ origin: communty, action: deny }",
      3,
      /must be one of builtin, organisation, trusted, community.*did you mean community\?/s,
    ],
    ["{ source: agent, action: deny }", 3, /must be one of model, user, preload, parent/],
    ["{ mode: lockd, action: deny }", 3, /did you mean locked\?/],
    [
      '{ tool: "Bash(a && b)", action: deny }',
      3,
      /`policy\.rules\.0\.tool` has "&&" in it, which is not understood/,
    ],
    ['{ tool: "Bash(rm", action: deny }', 3, /has no closing parenthesis/],
    ["{ tool: [Bash], action: deny }", 3, /must be one line of text/],
  ])("with %s are refused with the place", (rule, line, message) => {
    const place = createPlace();
    place.user(`policy:\n  rules:\n    - ${rule}\n`);
    const error = failureOf(() => place.load());
    expect(error.code).toBe("config-invalid");
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`${place.userFile}:${line}:`);
  });

  test("of a project may deny and ask, by any selector, and never allow", () => {
    const place = createPlace();
    place.project(`policy:
  rules:
    - { tool: Bash, action: deny }
    - { tool: Bash, action: allow }
    - { source: model, action: ask }
`);
    const { config, diagnostics } = place.load({ projectTrusted: true });
    expect(config.policy.rules.map(({ action }) => action)).toEqual(["deny", "ask"]);
    expect(diagnostics).toMatchObject([
      {
        code: "config-ignored",
        message: "`policy.rules.1` is ignored: a project's configuration cannot allow anything",
        range: { line: 4 },
      },
    ]);
  });
});
