import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Hub } from "../open-hub.ts";
import { hubSandbox, wanted } from "../testing/hub-sandbox.ts";
import { fetchContextFor } from "./http/testing/fetch-context-for.ts";
import { npmRegistry, parseNpmrc } from "./npm-registry.ts";

const registryOf = async (
  name: string,
  {
    npmrc = "",
    project = undefined as string | undefined,
    environment = {} as Record<string, string>,
    hosts = [] as string[],
  } = {},
): Promise<unknown> => {
  const { home } = fetchContextFor([]);
  writeFileSync(join(home, ".npmrc"), npmrc);
  const projectFile = join(home, "project.npmrc");
  if (project !== undefined) writeFileSync(projectFile, project);
  const { url, headers } = await npmRegistry(
    name,
    fetchContextFor(hosts, {
      environment: { HOME: home, ...environment },
      projectNpmrc: () => (project === undefined ? undefined : projectFile),
    }),
  );
  return [url.href, headers.authorization];
};

test("the registry is our own variable's, the scope's, npm's variable's, then the user's", async () => {
  const npmrc = "registry=https://user.test\n@s:registry=https://scope.test/npm/";
  expect(await registryOf("a", { npmrc })).toEqual(["https://user.test/", undefined]);
  expect(await registryOf("@s/a", { npmrc })).toEqual(["https://scope.test/npm/", undefined]);
  expect(await registryOf("@t/a", { npmrc })).toEqual(["https://user.test/", undefined]);
  const environment = { npm_config_registry: "https://npm.test/" };
  expect(await registryOf("a", { npmrc, environment })).toEqual(["https://npm.test/", undefined]);
  expect(await registryOf("@s/a", { npmrc, environment })).toEqual(["https://scope.test/npm/", undefined]);
  expect(
    await registryOf("@s/a", {
      npmrc,
      environment: { ...environment, SKILLET_NPM_REGISTRY: "https://own.test" },
    }),
  ).toEqual(["https://own.test/", undefined]);
});

test("a token goes to the host and path that it is for, and to no other", async () => {
  const npmrc = "//r.test/team/:_authToken=t1\n//r.test:8443/:_authToken=t2\n//other.test/:_authToken=t3";
  const at = (registry: string, hosts: string[] = []): Promise<unknown> =>
    registryOf("a", { npmrc, hosts, environment: { SKILLET_NPM_REGISTRY: registry } });
  expect(await at("https://r.test/team/npm/")).toEqual(["https://r.test/team/npm/", "Bearer t1"]);
  expect(await at("https://r.test/team")).toEqual(["https://r.test/team/", "Bearer t1"]);
  expect(await at("https://r.test/teams/")).toEqual(["https://r.test/teams/", undefined]);
  expect(await at("https://r.test/")).toEqual(["https://r.test/", undefined]);
  expect(await at("https://r.test:8443/x/")).toEqual(["https://r.test:8443/x/", "Bearer t2"]);
  expect(await at("https://r.test.evil.test/")).toEqual(["https://r.test.evil.test/", undefined]);
});

test("a token goes over plain http only to hosts that are allowed", async () => {
  const npmrc = "//r.test/:_authToken=t";
  const environment = { SKILLET_NPM_REGISTRY: "http://r.test/" };
  expect(await registryOf("a", { npmrc, environment })).toEqual(["http://r.test/", undefined]);
  expect(await registryOf("a", { npmrc, environment, hosts: ["r.test"] })).toEqual([
    "http://r.test/",
    "Bearer t",
  ]);
});

test("a token that would end a header is not sent", async () => {
  const environment = { SKILLET_NPM_REGISTRY: "https://r.test/", TOKEN: "a\r\nx-evil: 1" };
  expect(await registryOf("a", { npmrc: `//r.test/:_authToken=\${TOKEN}`, environment })).toEqual([
    "https://r.test/",
    undefined,
  ]);
});

test("without a registry, the error says how to set one", async () => {
  await expect(registryOf("a")).rejects.toThrow(/npm config set registry URL, or SKILLET_NPM_REGISTRY=URL/);
});

test.each(["no address", "ftp://r.test/", "https://user:secret@r.test/"])(
  "%s is not a registry, and is not shown",
  async (registry) => {
    const environment = { SKILLET_NPM_REGISTRY: registry };
    await expect(registryOf("a", { environment })).rejects.toThrow(
      expect.objectContaining({
        code: "npm-registry-invalid",
        message: expect.not.stringContaining("secret") as string,
      }),
    );
  },
);

test("where nothing is configured, npm itself is asked, without variables of other programs", async () => {
  const { home } = fetchContextFor([]);
  const npm = join(home, "npm");
  writeFileSync(
    npm,
    `#!/bin/sh\n[ "$*" = "config get registry" ] && echo "https://own.test/\${SECRET-none}"\n`,
  );
  chmodSync(npm, 0o755);
  const environment = { PATH: home, SECRET: "s" };
  expect(await registryOf("a", { environment })).toEqual(["https://own.test/none/", undefined]);
  expect(await registryOf("a", { environment, npmrc: "registry=https://user.test" })).toEqual([
    "https://user.test/",
    undefined,
  ]);
  writeFileSync(npm, "#!/bin/sh\nexit 1\n");
  await expect(registryOf("a", { environment })).rejects.toThrow(/npm itself could not be asked/);
});

test("a trusted project's file names registries before the user's, and neither tokens nor variables", async () => {
  const npmrc = "registry=https://user.test\n//p.test/:_authToken=mine";
  const project = "registry=https://p.test\n@s:registry=https://p.test/s\n//p.test/:_authToken=theirs";
  expect(await registryOf("a", { npmrc, project })).toEqual(["https://p.test/", "Bearer mine"]);
  expect(await registryOf("@s/a", { npmrc, project })).toEqual(["https://p.test/s/", "Bearer mine"]);
  const sending = `registry=https://p.test/\${TOKEN}\n//user.test/:_authToken=theirs`;
  const environment = { TOKEN: "secret" };
  expect(await registryOf("a", { npmrc, project: sending, environment })).toEqual([
    "https://user.test/",
    undefined,
  ]);
});

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

test("a trusted project's .npmrc names the registry for its own installs, and not for the user's", async () => {
  const box = hubSandbox();
  writeFileSync(join(box.project, ".npmrc"), "registry=https://10.0.0.2/\n");
  const options = {
    workspace: box.project,
    projectTrusted: true,
    environment: { SKILLET_HOME: box.home, HOME: box.userHome, npm_config_registry: "" },
  };
  writeFileSync(join(box.userHome, ".npmrc"), "registry=https://10.0.0.1/\n");
  const tried = async (hub: Hub): Promise<string> =>
    hub.planInstall(wanted("npm:left@1.0.0")).then(String, String);
  expect(await tried(await box.open(options))).toContain("10.0.0.2");
  expect(await tried(await box.openUser(options))).toContain("10.0.0.1");
  expect(await tried(await box.open({ ...options, projectTrusted: false }))).toContain("10.0.0.1");
});
