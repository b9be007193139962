import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../../open-skills.ts";
import { MemorySource } from "../../source/memory-source.ts";
import { fakeRunner } from "../../testing.ts";
import type { Skills } from "../../workspace/skills.ts";
import type { SessionOptions } from "../session.ts";
import type { JournalEntry } from "./journal.ts";
import { type JournalStore, memoryJournal } from "./journal-store.ts";

const skillFile = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name}.\n`;

let skills: Skills;
beforeEach(async () => {
  const home = temporaryDirectory();
  const source = new MemorySource({
    "pdf/SKILL.md": skillFile("pdf"),
    "pdf/scripts/wait.sh": "#!/bin/sh\n",
    "web/SKILL.md": skillFile("web"),
  });
  skills = await openSkills({
    sources: [source],
    roots: [],
    config: false,
    organisationDirectory: false,
    home,
    userHome: home,
    cacheDirectory: false,
    environment: {},
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

test("a lease that is not given as the store should, such as null, is none", async () => {
  const lease = (async () => null) as unknown as JournalStore["lease"];
  const records = { ...memoryJournal(), lease };
  await expect(skills.session({ records })).rejects.toMatchObject({ code: "records-in-use" });
  expect(records.read()).toEqual([]);
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

test("nothing is recorded once the session is closed, and closing it twice at once ends one turn", async () => {
  const records = memoryJournal();
  const session = await skills.session({ records });
  const child = await session.fork({ skills: ["pdf"] });
  const turn = session.turn();
  await Promise.all([session.close(), session.close()]);
  const [lines, ofChild] = [records.read(), records.child(child.runId).read()];
  const { session: resumed } = await skills.resume(records);
  const before = records.read();
  for (const call of [() => session.activate("pdf"), () => session.fork({}), () => child.finish("Done.")])
    await expect(call()).rejects.toMatchObject({ code: "session-ended" });
  await turn.end();
  expect(records.read()).toEqual(before);
  expect(records.child(child.runId).read()).toEqual(ofChild);
  expect(lines.map((line) => JSON.parse(line).record.kind)).toEqual(["policy", "fork", "turn-ended"]);
  await resumed.close();
});

test("a fork gives back one summary", async () => {
  const records = memoryJournal();
  const session = await skills.session({ records });
  const child = await session.fork({ skills: ["pdf"] });
  const [first, second] = await Promise.allSettled([child.finish("Done."), child.finish("Once more.")]);
  expect(first).toMatchObject({ value: "Done." });
  expect(second).toMatchObject({ reason: { code: "session-ended" } });
  const returned = (await entriesOf(records)).filter(
    ({ record }) => record.kind === "fork" && record.event === "returned",
  );
  expect(returned).toHaveLength(1);
});

interface Signal {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function signalOnce(): Signal {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("a script that runs while its session is closed is cancelled, and on record before the store is free", async () => {
  const records = memoryJournal();
  const started = signalOnce();
  const runner = fakeRunner({
    "pdf:scripts/wait.sh": ({ signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve({ status: "cancelled" }));
        started.resolve();
      }),
  });
  const session = await skills.session({ records, runner });
  await session.activate("pdf");
  const run = session.run("pdf", "scripts/wait.sh");
  await started.promise;
  await session.close();
  const kinds = records.read().map((line) => JSON.parse(line).record.kind);
  expect(kinds).toEqual(["policy", "activation", "script-execution"]);
  expect(await run).toMatchObject({ status: "cancelled" });
});

test("a session whose store fails, or whose fork's does, is closed and gives the store free all the same", async () => {
  for (const failing of ["run", "fork"]) {
    const held = new Set<string>();
    let isDown = false;
    const failAt = (store: JournalStore, name: string): JournalStore => ({
      ...store,
      append: async (lines) => {
        if (isDown && name === failing) throw new Error("The database is down.");
        await store.append(lines);
      },
      child: (runId) => failAt(store.child(runId), "fork"),
    });
    const session = await skills.session({ records: failAt(tableStore(new Map(), held), "run") });
    await session.fork({ skills: ["pdf"] });
    isDown = true;
    await expect(session.close()).rejects.toThrow("The database is down.");
    expect(held.size).toBe(0);
    await session.close();
    await expect(session.activate("pdf")).rejects.toMatchObject({ code: "session-ended" });
  }
});

test("a call that is aborted while the store hangs leaves no lease behind", async () => {
  const held = new Set<string>();
  let hangs: Signal | undefined;
  const asked = { lease: signalOnce(), release: signalOnce() };
  const slow = (store: JournalStore): JournalStore => ({
    ...store,
    lease: async (runId) => {
      const release = await store.lease(runId);
      if (hangs === undefined || release === undefined) return release;
      asked.lease.resolve();
      await hangs.promise;
      return async () => {
        await release();
        asked.release.resolve();
      };
    },
    child: (runId) => slow(store.child(runId)),
  });
  const abortWhile = async (open: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    const stop = new AbortController();
    const before = [...held];
    hangs = signalOnce();
    Object.assign(asked, { lease: signalOnce(), release: signalOnce() });
    const opened = open(stop.signal);
    await asked.lease.promise;
    stop.abort(new Error("stop"));
    await expect(opened).rejects.toThrow("stop");
    hangs.resolve();
    await asked.release.promise;
    expect([...held]).toEqual(before);
    hangs = undefined;
  };
  const rows = new Map<string, string[]>();
  const records = slow(tableStore(rows, held, "first"));
  const session = await skills.session({ records });
  await abortWhile((signal) => skills.session({ records: slow(tableStore(rows, held, "second")), signal }));
  await abortWhile((signal) => session.fork({ skills: ["pdf"], signal }));
  await session.close();
  await abortWhile((signal) => skills.resume(records, { signal }));
});

test("a journal in memory is bounded, and what does not fit is refused with the call", async () => {
  const session = await skills.session({ records: memoryJournal({ maxCharacters: 2_000 }) });
  const fill = async (): Promise<void> => {
    for (;;) await session.read("pdf", "SKILL.md");
  };
  await expect(fill()).rejects.toMatchObject({ code: "records-full" });
  const records = memoryJournal({ maxCharacters: 10 });
  await expect(records.append(["x".repeat(11)])).rejects.toMatchObject({ code: "records-full" });
  await records.append(["x".repeat(10)]);
});

test("a store whose lines were changed is not resumed", async () => {
  const rows = new Map<string, string[]>();
  const records = tableStore(rows);
  const session = await skills.session({ records });
  await session.activate("pdf");
  await session.turn().end();
  await session.close();
  const [first = "", second = "", ...rest] = rows.get("run") ?? [];
  for (const damaged of [
    [first, ...rest],
    [first, "{", ...rest],
    [first, second, second, ...rest],
    [first, null, second] as string[],
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
