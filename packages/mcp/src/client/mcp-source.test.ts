import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySource, openSkills, type SkillVetter } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../server/serve-http.ts";
import { openFiles } from "../server/testing/serve-files.ts";
import { type McpSourceOptions, mcpSource } from "./mcp-source.ts";
import { ENTRY, FORMS, type Lies, resource, SKILL, startLying } from "./testing/lying-server.ts";

const LOCAL = { "pdf/SKILL.md": "---\nname: pdf\ndescription: Mine.\n---\nMine.\n" };

function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillet-mcp-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(
  lies: Lies = {},
  more: Partial<McpSourceOptions> & { readonly vetter?: SkillVetter } = {},
) {
  const { url, asked } = await startLying(lies);
  const { vetter, ...given } = more;
  const source = mcpSource({ label: "acme", url, ...given });
  const home = temporary();
  const skills = await openSkills({
    ...{ home, userHome: home, workspace: home, environment: {}, config: false, cacheDirectory: false },
    ...{ organisationDirectory: false, bundledDirectory: false, roots: [], vetter },
    sources: [source, new MemorySource(LOCAL)],
  });
  return { skills, source, asked };
}

/** The error of loading the one skill of the server. */
async function loadFrom(lies: Lies, more: Partial<McpSourceOptions> = {}) {
  const { skills, asked } = await open(lies, more);
  const session = await skills.session();
  const error = await session.activate("acme:pdf").then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error: error as Error & { code: string }, asked, session, skills };
}

test("skills are listed under the server's label from the community, beside local ones of the same name, and no file is fetched", async () => {
  const { skills, asked } = await open();
  const session = await skills.session();
  const { text } = session.catalog();
  await skills.select("fill in a form");
  expect(text).toContain("acme:pdf");
  expect(skills.list()).toMatchObject([
    { qualifiedName: "acme:pdf", origin: "community", digest: resource("SKILL.md", SKILL).digest },
    { qualifiedName: "pdf", manifest: { description: "Mine." } },
  ]);
  expect(asked.filter((one) => one.startsWith("resources/read"))).toEqual([]);
  const { text: loaded } = await session.activate("acme:pdf");
  expect(loaded).toContain("Fill it.");
  expect(loaded).toContain("acme:pdf");
  expect(await session.read("acme:pdf", "references/forms.md")).toMatchObject({ content: FORMS });
  expect((await session.activate("pdf")).text).toContain("Mine.");
});

test("a skill is judged when it is loaded, not before, and its text is kept back where that says so", async () => {
  const judged: string[] = [];
  const vetter: SkillVetter = {
    ruleSet: "test",
    vet: async (asked) =>
      asked.map(({ name }) => {
        judged.push(name);
        const outcome = name === "pdf" ? "allow" : "withhold";
        return { outcome, verdict: "dangerous", reason: "it steals", diagnostics: [] };
      }),
  };
  const { skills, asked } = await open({}, { vetter });
  const session = await skills.session();
  expect(judged).toEqual(["pdf"]);
  expect(asked.filter((one) => one.startsWith("resources/read"))).toEqual([]);
  await expect(session.activate("acme:pdf")).rejects.toMatchObject({ code: "skill-not-offered" });
  expect(judged).toEqual(["pdf", "acme:pdf"]);
});

test.each([
  ["another digest", { "skill://pdf/SKILL.md": SKILL.replace("Fill", "Kill") }],
  ["another size", { "skill://pdf/SKILL.md": `${SKILL}More.\n` }],
  ["no such file", {}],
])(
  "a SKILL.md with %s than listed is not loaded, and nothing else of the skill is asked for",
  async (_what, files) => {
    const { error, asked } = await loadFrom({
      files: { "skill://pdf/references/forms.md": FORMS, ...files },
    });
    expect(asked).not.toContain("resources/read skill://pdf/references/forms.md");
    expect(error.code).toMatch(/skill-(?:unreadable|changing|drifted|tree-unreadable)|mcp-/);
  },
);

test("each lie about a file is a typed error that says which", async () => {
  const changed = SKILL.replace("level: 2", "level: 3");
  const lying = { ...ENTRY, resources: [resource("SKILL.md", changed)] };
  for (const [reason, lies] of [
    ["digest", { files: { "skill://pdf/SKILL.md": SKILL.replace("Fill", "Kill") } }],
    ["size", { files: { "skill://pdf/SKILL.md": "short" } }],
    ["frontmatter", { pages: [[lying]], files: { "skill://pdf/SKILL.md": changed } }],
  ] as const) {
    const { source } = await open(lies);
    const read = source.read("pdf/SKILL.md", { maxBytes: 1_000_000 });
    await expect(read).rejects.toMatchObject({ code: "mcp-verification-failed", data: { reason } });
  }
});

