import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fetchContextFor } from "./http/testing/fetch-context-for.ts";
import { npmRegistry, parseNpmrc } from "./npm-registry.ts";

const registryOf = (
  name: string,
  { npmrc = "", environment = {} as Record<string, string>, hosts = [] as string[] } = {},
): unknown => {
  const { home } = fetchContextFor([]);
  writeFileSync(join(home, ".npmrc"), npmrc);
  const { url, headers } = npmRegistry(
    name,
    fetchContextFor(hosts, { environment: { HOME: home, ...environment } }),
  );
  return [url.href, headers.authorization];
};

test("the registry is our own variable's, the scope's, npm's variable's, then the user's", () => {
  const npmrc = "registry=https://user.test\n@s:registry=https://scope.test/npm/";
  expect(registryOf("a", { npmrc })).toEqual(["https://user.test/", undefined]);
  expect(registryOf("@s/a", { npmrc })).toEqual(["https://scope.test/npm/", undefined]);
  expect(registryOf("@t/a", { npmrc })).toEqual(["https://user.test/", undefined]);
  const environment = { npm_config_registry: "https://npm.test/" };
  expect(registryOf("a", { npmrc, environment })).toEqual(["https://npm.test/", undefined]);
  expect(registryOf("@s/a", { npmrc, environment })).toEqual(["https://scope.test/npm/", undefined]);
  expect(
    registryOf("@s/a", { npmrc, environment: { ...environment, SKILLET_NPM_REGISTRY: "https://own.test" } }),
  ).toEqual(["https://own.test/", undefined]);
});

test("a token goes to the host and path that it is for, and to no other", () => {
  const npmrc = "//r.test/team/:_authToken=t1\n//r.test:8443/:_authToken=t2\n//other.test/:_authToken=t3";
  const at = (registry: string, hosts: string[] = []): unknown =>
    registryOf("a", { npmrc, hosts, environment: { SKILLET_NPM_REGISTRY: registry } });
  expect(at("https://r.test/team/npm/")).toEqual(["https://r.test/team/npm/", "Bearer t1"]);
  expect(at("https://r.test/team")).toEqual(["https://r.test/team/", "Bearer t1"]);
  expect(at("https://r.test/teams/")).toEqual(["https://r.test/teams/", undefined]);
  expect(at("https://r.test/")).toEqual(["https://r.test/", undefined]);
  expect(at("https://r.test:8443/x/")).toEqual(["https://r.test:8443/x/", "Bearer t2"]);
  expect(at("https://r.test.evil.test/")).toEqual(["https://r.test.evil.test/", undefined]);
});

test("a token goes over plain http only to hosts that are allowed", () => {
  const npmrc = "//r.test/:_authToken=t";
  const environment = { SKILLET_NPM_REGISTRY: "http://r.test/" };
  expect(registryOf("a", { npmrc, environment })).toEqual(["http://r.test/", undefined]);
  expect(registryOf("a", { npmrc, environment, hosts: ["r.test"] })).toEqual(["http://r.test/", "Bearer t"]);
});

test("a token that would end a header is not sent", () => {
  const environment = { SKILLET_NPM_REGISTRY: "https://r.test/", TOKEN: "a\r\nx-evil: 1" };
  expect(registryOf("a", { npmrc: `//r.test/:_authToken=\${TOKEN}`, environment })).toEqual([
    "https://r.test/",
    undefined,
  ]);
});

test("without a registry, the error says how to set one", () => {
  expect(() => registryOf("a")).toThrow(/export SKILLET_NPM_REGISTRY="\$\(npm config get registry\)"/);
});

test.each(["no address", "ftp://r.test/", "https://user:secret@r.test/"])(
  "%s is not a registry, and is not shown",
  (registry) => {
    const environment = { SKILLET_NPM_REGISTRY: registry };
    expect(() => registryOf("a", { environment })).toThrow(
      expect.objectContaining({
        code: "npm-registry-invalid",
        message: expect.not.stringContaining("secret") as string,
      }),
    );
  },
);

test("keys, comments, quotes and variables are read as npm does", () => {
  const text = [
    "; comment",
    "# comment = 1",
    "registry = https://r.test/",
    '@a:registry="https://a.test/npm"',
    `//a.test/npm/:_authToken=\${TOKEN}`,
    `//b.test/:_authToken=\${UNSET}`,
    "registry=https://last.test/\r",
    "flag",
    "empty=",
    "__proto__=x",
  ].join("\n");
  expect([...parseNpmrc(text, { TOKEN: "secret" })]).toEqual([
    ["registry", "https://last.test/"],
    ["@a:registry", "https://a.test/npm"],
    ["//a.test/npm/:_authToken", "secret"],
    ["__proto__", "x"],
  ]);
});

test("what is written is read, and the last value of a key counts", () => {
  const word = fc.stringMatching(/^[a-z0-9:/@._-]{1,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word)), (pairs) => {
      const text = pairs.map(([key, value]) => `${key} = ${value}`).join("\n");
      expect(parseNpmrc(text, {})).toEqual(new Map(pairs));
    }),
  );
});
