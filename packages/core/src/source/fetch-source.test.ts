import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { digestBytes } from "../../../kit/src/digest.ts";
import { openMemory, skillText } from "../session/search/testing/generated-library.ts";
import { selectIn } from "../session/testing/inspect-session.ts";
import { fetchSource } from "./fetch-source.ts";
import type { SkillSource } from "./skill-source.ts";

interface Site {
  readonly baseUrl: string;
  readonly files: Record<string, string>;
  /** Path and status of every answer since the last look. */
  asked(): string[];
  /** Answers that come before the files. */
  answer?: (
    request: IncomingMessage,
  ) => { status: number; headers?: Record<string, string>; body?: string } | undefined;
  atOnce: number;
}

async function serve(files: Record<string, string>, { etags = true } = {}): Promise<Site> {
  let log: string[] = [];
  let open = 0;
  const site: Site = { baseUrl: "", files, atOnce: 0, asked: () => log.splice(0).sort() };
  const server = createServer(async (request, response) => {
    open += 1;
    site.atOnce = Math.max(site.atOnce, open);
    await new Promise(setImmediate);
    open -= 1;
    const path = decodeURIComponent((request.url ?? "").replace("/skills/", ""));
    const given = site.answer?.(request);
    const text = files[path];
    const etag = `"${digestBytes(Buffer.from(text ?? "")).slice(7, 19)}"`;
    const isSame = etags && request.headers["if-none-match"] === etag;
    const status = given?.status ?? (text === undefined ? 404 : isSame ? 304 : 200);
    log.push(`${path} ${status}`);
    response.writeHead(status, given?.headers ?? (etags ? { etag } : {}));
    response.end(given?.body ?? (status === 200 ? text : ""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  log = [];
  return Object.assign(site, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/skills`,
  });
}

const INDEX = {
  skills: [
    { name: "pdf", description: "Reads PDF files.", files: ["SKILL.md", "scripts/a b.sh"] },
    { name: "csv", description: "Reads CSV files.", files: ["SKILL.md"] },
  ],
};
const site = (options?: { etags: boolean }): Promise<Site> =>
  serve(
    {
      "index.json": JSON.stringify(INDEX),
      "pdf/SKILL.md": skillText("pdf", "Reads PDF files."),
      "pdf/scripts/a b.sh": "echo hi",
      "csv/SKILL.md": skillText("csv", "Reads CSV files."),
      "secret.txt": "not listed",
    },
    options,
  );

const open = (source: SkillSource): ReturnType<typeof openMemory> => openMemory({}, { sources: [source] });

test("skills of a site are found, selected, loaded and read", async () => {
  const { baseUrl, asked } = await site();
  const skills = await open(fetchSource({ baseUrl }));
  expect(skills.list().map(({ name, path }) => [name, path])).toEqual([
    ["csv", `${baseUrl}/csv/SKILL.md`],
    ["pdf", `${baseUrl}/pdf/SKILL.md`],
  ]);
  expect(asked()).toEqual(["csv/SKILL.md 200", "index.json 200", "pdf/SKILL.md 200"]);
  const session = await skills.session();
  expect((await selectIn(session, "read a csv file"))[0]?.skill.name).toBe("csv");
  expect((await session.activate("pdf")).resources.map(({ path }) => path)).toContain("scripts/a b.sh");
  expect((await session.read("pdf", "scripts/a b.sh")).content).toBe("echo hi");
  // What the listing of now was told is not asked for again.
  expect(asked()).toEqual(["pdf/scripts/a b.sh 200"]);
});

test("a reload asks for files by their ETag and sees what changed", async () => {
  const { baseUrl, asked, files } = await site();
  const skills = await open(fetchSource({ baseUrl }));
  asked();
  files["csv/SKILL.md"] = skillText("csv", "Writes CSV files.");
  const { diff } = await skills.reload();
  expect(diff).toEqual({ added: [], removed: [], changed: ["csv"] });
  expect(asked()).toEqual(["csv/SKILL.md 200", "index.json 304", "pdf/SKILL.md 304"]);
});

test("without ETags everything is asked for again, and still right", async () => {
  const { baseUrl, asked, files } = await site({ etags: false });
  const skills = await open(fetchSource({ baseUrl }));
  asked();
  files["csv/SKILL.md"] = skillText("csv", "Writes CSV files.");
  expect((await skills.reload()).diff.changed).toEqual(["csv"]);
  expect(asked()).toEqual(["csv/SKILL.md 200", "index.json 200", "pdf/SKILL.md 200"]);
});

test("a skill whose digest in the index stays is not asked for by a reload", async () => {
  const { baseUrl, asked, files } = await site();
  const index = (digest: string): string =>
    JSON.stringify({
      skills: INDEX.skills.map((skill) => ({ ...skill, treeDigest: `${skill.name}-${digest}` })),
    });
  files["index.json"] = index("1");
  const skills = await open(fetchSource({ baseUrl }));
  asked();
  files["csv/SKILL.md"] = skillText("csv", "Writes CSV files.");
  expect((await skills.reload()).diff.changed).toEqual([]);
  expect(asked()).toEqual(["index.json 304"]);
  expect(skills.find("csv")).toMatchObject({ skill: { manifest: { description: "Reads CSV files." } } });
  files["index.json"] = index("2");
  expect((await skills.reload()).diff.changed).toEqual(["csv"]);
});

test("no more than the bound is asked for at once, and the order is the same", async () => {
  const names = Array.from({ length: 40 }, (_, number) => `skill-${number}`);
  const files = Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skillText(name, "Does it.")]));
  const index = { skills: names.map((name) => ({ name, description: "x", files: ["SKILL.md"] })) };
  const many = await serve({ ...files, "index.json": JSON.stringify(index) });
  const versions: string[] = [];
  for (const concurrency of [Number.NaN, 1, 5]) {
    many.atOnce = 0;
    const skills = await open(fetchSource({ baseUrl: many.baseUrl, concurrency }));
    versions.push(skills.snapshot.version);
    expect(skills.list()).toHaveLength(40);
    expect(many.atOnce).toBeLessThanOrEqual(concurrency || 1);
  }
  expect(many.atOnce).toBeGreaterThan(1);
  expect(new Set(versions).size).toBe(1);
});

test("one file that fails loses one skill, and a site that is down only its own", async () => {
  const place = await site();
  place.answer = ({ url }) => (url?.includes("/pdf/") ? { status: 500 } : undefined);
  const skills = await open(fetchSource({ baseUrl: place.baseUrl }));
  expect(skills.list().map(({ name }) => name)).toEqual(["csv"]);
  expect(skills.snapshot.diagnostics.map(({ code }) => code)).toEqual(["unreadable-skill"]);
  place.answer = () => ({ status: 503 });
  await skills.reload();
  expect(skills.snapshot.roots.map(({ state }) => state)).toEqual(["unreadable"]);
});

test("redirects are refused, whichever way they lead", async () => {
  const place = await site();
  place.answer = ({ url }) =>
    url?.includes("/pdf/") ? { status: 302, headers: { location: "/skills/secret.txt" } } : undefined;
  const skills = await open(fetchSource({ baseUrl: place.baseUrl }));
  expect(skills.list().map(({ name }) => name)).toEqual(["csv"]);
  expect(place.asked()).not.toContain("secret.txt 200");
});

test.each(["secret.txt", "pdf/other.md", "pdf/../secret.txt", "../secret.txt", "pdf/%2e%2e/secret.txt", ""])(
  "%j is not in the index, so it is not asked for",
  async (path) => {
    const { baseUrl, asked } = await site();
    const source = fetchSource({ baseUrl });
    await source.listSkills();
    asked();
    await expect(source.read(path, { maxBytes: 100 })).rejects.toMatchObject({ code: "file-not-found" });
    expect(asked()).toEqual([]);
  },
);

test("entries that lead out of their folder, lack SKILL.md or come twice are left out and reported", async () => {
  const { baseUrl, files } = await site();
  const bad = [
    { name: "a/b", files: ["SKILL.md"] },
    { name: "..", files: ["SKILL.md"] },
    { name: "up", files: ["SKILL.md", "../csv/SKILL.md"] },
    { name: "line", files: ["SKILL.md", "a\n/../../x"] },
    { name: "separator", files: ["SKILL.md", "a\u2028/../../../secret.txt"] },
    { name: "surrogate", files: ["SKILL.md", "a\ud800"] },
    { name: "back", files: ["SKILL.md", "a\\b"] },
    { name: "absolute", files: ["SKILL.md", "/etc/passwd"] },
    { name: "bare", files: ["README.md"] },
    { name: "csv", files: ["SKILL.md"] },
    { name: "many", files: Array.from({ length: 1_001 }, () => "SKILL.md") },
    null,
  ];
  files["index.json"] = JSON.stringify({ skills: [...INDEX.skills, ...bad] });
  const { folders, diagnostics } = await fetchSource({ baseUrl }).listSkills();
  expect(folders.map(({ path }) => path)).toEqual(["pdf", "csv"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(bad.map(() => "index-entry-invalid"));
});

test.each(["<html>", "[]", "null", '{"skills":{}}'])("%s is not an index", async (text) => {
  const { baseUrl, files } = await site();
  files["index.json"] = text;
  await expect(fetchSource({ baseUrl }).listSkills()).rejects.toMatchObject({ code: "source-unavailable" });
});

test("an answer that is larger than the bound is refused", async () => {
  const place = await site();
  place.answer = () => ({ status: 200, body: "x".repeat(17 * 1024 * 1024) });
  await expect(fetchSource(place).listSkills()).rejects.toMatchObject({ code: "source-unavailable" });
});

test("the files of one skill are read up to a bound, whatever each of them is", async () => {
  const place = await site();
  const names = Array.from({ length: 5 }, (_, number) => `${number}.bin`);
  place.files["index.json"] = JSON.stringify({ skills: [{ name: "pdf", files: ["SKILL.md", ...names] }] });
  const body = "x".repeat(15 * 1024 * 1024);
  place.answer = ({ url }) => (url?.endsWith(".bin") ? { status: 200, body } : undefined);
  const source = fetchSource({ ...place, concurrency: 2 });
  await source.listSkills();
  await expect(source.listFiles("pdf")).rejects.toMatchObject({ code: "source-unavailable" });
});

test.each(["http://example.com/", "ftp://example.com/", "https://user:word@example.com/", "file:///etc/"])(
  "%s is not a site of skills",
  (baseUrl) => {
    expect(() => fetchSource({ baseUrl })).toThrow(expect.objectContaining({ code: "source-url-invalid" }));
  },
);
