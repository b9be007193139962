import type { CollisionReport } from "@skillet/author";
import { expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { collisionTable } from "./eval-collisions.ts";

const REPORT: CollisionReport = {
  skills: 4,
  queries: 20,
  cut: { phrases: 3, skills: 0 },
  collisions: [
    { kind: "copy", skills: ["a", "b"], harm: 2, directions: [] },
    {
      kind: "overlap",
      skills: ["merge", "tools"],
      harm: 1,
      directions: [
        {
          from: "merge",
          to: "tools",
          queries: 4,
          stolen: 2,
          close: 1,
          share: 0.75,
          phrases: [
            { text: "merge pdf files", source: "phrase", outcome: "stolen", score: 0.4, rivalScore: 0.7 },
            {
              text: "join\u001b pages",
              source: "when-to-use",
              outcome: "close",
              score: 0.7,
              rivalScore: 0.68,
            },
          ],
          sharedWords: ["pdf", "merge"],
        },
        {
          from: "tools",
          to: "merge",
          queries: 5,
          stolen: 0,
          close: 2,
          share: 0.4,
          phrases: [],
          sharedWords: [],
        },
      ],
    },
  ],
};

test("pairs are shown with who loses what to whom, and what the bounds left out", () => {
  expect(collisionTable(REPORT, plainLayout()).join("\n")).toMatchInlineSnapshot(`
    "= a = b
        copies: the same description, so nothing tells them apart; keep one

    ! merge and tools
        merge loses 2 to tools, and nearly 1 more, of 4 phrases of its own:
          "merge pdf files" (quoted)
          "join␛ pages" (when_to_use, close)
        both say: pdf, merge
        tools nearly loses 2 to merge, of 5 phrases of its own:

    2 collisions: 4 skills, 20 phrases tried; 3 phrases beyond the bound were not
    tried."
  `);
});

test("nothing found is said, too", () => {
  expect(
    collisionTable({ ...REPORT, collisions: [], cut: { phrases: 0, skills: 2 } }, plainLayout()),
  ).toEqual([
    "No skill takes another's messages: 4 skills, 20 phrases tried; of 2 skills none",
    "was tried.",
  ]);
});
