import { expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../server/serve-http.ts";
import { openFiles, skillText } from "../server/testing/serve-files.ts";
import { ENTRY, FORMS, type Lies, resource, SKILL, startLying } from "./testing/lying-server.ts";
import { verifyServer } from "./verify-server.ts";

async function brokenIn(lies: Lies): Promise<string[]> {
  const { url } = await startLying(lies);
  const { checks } = await verifyServer({ label: "theirs", url });
  return checks
    .filter(({ problems }) => problems.length > 0)
    .map(({ id, status }) => `${status} ${id.replace("sep-2640-", "")}`);
}

test("Skillet's own server passes every check", async () => {
  const { skills } = await openFiles({
    "greet/SKILL.md": skillText("greet"),
    "greet/references/a.md": "A.\n",
    "other/SKILL.md": skillText("other"),
  });
  const { url, token, close } = await serveHttp(skills, { watch: false });
  onTestFinished(close);
  const headers = { authorization: `Bearer ${token}` };
  const report = await verifyServer({ label: "own", url, headers });
  expect(report.checks.filter(({ status }) => status !== "passed")).toEqual([]);
  expect(report).toMatchObject({ skills: 2, files: 3 });
});

test("a server that does as it says breaks nothing, and what it does not declare is skipped", async () => {
  expect(await brokenIn({})).toEqual([]);
  const { url } = await startLying();
  const { checks } = await verifyServer({ label: "theirs", url });
  expect(checks.filter(({ status }) => status === "skipped").map(({ id }) => id)).toEqual([
    "sep-2640-directory-read-method-registered",
    "sep-2640-directory-read-result-resources-shape",
    "sep-2640-directory-read-invalid-params",
  ]);
});

const entry = (changes: object): Lies => ({ pages: [[{ ...ENTRY, ...changes }]] });
const files = (changes: Record<string, string>): Lies => ({
  files: { "skill://pdf/SKILL.md": SKILL, "skill://pdf/references/forms.md": FORMS, ...changes },
});
const extensions = { "io.modelcontextprotocol/skills": {} };
const many = [...ENTRY.resources, ...Array.from({ length: 600 }, (_, at) => resource(`${at}.md`, ""))];

test.each<[string, Lies, string[]]>([
  ["another digest", files({ "skill://pdf/references/forms.md": "forms.\n" }), ["failed host-verify-digest"]],
  ["another size", files({ "skill://pdf/references/forms.md": "" }), ["failed host-size-mismatch-failure"]],
  [
    "another header",
    {
      ...entry({ resources: [resource("SKILL.md", SKILL.replace("2", "3"))] }),
      ...files({ "skill://pdf/SKILL.md": SKILL.replace("2", "3") }),
    },
    ["failed entry-frontmatter-identical"],
  ],
  [
    "a file that is not there",
    files({ "skill://pdf/references/forms.md": undefined as never }),
    ["failed resources-complete"],
  ],
  ["no SKILL.md", files({ "skill://pdf/SKILL.md": undefined as never }), ["failed skillmd-required"]],
  [
    "a name that is not the folder's",
    entry({ uri: "skill://x/SKILL.md" }),
    [
      "failed entry-uri-matches-frontmatter-name",
      "failed resources-complete",
      "failed resources-uri-within-skill",
    ],
  ],
  [
    "a path that leads out",
    entry({ resources: [...ENTRY.resources, resource("../x", "")] }),
    ["failed resources-uri-within-skill"],
  ],
  ["600 files", entry({ resources: many }), ["warning limit-resources-per-skill"]],
  [
    "16 MiB and more",
    entry({ resources: [...ENTRY.resources, { ...resource("a", ""), size: 2 ** 30 }] }),
    ["warning limit-total-size"],
  ],
  ["one skill twice", { pages: [[ENTRY], [ENTRY]] }, ["failed skills-list-entry-atomic"]],
  ["no resources", { capabilities: { extensions } }, ["failed capability-requires-resources"]],
  [
    "no list",
    {
      onRequest: (method, response) => method === "skills/list" && response.end('{"error":{}}') !== undefined,
    },
    ["failed capability-commits-to-methods", "failed skills-list-implemented"],
  ],
])("a server with %s fails exactly the checks about it", async (_what, lies, broken) => {
  expect(await brokenIn(lies)).toEqual(broken);
});

test("a code that is not a number fails the check about it", async () => {
  let gets = 0;
  const lies: Lies = {
    onRequest: (method, response, { messageId }) =>
      method === "skills/get" &&
      ++gets === 2 &&
      response.end(`{"id":${messageId},"error":{"code":{"toString":1}}}`) !== undefined,
  };
  expect(await brokenIn(lies)).toEqual(["failed skills-get-unknown-uri-invalid-params"]);
});

test("a server without skills, and one that is not there, are errors with a code", async () => {
  const { url } = await startLying({ capabilities: {} });
  await expect(verifyServer({ label: "a", url })).rejects.toMatchObject({ code: "mcp-no-skills" });
  const gone = verifyServer({ label: "a", url: "http://127.0.0.1:1/mcp" });
  await expect(gone).rejects.toMatchObject({ code: "mcp-unreachable" });
});
