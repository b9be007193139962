import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../../open-skills.ts";
import { MemorySource } from "../../source/memory-source.ts";
import type { Skills } from "../../workspace/skills.ts";
import type { SessionOptions } from "../session.ts";
import type { JournalEntry } from "./journal.ts";
import { type JournalStore, memoryJournal } from "./journal-store.ts";

const skillFile = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name}.\n`;

let skills: Skills;
beforeEach(async () => {
  const home = temporaryDirectory();
  const source = new MemorySource({ "pdf/SKILL.md": skillFile("pdf"), "web/SKILL.md": skillFile("web") });
  skills = await openSkills({
    ...{ sources: [source], roots: [], config: false, organisationDirectory: false },
    ...{ home, userHome: home, cacheDirectory: false, environment: {} },
  });
});

/** A table of a database, as a host would write it. */
function tableStore(rows = new Map<string, string[]>(), held = new Set<string>(), key = "run"): JournalStore {
  return {
    append: async (lines) => {
      rows.set(key, [...(rows.get(key) ?? []), ...lines]);
    },
    async *read() {
      yield* rows.get(key) ?? [];
    },
    lease: async () => {
      if (held.has(key)) return undefined;
      held.add(key);
      return async () => {
        held.delete(key);
      };
    },
    child: (runId) => tableStore(rows, held, `${key}/${runId}`),
  };
}

async function entriesOf(store: JournalStore): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const line of store.read()) entries.push(JSON.parse(line));
  return entries;
}

const STORES: readonly (readonly [string, () => string | JournalStore])[] = [
  ["a folder", () => `${temporaryDirectory()}/run`],
  ["memory", () => memoryJournal()],
  ["a store of the host", () => tableStore()],
];

describe.each(STORES)("records in %s", (_name, make) => {
  let records: string | JournalStore;
  beforeEach(() => {
    records = make();
  });

  test("are resumed, with what was loaded", async () => {
    const session = await skills.session({ records });
    await session.activate("pdf");
    await session.close();
    const { session: resumed, diagnostics } = await skills.resume(records);
    expect(diagnostics).toEqual([]);
    expect(resumed.runId).toBe(session.runId);
    expect((await resumed.activate("pdf")).duplicate).toBe(true);
    await resumed.close();
  });

  test("belong to one session at a time", async () => {
    const session = await skills.session({ records });
    await expect(skills.session({ records })).rejects.toMatchObject({ code: "records-in-use" });
    await session.activate("pdf");
    await session.close();
    await expect(skills.session({ records })).rejects.toMatchObject({ code: "records-in-use" });
  });

  test("a closed session refuses every later call, and can be closed twice", async () => {
    const session = await skills.session({ records });
    const child = await session.fork({ skills: ["pdf"] });
    await session.close();
    await session[Symbol.asyncDispose]();
    const calls = [
      () => session.activate("pdf"),
      () => session.read("pdf", "SKILL.md"),
      () => session.fork({}),
      () => session.refresh(),
      async () => session.catalog(),
      () => child.activate("pdf"),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "session-ended" });
  });
});

test("what is resumed twice at once is refused where the store is leased, and free once the session is closed", async () => {
  const records = memoryJournal();
  const first = await skills.session({ records });
  await expect(skills.resume(records)).rejects.toMatchObject({ code: "records-in-use" });
  await first.close();
  const { session } = await skills.resume(records);
  await expect(skills.resume(records)).rejects.toMatchObject({ code: "records-in-use" });
  await session.close();
});

test("a session that could not be opened or resumed leaves the store free", async () => {
  const records = tableStore();
  const stop = new AbortController();
  stop.abort(new Error("stop"));
  const failing: SessionOptions = { records, freeze: "all", signal: stop.signal };
  await expect(skills.session(failing)).rejects.toThrow("stop");
  await (await skills.session({ records })).close();
});

test("a fork records in a store of its own, below its parent's", async () => {
  const records = memoryJournal();
  const session = await skills.session({ records });
  const child = await session.fork({ skills: ["pdf"] });
  await child.activate("pdf");
  await child.finish("Done.");
  const kinds = (store: JournalStore): Promise<readonly string[]> =>
    entriesOf(store).then((entries) => entries.map(({ record }) => record.kind));
  expect(await kinds(records)).toEqual(["policy", "fork", "fork"]);
  expect(await kinds(records.child(child.runId))).toEqual(["policy", "activation", "turn-ended"]);
});

test("a journal in memory is bounded, and what does not fit is refused with the call", async () => {
  const session = await skills.session({ records: memoryJournal({ maxCharacters: 2_000 }) });
  const fill = async (): Promise<void> => {
    for (;;) await session.read("pdf", "SKILL.md");
  };
  await expect(fill()).rejects.toMatchObject({ code: "records-full" });
});

test("a store whose lines were changed is not resumed", async () => {
  const rows = new Map<string, string[]>();
  const records = tableStore(rows);
  const session = await skills.session({ records });
  await session.activate("pdf");
  await session.close();
  const [first = "", second = "", ...rest] = rows.get("run") ?? [];
  for (const damaged of [
    [first, ...rest],
    [first, "{", ...rest],
    [first, second, second, ...rest],
  ]) {
    rows.set("run", damaged);
    await expect(skills.resume(records)).rejects.toMatchObject({ code: "run-journal-damaged" });
  }
  rows.set("run", []);
  await expect(skills.resume(records)).rejects.toMatchObject({ code: "run-not-found" });
});

test("closed skills have no watch left", async () => {
  const watch = skills.watch(() => undefined, { settleMs: 1, pollMs: 1 });
  await skills.close();
  expect(watch.coverage.watched).toBe(0);
});
