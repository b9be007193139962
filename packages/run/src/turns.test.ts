import { expect, test } from "vitest";

import { type FolderClaim, folderTurns, type Turns } from "./turns.ts";

const reads = (...given: string[]): FolderClaim => ({ given, writable: [] });
const writes = (...writable: string[]): FolderClaim => ({ given: writable, writable });

/** Notes who has got in, after everything that could happen by itself has happened. */
class Door {
  readonly #claims: Turns<FolderClaim> = folderTurns();
  readonly #leave = new Map<string, () => void>();

  async enter(name: string, claim: FolderClaim, signal?: AbortSignal): Promise<readonly string[]> {
    void this.#claims
      .take(claim, signal)
      .then((leave) => this.#leave.set(name, typeof leave === "string" ? () => undefined : leave));
    return this.inside();
  }

  async leave(name: string): Promise<readonly string[]> {
    this.#leave.get(name)?.();
    this.#leave.delete(name);
    return this.inside();
  }

  async inside(): Promise<readonly string[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return [...this.#leave.keys()];
  }
}

test("readers run together, and each writer runs alone, in the order of asking", async () => {
  const door = new Door();
  expect(await door.enter("a", reads("/w"))).toEqual(["a"]);
  expect(await door.enter("b", reads("/w/sub"))).toEqual(["a", "b"]);
  expect(await door.enter("writer", writes("/w"))).toEqual(["a", "b"]);
  expect(await door.enter("late", reads("/w"))).toEqual(["a", "b"]);
  expect(await door.enter("elsewhere", writes("/work"))).toEqual(["a", "b", "elsewhere"]);
  expect(await door.leave("a")).toEqual(["b", "elsewhere"]);
  expect(await door.leave("b")).toEqual(["elsewhere", "writer"]);
  expect(await door.leave("writer")).toEqual(["elsewhere", "late"]);
});

test.each([
  ["/w", "/w/sub"],
  ["/w/sub", "/w"],
  ["/w", "/w"],
])("writing %s keeps those out who are given %s", async (written, given) => {
  const door = new Door();
  await door.enter("writer", writes(written));
  expect(await door.enter("reader", reads("/other", given))).toEqual(["writer"]);
  expect(await door.leave("writer")).toEqual(["reader"]);
});

test("a run that gives up waiting keeps no other waiting", async () => {
  const door = new Door();
  const giving = new AbortController();
  await door.enter("a", reads("/w"));
  await door.enter("writer", writes("/w"), giving.signal);
  expect(await door.enter("b", reads("/w"))).toEqual(["a"]);
  giving.abort();
  expect(await door.inside()).toEqual(["a", "writer", "b"]);
  expect(await door.leave("writer")).toEqual(["a", "b"]);
});
