import { expect, test } from "vitest";
import { interpreterHome, isSystemPath } from "./find-local-interpreter.ts";

const INSTALLATION = ["bin", "include", "lib", "share"];

/** Where everything above a `bin` holds these names. */
const homeOf = (path: string, entries?: readonly string[]): string =>
  interpreterHome(path, { userHomes: ["/home/ada", "/nfs/people/ada"], entriesOf: () => entries });

test.each([
  ["/home/ada/.nvm/versions/node/v22.1.0/bin/node", "/home/ada/.nvm/versions/node/v22.1.0"],
  ["/opt/python/bin/python3", "/opt/python"],
  [
    "/home/ada/.local/share/uv/python/cpython-3.12/bin/python3",
    "/home/ada/.local/share/uv/python/cpython-3.12",
  ],
  ["/nix/store/abc-bash/bin/bash", "/nix/store"],
  ["/opt/homebrew/Cellar/bash/5/bin/bash", "/opt/homebrew"],
])("%s was installed into %s", (path, home) => {
  expect(homeOf(path, INSTALLATION)).toBe(home);
});

test.each([
  "/home/ada/bin/deno",
  "/home/ada/.local/bin/uv",
  "/home/bob/.local/bin/uv",
  "/home/bob/bin/deno",
  "/nfs/people/ada/bin/uv",
  "/nfs/people/bin/uv",
  "/nfs/bin/uv",
  "/data/bin/deno",
  "/Users/ada/Library/bin/deno",
])("%s is not an installation, whatever lies beside its bin", (path) => {
  expect(homeOf(path, INSTALLATION)).toBe(path.replace(/\/[^/]+$/, ""));
});

test.each([
  ["credentials", [...INSTALLATION, "credentials.toml"]],
  ["a project", ["bin", "lib", "src", "package.json"]],
  ["hidden files", [...INSTALLATION, ".env"]],
  ["nothing that a program needs", ["bin", "README.md"]],
  ["too much to look at", Array.from({ length: 65 }, () => "lib")],
  ["who knows what", undefined],
])("beside %s only the folder bin is shown", (_name, entries) => {
  expect(homeOf("/srv/tools/deno/bin/deno", entries)).toBe("/srv/tools/deno/bin");
});

test.each(["/home/ada/deno", "/opt/deno", "/deno", "/bin/deno", "/data/tools/deno"])(
  "%s needs itself alone",
  (path) => {
    expect(homeOf(path, INSTALLATION)).toBe(path);
  },
);

test("applications below /usr are not the system", () => {
  const paths = [
    "/usr/bin/node",
    "/usr/local/bin/node",
    "/bin/sh",
    "/usr/src/app/bin/node",
    "/usr/local/src/x",
    "/usrx/a",
  ];
  expect(paths.filter(isSystemPath)).toEqual(["/usr/bin/node", "/usr/local/bin/node", "/bin/sh"]);
});
