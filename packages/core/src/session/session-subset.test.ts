import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../testing/write-tree.ts";
import type { Skills } from "../workspace/skills.ts";
import { readJournal } from "./records/journal.ts";
import type { SessionEvent } from "./records/session-events.ts";
import type { Session } from "./session.ts";
import { openFolder } from "./testing/open-session.ts";

const NAMES = ["pdf", "web", "web-forms"] as const;
const REASON = "the session was opened for other skills";
const skillFile = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\nrequired-environment-variables: [TOKEN_${name.length}]\n---\nDo it.\n`;

let folder: string;
let skills: Skills;
beforeEach(async () => {
  folder = writeTree(
    join(temporaryDirectory(), "skills"),
    Object.fromEntries(
      NAMES.map((name) => [
        `${name}/SKILL.md`,
        skillFile(name).replace(/required.*\n/, name === "web" ? "$&" : ""),
      ]),
    ),
  );
  skills = await openFolder(folder);
});

const offered = (session: Session): readonly string[] =>
  session.catalog().report.skills.map(({ name }) => name);

test("a session has only the skills that it was opened for, by name or pattern, and says so of the others", async () => {
  const session = await skills.session({ skills: ["web-*"] });
  expect(offered(session)).toEqual(["web-forms"]);
  const { hidden } = session.catalog().report;
  expect(hidden.map(({ skill, reason }) => [skill.name, reason])).toEqual([
    ["pdf", REASON],
    ["web", REASON],
  ]);
  const pdf = skills.snapshot.skills.find(({ name }) => name === "pdf");
  expect(pdf && session.mayUse(pdf, { source: "user" }).obstacle?.reason).toBe(REASON);
  await expect(session.activate("pdf", { source: "preload" })).rejects.toThrow(REASON);
  expect((await session.read("pdf", "SKILL.md")).error?.code).toBe("skill-not-found");
  expect(session.mentions("/pdf now").skills).toEqual([]);
  expect(offered(await skills.session())).toEqual(["pdf", "web-forms"]);
  expect(offered(await skills.session({ skills: [] }))).toEqual([]);
});

test("names that no skill has are told of in the record of the policy, and patterns are not", async () => {
  const told: unknown[] = [];
  const onEvent = (event: SessionEvent): void => {
    if (event.type === "policy")
      told.push(event.record.diagnostics.map(({ code, message }) => [code, message]));
  };
  await skills.session({ skills: ["pfd", "pdf", "none-*", "pfd"], onEvent });
  const message = 'The session was opened for "pfd", which is not the full name of a skill.';
  expect(told).toEqual([[["session-skill-unknown", message]]]);
});

test("nothing is asked for skills that the session was not opened for", async () => {
  const asked: string[] = [];
  const session = await skills.session({
    skills: ["pdf"],
    ask: async ({ skill }) => {
      asked.push(skill);
      return undefined;
    },
  });
  expect(await session.askForDependencies()).toEqual({ provided: [], missing: [] });
  expect(asked).toEqual([]);
});

test("a fork cannot have more, a refresh keeps it, and it holds in locked mode too", async () => {
  const session = await skills.session({ skills: ["pdf", "new"] });
  await expect(session.fork({ skills: ["web-forms"] })).rejects.toThrow(REASON);
  const child = await session.fork({ skills: ["pdf"] });
  writeTree(folder, { "new/SKILL.md": skillFile("new").replace(/required.*\n/, "") });
  await session.refresh();
  expect(offered(session)).toEqual(["new", "pdf"]);
  expect(offered(child)).toEqual(["pdf"]);
  const locked = await skills.session({ mode: "locked", allow: ["*"], skills: ["pdf"] });
  expect(offered(locked)).toEqual(["pdf"]);
});

test("a resumed run has no more skills than it had, whatever the host passes", async () => {
  const records = join(temporaryDirectory(), "run");
  await skills.session({ records, skills: ["pdf", "web-forms"] });
  const { session } = await skills.resume(records);
  expect(offered(session)).toEqual(["pdf", "web-forms"]);
  const { session: narrower } = await skills.resume(records, { skills: ["web*"] });
  expect(offered(narrower)).toEqual(["web-forms"]);
  const { session: again } = await skills.resume(records, { skills: ["*"] });
  expect(offered(again)).toEqual(["web-forms"]);
  await skills.resume(records, { skills: ["*"] });
  const { entries } = await readJournal(records);
  expect(entries.at(-1)?.record).toMatchObject({ subsets: [["pdf", "web-forms"], ["web*"], ["*"]] });
});

test("a list of skills that is not a list of texts is refused", async () => {
  await expect(skills.session({ skills: "pdf" as never })).rejects.toMatchObject({ code: "call-invalid" });
});
