import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { FetchContext } from "./fetch-context.ts";
import { fetchContextFor } from "./http/testing/fetch-context-for.ts";
import { serve } from "./http/testing/serve.ts";
import { openNpmSource, resolveNpm } from "./npm.ts";
import { tarBytes } from "./testing/tar-bytes.ts";

const sum = (bytes: Uint8Array): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
const TARBALL = gzipSync(
  tarBytes([
    {
      name: "package/package.json",
      content: JSON.stringify({
        name: "skills-pack",
        agentskills: {
          skills: [{ name: "odd", path: "./lib/odd" }, { path: "../out" }, { path: "lib/none" }],
        },
      }),
    },
    { name: "package/skills/one/SKILL.md", content: "# one" },
    { name: "package/dist/skills/one/SKILL.md", content: "# built" },
    { name: "package/dist/skills/two/SKILL.md", content: "# two" },
    { name: "package/lib/odd/SKILL.md", content: "# odd" },
  ]),
);

interface Fake {
  readonly name?: string;
  readonly tarball?: Uint8Array;
  readonly dist?: object;
  readonly manifest?: object;
}

interface Registry {
  readonly origin: string;
  readonly asked: string[];
  readonly context: (more?: Partial<FetchContext>) => FetchContext;
}

async function registry({
  name = "skills-pack",
  tarball = TARBALL,
  dist,
  manifest,
}: Fake = {}): Promise<Registry> {
  const asked: string[] = [];
  const served = await serve((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? "-"}`);
    if (request.url === `/${name.replace("/", "%2f")}`) {
      const version = (number: string): object => ({
        version: number,
        dist: {
          tarball: `${served.origin}/-/pack-${number}.tgz`,
          integrity: `sha1-abc ${sum(tarball)}`,
          ...dist,
        },
        ...manifest,
      });
      response.end(
        JSON.stringify({
          name,
          "dist-tags": { latest: "1.1.0", next: "2.0.0-rc.1" },
          versions: {
            "1.0.0": version("1.0.0"),
            "1.1.0": version("1.1.0"),
            "2.0.0-rc.1": version("2.0.0-rc.1"),
            "../evil": version("../evil"),
          },
        }),
      );
    } else if (request.url?.startsWith("/-/") === true)
      response.writeHead(200, { "content-length": tarball.length }).end(tarball);
    else response.writeHead(404, { "content-length": 0 }).end();
  });
  return {
    origin: served.origin,
    asked,
    context: (more = {}) =>
      fetchContextFor([served.host], { environment: { SKILLET_NPM_REGISTRY: served.origin }, ...more }),
  };
}

const SOURCE = { kind: "npm", name: "skills-pack" } as const;

test("a package is pinned by version and sum, and says where its skills are", async () => {
  const { context, asked } = await registry();
  const fetching = context();
  const opened = await openNpmSource(SOURCE, fetching);
  expect(opened.resolved).toEqual({
    kind: "npm",
    name: "skills-pack",
    version: "1.1.0",
    integrity: sum(TARBALL),
  });
  expect(opened.skillFolders).toEqual(["dist/skills/two", "lib/odd", "skills/one"]);
  expect(opened.diagnostics.map(({ code, message }) => [code, /\.\.|no SKILL/.test(message)])).toEqual([
    ["npm-skill-missing", true],
    ["npm-skill-missing", true],
  ]);
  expect(new TextDecoder().decode((await opened.read(["skills/one/SKILL.md"]))[0]?.bytes)).toBe("# one");
  expect(asked).toEqual(["/skills-pack -", "/-/pack-1.1.0.tgz -"]);
  expect(readdirSync(fetching.home)).toEqual([]);
});

test("what npm itself packs is read", async () => {
  const { home } = fetchContextFor([]);
  const files = {
    "package.json": JSON.stringify({ name: "@team/real", version: "1.0.0" }),
    "SKILL.md": "---\nname: real\ndescription: Real.\n---\n",
    "scripts/run.sh": "echo hi",
    "références/é.md": "é",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  execFileSync("npm", ["pack", "--offline", "--silent", "--ignore-scripts"], {
    cwd: home,
    env: { ...process.env, HOME: home },
  });
  const tarball = readFileSync(join(home, "team-real-1.0.0.tgz"));
  const { context, asked } = await registry({ name: "@team/real", tarball });
  const opened = await openNpmSource({ kind: "npm", name: "@team/real", version: "1.0.0" }, context());
  expect(opened.skillFolders).toEqual([""]);
  expect(opened.entries.map(({ path, mode }) => `${mode} ${path}`)).toEqual([
    "644 SKILL.md",
    "644 package.json",
    "644 références/é.md",
    "755 scripts/run.sh",
  ]);
  expect(asked[0]).toBe("/@team%2freal -");
});

test("versions and tags are found; ranges and what is unknown are not", async () => {
  const { context } = await registry();
  const versionOf = async (version?: string): Promise<string> =>
    (await resolveNpm({ ...SOURCE, ...(version === undefined ? {} : { version }) }, context())).version;
  expect(await versionOf()).toBe("1.1.0");
  expect(await versionOf("1.0.0")).toBe("1.0.0");
  expect(await versionOf("next")).toBe("2.0.0-rc.1");
  for (const version of ["^1.0.0", "9.9.9", "../evil", "__proto__", ""])
    await expect(versionOf(version)).rejects.toMatchObject({
      code: "npm-version-unknown",
      message: expect.stringContaining('"latest", "next"') as string,
    });
});

describe("nothing is unpacked", () => {
  test("when the bytes are not those that the registry promises", async () => {
    const { context } = await registry({ dist: { integrity: sum(Buffer.from("other")) } });
    await expect(openNpmSource(SOURCE, context())).rejects.toMatchObject({
      code: "digest-mismatch",
      data: { found: sum(TARBALL) },
    });
  });

  test("when the registry now promises others than those of the pin", async () => {
    const { context, asked } = await registry();
    const expected = {
      kind: "npm",
      name: "skills-pack",
      version: "1.0.0",
      integrity: sum(Buffer.from("older")),
    } as const;
    await expect(openNpmSource(SOURCE, context(), expected)).rejects.toMatchObject({
      code: "digest-mismatch",
    });
    expect(asked).toEqual(["/skills-pack -"]);
    const opened = await openNpmSource(SOURCE, context(), { ...expected, integrity: sum(TARBALL) });
    expect(opened.resolved).toMatchObject({ version: "1.0.0" });
  });

  test.each([
    undefined,
    "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
    "sha512-short",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  ])("when its sum is %s", async (integrity) => {
    const { context, asked } = await registry({ dist: { integrity } });
    await expect(openNpmSource(SOURCE, context())).rejects.toMatchObject({ code: "npm-integrity-missing" });
    expect(asked).toHaveLength(1);
  });

  test("when it is hostile", async () => {
    const tarball = gzipSync(
      tarBytes([{ name: "package/SKILL.md" }, { name: "package/a", type: "2", link: "/etc/passwd" }]),
    );
    const { context } = await registry({ tarball });
    await expect(openNpmSource(SOURCE, context())).rejects.toMatchObject({ code: "archive-refused" });
  });

  test("when it lies on another site that is not allowed", async () => {
    const asked: unknown[] = [];
    const other = await serve((request, response) => {
      asked.push(request.headers.authorization);
      response.end(TARBALL);
    });
    const { context, origin } = await registry({ dist: { tarball: `${other.origin}/x.tgz` } });
    await expect(openNpmSource(SOURCE, context())).rejects.toMatchObject({
      code: "npm-tarball-elsewhere",
      message: expect.stringMatching(
        new RegExp(`skillet config set hub\\.privateHosts '\\[.*"${other.host}"\\]'$`),
      ),
    });
    expect(asked).toEqual([]);
    const { home } = fetchContextFor([]);
    writeFileSync(join(home, ".npmrc"), `//${new URL(origin).host}/:_authToken=secret`);
    await openNpmSource(
      SOURCE,
      context({
        allowedPrivateHosts: [other.host, new URL(origin).host],
        environment: { HOME: home, SKILLET_NPM_REGISTRY: origin },
      }),
    );
    expect(asked).toEqual([undefined]);
  });

  test("when the registry leads to a private address", async () => {
    const { context } = await registry({ dist: { tarball: "http://169.254.169.254/x.tgz" } });
    await expect(openNpmSource(SOURCE, context())).rejects.toMatchObject({ code: "npm-tarball-elsewhere" });
  });
});

