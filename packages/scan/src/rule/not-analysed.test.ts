import { expect, test } from "vitest";
import type { UnreadFact } from "../fact/fact.ts";
import { FactBook } from "../fact/fact-book.ts";
import { makeAct, makePlace, makeProfile } from "../testing/make-fact.ts";
import { AN1 } from "./not-analysed.ts";

const UNREAD: UnreadFact = {
  ...makePlace({ file: "a.7z", medium: "data" }),
  kind: "unread",
  reason: "7z archive is not opened",
};

test("what was not read is a warning that names it and says why, once", () => {
  expect(AN1.find(new FactBook([UNREAD, UNREAD]), makeProfile())).toEqual([
    { severity: "warn", place: UNREAD, message: "a.7z was not read whole: 7z archive is not opened" },
  ]);
});

test("a skill that was read whole has none", () => {
  const act = makeAct({ type: "run", program: "ls", arguments: [] });
  expect(AN1.find(new FactBook([act]), makeProfile())).toEqual([]);
});
