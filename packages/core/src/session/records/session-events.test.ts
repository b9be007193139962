import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { type OpenSkillsOptions, openSkills } from "../../open-skills.ts";
import { MemorySource } from "../../source/memory-source.ts";
import { recordingRunner } from "../testing/recording-runner.ts";
import { decisionOf } from "../testing/unwrap.ts";
import { SESSION_CHANNEL, type SessionEvent } from "./session-events.ts";

const SECRET = "s3cr3t-value-of-the-person";
const PDF = `---\nname: pdf\ndescription: Fills PDF forms.\nrequired-environment-variables: [TOKEN]\n---\nFill.\n`;
const WEB = "---\nname: web\ndescription: Browses.\n---\nBrowse.\n";

let events: SessionEvent[];
let options: OpenSkillsOptions;
beforeEach(() => {
  const home = temporaryDirectory();
  const source = new MemorySource({
    "pdf/SKILL.md": PDF,
    "pdf/scripts/main.sh": "#!/bin/sh\n",
    "web/SKILL.md": WEB,
  });
  events = [];
  options = {
    sources: [source],
    roots: [],
    organisationDirectory: false,
    cacheDirectory: false,
    environment: {},
    home,
    userHome: home,
    config: { policy: { rules: [{ skill: "web", action: "ask" }] } },
    onEvent: (event) => events.push(event),
  };
});

const ask = async ({ kind }: { readonly kind: string }) =>
  kind === "dependencies" ? { choice: "provide", secrets: { TOKEN: SECRET } } : { choice: "deny" };

test("a listener hears of everything that is recorded or asked, of forks too, without secrets, arguments or messages", async () => {
  const runner = recordingRunner({ allow: ["pdf:scripts/main.sh"] });
  const skills = await openSkills(options);
  const session = await skills.session({ ask, runner });
  await session.askForDependencies(["pdf"]);
  await session.decide("/pdf with a private wish");
  await session.activate("pdf", { arguments: "a private wish" });
  await session.read("pdf", "SKILL.md");
  await session.run("pdf", "scripts/main.sh", [SECRET, "a private wish"]);
  await expect(session.activate("web")).rejects.toMatchObject({ code: "skill-denied" });
  await decisionOf(session.guard({ tool: "Bash", input: `echo ${SECRET}` }));
  await decisionOf(session.guard({ tool: "Deploy", input: { text: "a private wish" } }));
  const child = await session.fork({ skills: ["pdf"], context: "a private wish" });
  await child.finish("Done.");
  await session.close();
  expect(events.map(({ type }) => type)).toEqual([
    ...["policy", "asked", "offer", "activation", "resource-read", "script-execution", "asked", "refusal"],
    ...["policy", "fork", "turn-ended", "fork"],
  ]);
  expect(events.filter(({ parentRunId }) => parentRunId === session.runId).map(({ type }) => type)).toEqual([
    "policy",
    "turn-ended",
  ]);
  expect(JSON.stringify(events)).not.toContain(SECRET);
  expect(JSON.stringify(events)).not.toContain("private wish");
  expect(events.find(({ type }) => type === "asked")).toMatchObject({
    question: { kind: "dependencies", skill: "pdf" },
    choice: "provide",
  });
});

test("a session that records messages tells them, and still no secret", async () => {
  const skills = await openSkills(options);
  const session = await skills.session({ recordMessages: true, secrets: { pdf: { TOKEN: SECRET } } });
  await session.decide("/pdf with a private wish");
  await session.activate("pdf", { arguments: `a private wish ${SECRET}` });
  expect(JSON.stringify(events).match(/private wish/g)).toHaveLength(2);
  expect(JSON.stringify(events)).not.toContain(SECRET);
});

test("a fork of a fork tells nothing that was given to the first session", async () => {
  const skills = await openSkills(options);
  const session = await skills.session({ ask, recordMessages: true, secrets: { pdf: { TOKEN: SECRET } } });
  const child = await session.fork({ skills: ["web"] });
  const grandchild = await child.fork({ skills: ["web"] });
  await expect(grandchild.activate(SECRET)).rejects.toMatchObject({ code: "skill-not-found" });
  expect(events.at(-1)).toMatchObject({ type: "refusal", record: { subject: "[redacted TOKEN]" } });
  expect(JSON.stringify(events)).not.toContain(SECRET);
});

test("a listener that throws or rejects breaks nothing, and the process is warned", async () => {
  const warned = once(process, "warning");
  const skills = await openSkills({
    ...options,
    onEvent: () => {
      throw new Error("The exporter is down.");
    },
  });
  await skills.session();
  const session = await skills.session({
    onEvent: async () => {
      throw new Error("The other one is down too.");
    },
  });
  expect((await session.activate("pdf", { source: "preload" }).catch((error) => error)).code).toBe(
    "skill-not-offered",
  );
  expect(String((await warned)[0])).toContain("is down");
});

test("events are published on the diagnostics channel while it has subscribers", async () => {
  const { onEvent: _onEvent, ...silent } = options;
  const skills = await openSkills(silent);
  const session = await skills.session();
  const heard: unknown[] = [];
  const listener = (event: unknown): unknown => heard.push((event as SessionEvent).type);
  subscribe(SESSION_CHANNEL, listener);
  try {
    await session.turn().end();
  } finally {
    unsubscribe(SESSION_CHANNEL, listener);
  }
  await session.turn().end();
  expect(heard).toEqual(["turn-ended"]);
});
