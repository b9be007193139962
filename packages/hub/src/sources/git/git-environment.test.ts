import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { DEFAULT_HUB_LIMITS } from "../../hub-limits.ts";
import { type GitAsker, gitEnvironment, gitProtocols, gitSettings, tokenFor } from "./git-settings.ts";
import { gitMissing } from "./testing/git-fixture.ts";

const GITHUB = "https://github.com/owner/repo";
const TOKENS = { GH_TOKEN: "gh", GITHUB_TOKEN: "github", GITLAB_TOKEN: "gitlab" };

test("a token is for its own host over https alone", () => {
  expect(tokenFor(GITHUB, TOKENS)).toBe("gh");
  expect(tokenFor(GITHUB, { GITHUB_TOKEN: "github" })).toBe("github");
  expect(tokenFor("https://gitlab.com/a/b", TOKENS)).toBe("gitlab");
  for (const url of [
    "http://github.com/a/b",
    "https://github.com.evil.example/a/b",
    "https://evil.example/github.com/",
    "https://github.com:8443/a/b",
    "https://github.com@evil.example/a/b",
    "ssh://git@github.com/a/b",
    "git@github.com:a/b",
  ])
    expect(tokenFor(url, TOKENS)).toBeUndefined();
});

test("a token that would add a line to what the helper says is left out", () => {
  expect(tokenFor(GITHUB, { GITHUB_TOKEN: "a\nhost=evil.example" })).toBeUndefined();
});

test("nothing of the caller's environment comes along but what git needs", () => {
  const environment = gitEnvironment(
    GITHUB,
    "/quarantine/x",
    {
      PATH: "/usr/bin",
      HOME: "/home/me",
      SSH_AUTH_SOCK: "/agent",
      https_proxy: "http://proxy.example",
      AWS_SECRET_ACCESS_KEY: "x",
      LD_PRELOAD: "/evil.so",
      GIT_EXTERNAL_DIFF: "x",
      GIT_CONFIG_COUNT: "1",
      GIT_DIR: "/elsewhere",
      GIT_ALLOW_PROTOCOL: "ext",
      DISPLAY: ":0",
      ...TOKENS,
    },
    { allowedPrivateHosts: [] },
  );
  expect(environment).toEqual({
    PATH: "/usr/bin",
    HOME: "/home/me",
    SSH_AUTH_SOCK: "/agent",
    https_proxy: "http://proxy.example",
    SKILLET_GIT_TOKEN: "gh",
    LC_ALL: "C",
    GIT_DIR: "/quarantine/x",
    GIT_ALLOW_PROTOCOL: "https:ssh",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  });
});

test("no token is ever in an argument", () => {
  const settings = gitSettings({ url: GITHUB, limits: DEFAULT_HUB_LIMITS, hasToken: true });
  expect(settings.join("\n")).not.toMatch(/\bgh\b|\bgitlab\b/);
});

const missing = gitMissing();
if (missing !== undefined) console.warn(`The token's helper is not tested: ${missing}.`);

test.skipIf(missing !== undefined)(
  "git gets the token for its host, and for no other one that it is sent to",
  () => {
    const ask = (host: string): { status: number | null; stdout: string } =>
      spawnSync(
        "git",
        [...gitSettings({ url: GITHUB, limits: DEFAULT_HUB_LIMITS, hasToken: true }), "credential", "fill"],
        {
          env: {
            PATH: process.env.PATH,
            HOME: "/nonexistent",
            GIT_CONFIG_NOSYSTEM: "1",
            SKILLET_GIT_TOKEN: "t0k$e'n",
            GIT_TERMINAL_PROMPT: "0",
            GIT_ASKPASS: "",
          },
          input: `protocol=https\nhost=${host}\n\n`,
          encoding: "utf8",
        },
      );
    expect(ask("github.com").stdout).toContain("password=t0k$e'n\n");
    expect(ask("evil.example").stdout).not.toContain("t0k");
    expect(ask("evil.example").status).not.toBe(0);
  },
);

test.skipIf(missing !== undefined)("the user's helpers are not told the token", () => {
  const settings = gitSettings({ url: GITHUB, limits: DEFAULT_HUB_LIMITS, hasToken: true });
  const told = (more: readonly string[]): string =>
    spawnSync("git", ["-c", "credential.helper=!cat >&2; :", ...more, "credential", "approve"], {
      env: {
        PATH: process.env.PATH,
        HOME: "/nonexistent",
        GIT_CONFIG_NOSYSTEM: "1",
        SKILLET_GIT_TOKEN: "secret",
      },
      input: "protocol=https\nhost=github.com\nusername=x\npassword=secret\n\n",
      encoding: "utf8",
    }).stderr;
  expect(told([])).toContain("secret");
  expect(told(settings)).toBe("");
});

test("http is for this machine, where a person asks, and for hosts that were allowed", () => {
  const loopback = ["http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]:1/x"];
  for (const askedBy of ["person", "content"] as const) {
    const asker = (...allowedPrivateHosts: readonly string[]): GitAsker => ({ askedBy, allowedPrivateHosts });
    for (const host of ["git.internal:3000", "git.internal", "GIT.internal.:3000"])
      expect(gitProtocols("http://git.internal:3000/x", asker(host))).toBe("http:https");
    for (const url of [
      "http://git.internal:3000/x",
      "http://127.0.0.1.evil.example/x",
      "http://localhost.evil.example/x",
    ])
      expect(() => gitProtocols(url, asker("other", "git.internal:80"))).toThrow(/Use https or ssh/);
  }
  for (const url of loopback) {
    expect(gitProtocols(url, { askedBy: "person", allowedPrivateHosts: [] })).toBe("http:https");
    expect(() => gitProtocols(url, { allowedPrivateHosts: [] })).toThrow(/Use https or ssh/);
  }
});
