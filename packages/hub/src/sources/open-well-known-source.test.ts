import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { digestBytes } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import { fetchContextFor } from "./http/testing/fetch-context-for.ts";
import { serve, serveFiles } from "./http/testing/serve.ts";
import { tarBytes } from "./testing/tar-bytes.ts";
import { zipBytes } from "./testing/zip-bytes.ts";
import { openWellKnownSource, resolveWellKnown } from "./well-known.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const ARCHIVE = gzipSync(
  tarBytes([
    { name: "SKILL.md", content: "# pdf" },
    { name: "scripts/run.sh", content: "hi", mode: 0o755 },
  ]),
);
const ZIP = zipBytes([{ name: "SKILL.md", content: "# zip" }]);
const PREFIX = "/.well-known/agent-skills";

function index(skills: readonly object[], $schema: string | undefined = SCHEMA): string {
  return JSON.stringify({ $schema, skills });
}

function entry(
  name: string,
  { type = "archive", url, bytes }: { type?: string; url: string; bytes: string | Uint8Array },
): object {
  return { name, type, url, description: `About ${name}.`, digest: digestBytes(Buffer.from(bytes)) };
}

const SITE = {
  [`${PREFIX}/index.json`]: index([
    entry("pdf", { url: "pdf.tar.gz", bytes: ARCHIVE }),
    entry("zip", { url: `${PREFIX}/zip.zip`, bytes: ZIP }),
    entry("plain", { type: "skill-md", url: "plain/SKILL.md", bytes: "# plain" }),
  ]),
  [`${PREFIX}/pdf.tar.gz`]: ARCHIVE,
  [`${PREFIX}/zip.zip`]: ZIP,
  [`${PREFIX}/plain/SKILL.md`]: "# plain",
};

