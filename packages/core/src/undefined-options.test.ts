import { expect, test } from "vitest";
import type { SkilletErrorCode } from "./error-code.ts";
import { SkilletError } from "./index.ts";
import type { OpenSkillsOptions } from "./open-skills.ts";
import type { ForkOptions } from "./session/open-fork.ts";
import type { ActivateOptions, ConversationCatalogOptions, SessionOptions } from "./session/session.ts";
import { usableIn } from "./session/testing/inspect-session.ts";
import { testSkills } from "./testing.ts";

const FILES = { "g/SKILL.md": "---\nname: g\ndescription: Greets.\n---\nGreet.\n" };

// Typed without a cast where `exactOptionalPropertyTypes` is on: every option may be passed on as undefined.
const OPEN: { readonly [Name in keyof OpenSkillsOptions]: undefined } = {
  linkedFolders: undefined,
  platform: undefined,
  mcpServers: undefined,
  tools: undefined,
  toolsets: undefined,
  hostConfig: undefined,
  vetter: undefined,
  plugins: undefined,
  selection: undefined,
  signal: undefined,
};
const SESSION: { readonly [Name in keyof SessionOptions]: undefined } = {
  mode: undefined,
  interactive: undefined,
  ask: undefined,
  runner: undefined,
  hooks: undefined,
  exec: undefined,
  dynamicContext: undefined,
  allow: undefined,
  skills: undefined,
  profile: undefined,
  product: undefined,
  files: undefined,
  secrets: undefined,
  projectDirectory: undefined,
  onDrift: undefined,
  freeze: undefined,
  records: undefined,
  recordMessages: undefined,
  onEvent: undefined,
  runId: undefined,
  clock: undefined,
};
const CATALOG: { readonly [Name in keyof ConversationCatalogOptions]: undefined } = {
  format: undefined,
  guidance: undefined,
  budget: undefined,
  countTokens: undefined,
  rank: undefined,
  search: undefined,
  context: undefined,
  signal: undefined,
};
const ACTIVATE: { readonly [Name in keyof ActivateOptions]: undefined } = {
  source: undefined,
  arguments: undefined,
  repeat: undefined,
  signal: undefined,
};
const FORK: { readonly [Name in keyof ForkOptions]: undefined } = {
  skills: undefined,
  scripts: undefined,
  profile: undefined,
  tools: undefined,
  context: undefined,
  activate: undefined,
  arguments: undefined,
  source: undefined,
  signal: undefined,
};

test("an option that is undefined is one that was left out", async () => {
  const session = await testSkills(FILES, { ...SESSION, open: OPEN });
  const plain = await testSkills(FILES);
  expect(session.catalog(CATALOG).text).toBe(plain.catalog().text);
  expect((await session.activate("g", ACTIVATE)).text).toBe((await plain.activate("g")).text);
  expect(usableIn(await session.fork(FORK))).toEqual([]);
});

test("the codes of errors are typed, so that a code that does not exist is a mistake of the types", async () => {
  const session = await testSkills(FILES);
  const error: unknown = await session.activate("h").catch((thrown: unknown) => thrown);
  if (!SkilletError.isInstance<SkilletErrorCode>(error)) throw new Error("It is a SkilletError.");
  // @ts-expect-error: there is no such code
  expect(error.code === "skill-not-fund").toBe(false);
  expect(error.code === "skill-not-found").toBe(true);
});