test("the token of the registry goes along, and is in no error", async () => {
  const { context, origin, asked } = await registry();
  const { home } = fetchContextFor([]);
  writeFileSync(join(home, ".npmrc"), `//${new URL(origin).host}/:_authToken=secret`);
  const environment = { HOME: home, SKILLET_NPM_REGISTRY: origin };
  await openNpmSource(SOURCE, context({ environment }));
  expect(asked).toEqual(["/skills-pack Bearer secret", "/-/pack-1.1.0.tgz Bearer secret"]);
  const error = (await openNpmSource({ kind: "npm", name: "unknown" }, context({ environment })).catch(
    (thrown: unknown) => thrown,
  )) as Error;
  expect(error).toMatchObject({ code: "npm-package-unknown" });
  expect(`${error.message}${JSON.stringify(error)}`).not.toContain("secret");
});

test("a version that its authors gave up on is opened with a warning", async () => {
  const { context } = await registry({ manifest: { deprecated: "use other-pack" } });
  expect((await openNpmSource(SOURCE, context())).diagnostics[0]).toMatchObject({
    code: "npm-deprecated",
    message: expect.stringContaining("use other-pack") as string,
  });
});

test("an answer that is not a package document, and a malformed name, are errors", async () => {
  const { origin, host } = await serve((_, response) => response.end("<html>"));
  const context = fetchContextFor([host], { environment: { SKILLET_NPM_REGISTRY: origin } });
  await expect(openNpmSource(SOURCE, context)).rejects.toMatchObject({ code: "npm-answer-invalid" });
  for (const name of ["../evil", "a/b", "@a", "A", "a?b", ".hidden", ""])
    await expect(openNpmSource({ kind: "npm", name }, context)).rejects.toMatchObject({
      code: "npm-name-invalid",
    });
});