describe("a site of version 0.2", () => {
  test("is listed without downloading any skill", async () => {
    const { origin, host, asked } = await serveFiles(SITE);
    const context = fetchContextFor([host]);
    const opened = await openWellKnownSource({ kind: "well-known", base: origin }, context);
    expect(opened.entries.map(({ path }) => path)).toEqual([
      "pdf/SKILL.md",
      "plain/SKILL.md",
      "zip/SKILL.md",
    ]);
    expect(opened.summaries?.get("pdf")).toEqual({ name: "pdf", description: "About pdf." });
    expect(opened.resolvedOf?.("pdf")).toEqual({
      kind: "well-known",
      index: `${origin}${PREFIX}/index.json`,
      name: "pdf",
      digest: digestBytes(ARCHIVE),
    });
    expect(asked).toEqual([`${PREFIX}/index.json`]);
  });

  test("gives the real entries of a skill when asked, downloading it once", async () => {
    const { origin, host, asked } = await serveFiles(SITE);
    const context = fetchContextFor([host]);
    const opened = await openWellKnownSource({ kind: "well-known", base: `${origin}/` }, context);
    expect(await opened.expand?.("pdf")).toEqual([
      { path: "pdf/SKILL.md", mode: "644", size: 5 },
      { path: "pdf/scripts/run.sh", mode: "755", size: 2 },
    ]);
    const files = await opened.read(["zip/SKILL.md", "pdf/scripts/run.sh", "plain/SKILL.md", "pdf/SKILL.md"]);
    expect(files.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual([
      "# zip",
      "hi",
      "# plain",
      "# pdf",
    ]);
    expect(asked.slice(1)).toEqual([`${PREFIX}/pdf.tar.gz`, `${PREFIX}/zip.zip`, `${PREFIX}/plain/SKILL.md`]);
    expect(readdirSync(context.home)).toEqual([]);
    await expect(opened.read(["none/SKILL.md"])).rejects.toMatchObject({ code: "source-entry-missing" });
    await expect(opened.read(["pdf/none"])).rejects.toMatchObject({ code: "source-entry-missing" });
    await opened.close();
    await expect(opened.read(["pdf/SKILL.md"])).rejects.toMatchObject({ code: "source-closed" });
  });

  test("that is closed while it is read downloads no further skill", async () => {
    const asked: (string | undefined)[] = [];
    const { origin, host } = await serve(async ({ url }, response) => {
      asked.push(url);
      if (asked.length === 2) await opened.close();
      response.end(Object.entries(SITE).find(([path]) => path === url)?.[1]);
    });
    const opened = await openWellKnownSource({ kind: "well-known", base: origin }, fetchContextFor([host]));
    await expect(opened.read(["pdf/SKILL.md", "zip/SKILL.md"])).rejects.toMatchObject({
      code: "source-closed",
    });
    expect(asked).toEqual([`${PREFIX}/index.json`, `${PREFIX}/pdf.tar.gz`]);
  });

  test("whose artefact is not what the index says gives nothing, and may be asked again", async () => {
    const files: Record<string, string | Uint8Array> = {
      ...SITE,
      [`${PREFIX}/pdf.tar.gz`]: "not even an archive",
    };
    const { origin, host } = await serveFiles(files);
    const opened = await openWellKnownSource({ kind: "well-known", base: origin }, fetchContextFor([host]));
    const error = (await opened.expand?.("pdf").catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: "digest-mismatch", data: { expected: digestBytes(ARCHIVE) } });
    expect(error.message).toContain("the index");
    files[`${PREFIX}/pdf.tar.gz`] = ARCHIVE;
    expect(await opened.read(["pdf/SKILL.md"])).toHaveLength(1);
  });

  test("whose archive is hostile, or has no SKILL.md at its root, gives nothing", async () => {
    const evil = zipBytes([{ name: "SKILL.md" }, { name: "../evil" }]);
    const deep = zipBytes([{ name: "a/SKILL.md" }, { name: "b/SKILL.md" }]);
    const { origin, host } = await serveFiles({
      [`${PREFIX}/index.json`]: index([
        entry("evil", { url: "e.zip", bytes: evil }),
        entry("deep", { url: "d.zip", bytes: deep }),
      ]),
      [`${PREFIX}/e.zip`]: evil,
      [`${PREFIX}/d.zip`]: deep,
    });
    const opened = await openWellKnownSource({ kind: "well-known", base: origin }, fetchContextFor([host]));
    await expect(opened.read(["evil/SKILL.md"])).rejects.toMatchObject({ code: "archive-refused" });
    await expect(opened.read(["deep/SKILL.md"])).rejects.toThrow(/no SKILL\.md at its root/);
  });

  test("is held to a pin: same digest, or nothing", async () => {
    const { origin, host, asked } = await serveFiles(SITE);
    const context = fetchContextFor([host]);
    const source = { kind: "well-known", base: origin } as const;
    const pin = await resolveWellKnown(source, context, { kind: "well-known", index: "", name: "pdf" });
    const opened = await openWellKnownSource(source, context, pin);
    expect(opened.entries.map(({ path }) => path)).toEqual(["pdf/SKILL.md"]);
    const other = { ...pin, digest: digestBytes(Buffer.from("older")) };
    await expect(openWellKnownSource(source, context, other)).rejects.toMatchObject({
      code: "digest-mismatch",
    });
    await expect(openWellKnownSource(source, context, { ...pin, name: "gone" })).rejects.toMatchObject({
      code: "index-entry-missing",
    });
    expect(asked.filter((path) => !path.endsWith("index.json"))).toEqual([]);
  });
});

