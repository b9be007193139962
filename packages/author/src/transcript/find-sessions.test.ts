import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { findSessions } from "./find-sessions.ts";

const CLAUDE = (cwd: string, text: string): object => ({
  type: "user",
  sessionId: "s",
  cwd,
  isSidechain: false,
  message: { role: "user", content: text },
});

test("the newest conversations about a project are found in every agent's place, and no other project's", async () => {
  const userHome = temporaryDirectory();
  const home = join(userHome, ".skillet");
  let minute = 0;
  const write = (path: string, ...records: readonly object[]): string => {
    const file = join(userHome, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    minute += 1;
    utimesSync(file, minute * 60, minute * 60);
    return file;
  };
  const codex = (cwd: string, text: string): readonly object[] => [
    { type: "session_meta", payload: { id: "c", cwd } },
    { type: "event_msg", payload: { type: "user_message", message: text } },
  ];
  write(".claude/projects/-work-shop/a.jsonl", CLAUDE("/work/shop", "First"));
  write(".claude/projects/-work-other/b.jsonl", CLAUDE("/work/other", "Elsewhere"));
  // Another folder of the same name there.
  write(".claude/projects/-work-shop/c.jsonl", CLAUDE("/work-shop", "Elsewhere"));
  const old = write(".codex/sessions/2026/01/31/rollout-1.jsonl", ...codex("/work/shop", "Packed"));
  execFileSync("zstd", ["-q", "--rm", old]);
  utimesSync(`${old}.zst`, 90, 90);
  write(".codex/sessions/2026/02/01/rollout-2.jsonl", ...codex("/work/other", "Elsewhere"));
  write(".codex/sessions/2026/02/01/rollout-3.jsonl", ...codex("/work/shop", "Second"));
  write(".skillet/runs/20260201T0-a/conversation.jsonl", { type: "said", text: "Third", messages: [] });
  write(
    ".pi/agent/sessions/--work-shop--/1.jsonl",
    { type: "session", version: 3, id: "p", cwd: "/work/shop" },
    { type: "message", id: "a", parentId: null, message: { role: "user", content: "Fourth" } },
  );
  const long = Array.from({ length: 3_000 }, () => CLAUDE("/work/shop", "x".repeat(200)));
  const named = { type: "custom-title", sessionId: "s", customTitle: "Named at its end" };
  write(".claude/projects/-work-shop/d.jsonl", ...long, named);
  const find = () =>
    findSessions({ folders: ["/work/shop"], userHome, home, environment: { PATH: process.env.PATH } });
  expect((await find()).map(({ format, title }) => `${format}: ${title}`)).toEqual([
    "claude-code: Named at its end",
    "pi: Fourth",
    "skillet: Third",
    "codex: Second",
    "codex: Packed",
    "claude-code: First",
  ]);
  expect((await find())[0]).toMatchObject({ modified: new Date(minute * 60_000), bytes: expect.any(Number) });
});

test("without any agent there is nothing to choose from", async () => {
  const userHome = temporaryDirectory();
  expect(await findSessions({ folders: [userHome], userHome, home: userHome, environment: {} })).toEqual([]);
});