test("an entry that breaks a rule is left out with the reason, and the others stay", async () => {
  const outside = { ...ENTRY, resources: [...ENTRY.resources, resource("../x", "")] };
  const named = { ...ENTRY, uri: "skill://other/SKILL.md" };
  const many = Array.from({ length: 600 }, (_, at) => resource(`${at}.md`, ""));
  const pages = [
    [outside, named, { ...ENTRY, resources: "dynamic" }, { ...ENTRY, resources: many }, 7],
    [ENTRY, { ...ENTRY }],
  ];
  const { skills } = await open({ pages });
  expect(skills.list().map(({ qualifiedName }) => qualifiedName)).toEqual(["acme:pdf", "pdf"]);
  const reasons = skills.snapshot.diagnostics.map(({ message }) => message.replace(/^.*: /, ""));
  expect(reasons).toEqual([
    "a file lies outside the skill.",
    "the folder of the URI is not called pdf.",
    "it does not say which files it has.",
    expect.stringMatching(/SKILL\.md itself|more than 512 files/),
    expect.any(String),
    "another skill has its name.",
  ]);
});

test("only files of the entry are asked for, whatever path a model passes", async () => {
  const { skills, asked } = await open();
  const session = await skills.session();
  await session.activate("acme:pdf");
  asked.length = 0;
  for (const path of ["references/other.md", "../../etc/passwd", "SKILL.md/.."])
    expect((await session.read("acme:pdf", path)).status).toBe("error");
  expect(asked).toEqual([]);
});

test("a stream without an end and one that drips are given up", async () => {
  const endless = await open({
    onRead: (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    },
  });
  const read = endless.source.read("pdf/SKILL.md", { maxBytes: 1_000_000 });
  await expect(read).rejects.toMatchObject({ code: "mcp-message-too-large" });
  const slow = await open(
    { onRead: (response) => void response.writeHead(200, { "content-type": "application/json" }).write("{") },
    { requestMs: 300 },
  );
  const dripped = slow.source.read("pdf/SKILL.md", { maxBytes: 1_000_000 });
  await expect(dripped).rejects.toMatchObject({ code: "mcp-timeout" });
});

test("a list is kept as long as the server says, and then asked for again", async () => {
  let now = 0;
  const { skills, asked } = await open({ ttlMs: 10_000 }, { clock: () => now });
  const lists = () => asked.filter((one) => one === "skills/list").length;
  await skills.reload();
  expect(lists()).toBe(1);
  now = 10_001;
  await skills.reload();
  expect(lists()).toBe(2);
});

test("fetched files are kept by their digests, and one that was changed there is fetched again", async () => {
  const cacheDirectory = temporary();
  const { url, asked } = await startLying();
  const read = async () => {
    const source = mcpSource({ label: "acme", url, cacheDirectory });
    await source.listSkills();
    return Buffer.from((await source.read("pdf/SKILL.md", { maxBytes: 1_000_000 })).bytes).toString();
  };
  const reads = () => asked.filter((one) => one.startsWith("resources/read")).length;
  expect([await read(), await read(), reads()]).toEqual([SKILL, SKILL, 1]);
  const [name = ""] = readdirSync(join(cacheDirectory, "acme"));
  writeFileSync(join(cacheDirectory, "acme", name), SKILL.replace("Fill", "Kill"));
  expect([await read(), reads()]).toEqual([SKILL, 2]);
});

test("servers of the older form, and Skillet's own, are understood", async () => {
  const { skills } = await open({ isOld: true });
  expect(skills.list()).toHaveLength(2);
  const { skills: own } = await openFiles({ "greet/SKILL.md": SKILL.replaceAll("pdf", "greet") });
  const { url, token, close } = await serveHttp(own, { watch: false });
  onTestFinished(close);
  const source = mcpSource({ label: "own", url, headers: { authorization: `Bearer ${token}` } });
  expect((await source.listSkills()).folders).toMatchObject([{ path: "greet" }]);
  expect((await source.read("greet/SKILL.md", { maxBytes: 1000 })).size).toBeGreaterThan(10);
});

test("what cannot be a server is refused with a code", async () => {
  expect(() => mcpSource({ label: "A B", url: "https://x.example" })).toThrow(
    expect.objectContaining({ code: "mcp-label-invalid" }),
  );
  for (const url of ["http://evil.test/mcp", "ftp://x", "https://user:pw@x.example"])
    expect(() => mcpSource({ label: "a", url })).toThrow(
      expect.objectContaining({ code: "source-url-invalid" }),
    );
  const { url } = await startLying({ capabilities: {} });
  await expect(mcpSource({ label: "a", url }).listSkills()).rejects.toMatchObject({ code: "mcp-no-skills" });
});