describe("a site of version 0.1", () => {
  const old = (files: readonly string[]): string =>
    JSON.stringify({ skills: [{ name: "pdf", description: "x", files }] });

  test("gives its files one by one, without a digest", async () => {
    const { origin, host, asked } = await serveFiles({
      "/.well-known/skills/index.json": old(["SKILL.md", "references/a.md"]),
      "/.well-known/skills/pdf/SKILL.md": "# pdf",
      "/.well-known/skills/pdf/references/a.md": "a",
    });
    const opened = await openWellKnownSource({ kind: "well-known", base: origin }, fetchContextFor([host]));
    expect(opened.entries.map(({ path }) => path)).toEqual(["pdf/SKILL.md", "pdf/references/a.md"]);
    expect(opened.resolvedOf?.("pdf")).toEqual({
      kind: "well-known",
      index: `${origin}/.well-known/skills/index.json`,
      name: "pdf",
    });
    expect(await opened.read(["pdf/references/a.md"])).toEqual([
      { path: "pdf/references/a.md", mode: "644", bytes: Buffer.from("a") },
    ]);
    expect(asked.slice(2)).toEqual([
      "/.well-known/skills/pdf/SKILL.md",
      "/.well-known/skills/pdf/references/a.md",
    ]);
  });

  test("gives nothing of a skill of which one file is missing or lies on another site", async () => {
    const other = await serveFiles({ "/a.md": "x" });
    for (const status of [404, 302]) {
      const { origin, host } = await serve((request, response) => {
        if (request.url === "/.well-known/skills/index.json") response.end(old(["SKILL.md", "a.md"]));
        else if (request.url?.endsWith("/SKILL.md") === true) response.end("# pdf");
        else
          response
            .writeHead(request.url?.endsWith("a.md") === true ? status : 404, {
              location: `${other.origin}/a.md`,
            })
            .end();
      });
      const opened = await openWellKnownSource(
        { kind: "well-known", base: origin },
        fetchContextFor([host, other.host]),
      );
      await expect(opened.read(["pdf/SKILL.md"])).rejects.toMatchObject({
        code: status === 404 ? "http-status" : "http-redirect",
      });
    }
  });
});

describe("an index", () => {
  test("is looked for below the path, then at the root, under both prefixes", async () => {
    const { origin, host, asked } = await serveFiles({});
    const context = fetchContextFor([host]);
    const base = `${origin}/docs/`;
    await expect(openWellKnownSource({ kind: "well-known", base }, context)).rejects.toMatchObject({
      code: "index-not-found",
    });
    expect(asked).toEqual([
      "/docs/.well-known/agent-skills/index.json",
      "/docs/.well-known/skills/index.json",
      "/.well-known/agent-skills/index.json",
      "/.well-known/skills/index.json",
    ]);
  });

  test("that cannot be used is passed over for one that can, and named", async () => {
    const { origin, host } = await serveFiles({
      ...SITE,
      "/docs/.well-known/agent-skills/index.json": "<html>",
      "/docs/.well-known/skills/index.json": index([], "https://x.test/9"),
    });
    const opened = await openWellKnownSource(
      { kind: "well-known", base: `${origin}/docs` },
      fetchContextFor([host]),
    );
    expect(opened.diagnostics.map(({ code }) => code)).toEqual(["index-invalid", "index-schema-unknown"]);
    expect(opened.entries).toHaveLength(3);
  });

  test("that is the only one and cannot be used is an error that says why", async () => {
    const { origin, host } = await serveFiles({ [`${PREFIX}/index.json`]: "<html>" });
    await expect(
      openWellKnownSource({ kind: "well-known", base: origin }, fetchContextFor([host])),
    ).rejects.toMatchObject({
      code: "index-unusable",
      message: expect.stringContaining("is not JSON") as string,
    });
  });

  test("may be named itself, or by its folder", async () => {
    const { origin, host, asked } = await serveFiles(SITE);
    const context = fetchContextFor([host]);
    for (const base of [`${origin}${PREFIX}/index.json`, `${origin}${PREFIX}/`])
      await openWellKnownSource({ kind: "well-known", base }, context);
    expect(new Set(asked)).toEqual(new Set([`${PREFIX}/index.json`]));
  });

  test("on a server that fails is an error, not an absent index", async () => {
    const { origin, host } = await serve((_, response) => response.writeHead(503).end());
    await expect(
      openWellKnownSource({ kind: "well-known", base: origin }, fetchContextFor([host])),
    ).rejects.toMatchObject({ code: "http-status" });
  });

  test("with a fault in the wanted entry says so", async () => {
    const { origin, host } = await serveFiles({
      [`${PREFIX}/index.json`]: index([
        { name: "pdf", type: "archive", url: "x", description: "x", sha256: "abc" },
      ]),
    });
    await expect(
      resolveWellKnown({ kind: "well-known", base: origin }, fetchContextFor([host]), {
        kind: "well-known",
        index: "",
        name: "pdf",
      }),
    ).rejects.toThrow(/the key `sha256`/);
  });
});
