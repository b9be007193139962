import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { openArchiveSource } from "./archive.ts";
import { fetchContextFor } from "./http/testing/fetch-context-for.ts";
import { serve, serveFiles } from "./http/testing/serve.ts";
import { resolveSource } from "./open-source.ts";
import { tarBytes } from "./testing/tar-bytes.ts";
import { zipBytes } from "./testing/zip-bytes.ts";

const ARCHIVE = zipBytes([{ name: "top/SKILL.md", content: "# skill" }]);

test("an archive is opened by its address or its path, and pinned by the digest of its bytes", async () => {
  const { origin, host } = await serveFiles({ "/a.skill": ARCHIVE });
  const context = fetchContextFor([host]);
  const file = join(context.home, "a.skill");
  writeFileSync(file, ARCHIVE);
  for (const location of [`${origin}/a.skill`, file]) {
    const source = { kind: "archive", location } as const;
    const resolved = { kind: "archive", location, digest: digestBytes(ARCHIVE) } as const;
    const opened = await openArchiveSource(source, context);
    expect(opened.resolved).toEqual(resolved);
    expect(opened.entries).toEqual([{ path: "SKILL.md", mode: "644", size: 7 }]);
    expect(await opened.read(["SKILL.md"])).toEqual([
      { path: "SKILL.md", mode: "644", bytes: Buffer.from("# skill") },
    ]);
    expect(await resolveSource(source, context, resolved)).toEqual(resolved);
    await opened.close();
  }
  expect(readdirSync(context.home)).toEqual(["a.skill"]);
});

test("bytes that are not those of the pin are not even looked into", async () => {
  const { origin, host } = await serveFiles({ "/a.zip": "not even an archive" });
  const location = `${origin}/a.zip`;
  const expected = { kind: "archive", location, digest: digestBytes(ARCHIVE) } as const;
  await expect(
    openArchiveSource({ kind: "archive", location }, fetchContextFor([host]), expected),
  ).rejects.toMatchObject({
    code: "digest-mismatch",
    data: { expected: expected.digest, found: digestBytes(Buffer.from("not even an archive")) },
  });
});

test("what came is judged by its bytes, whatever it is called", async () => {
  const { origin, host } = await serve((request, response) => {
    const body = request.url === "/page.zip" ? "<!doctype html>" : tarBytes([{ name: "SKILL.md" }]);
    response.writeHead(200, { "content-type": "text/html", "content-length": body.length }).end(body);
  });
  const context = fetchContextFor([host]);
  const open = (path: string): ReturnType<typeof openArchiveSource> =>
    openArchiveSource({ kind: "archive", location: `${origin}${path}` }, context);
  expect((await open("/tar.zip")).entries.map(({ path }) => path)).toEqual(["SKILL.md"]);
  await expect(open("/page.zip")).rejects.toThrow(/came as "text\/html"/);
});

test("a file that is not there is said to be missing", async () => {
  const context = fetchContextFor([]);
  const location = join(context.home, "none.zip");
  await expect(openArchiveSource({ kind: "archive", location }, context)).rejects.toMatchObject({
    code: "file-not-found",
  });
});
