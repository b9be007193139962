import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readLines } from "../protocol/read-lines.ts";
import { serveStdio } from "./serve-stdio.ts";
import { openFiles, request, skillText, writeFiles } from "./testing/serve-files.ts";

const FILES = { "greet/SKILL.md": skillText("greet") };

async function start(watch = false) {
  const { skills, folder } = await openFiles(FILES);
  const input = new PassThrough();
  const output = new PassThrough();
  const ended = serveStdio(skills, { input, output, watch });
  const lines = readLines(output);
  const answers = async (count: number) => {
    const given: unknown[] = [];
    while (given.length < count) given.push(JSON.parse(String((await lines.next()).value)));
    return given;
  };
  return { input, ended, answers, folder };
}

test("lines are answered, also several in one chunk and one in several, until the input ends", async () => {
  const { input, ended, answers } = await start();
  const lines = [request("ping"), request("tools/list")].map((one) => `${JSON.stringify(one)}\n`).join("");
  input.write(lines.slice(0, -30));
  input.write(lines.slice(-30));
  const given = await answers(2);
  expect(given).toMatchObject([{ result: {} }, { result: { tools: [{ name: "load_skill" }, {}, {}] } }]);
  input.write("not json\n");
  expect(await answers(1)).toMatchObject([{ id: null, error: { code: -32700 } }]);
  input.end();
  await ended;
});

test("an input that the host destroys ends the server", async () => {
  const { input, ended, answers } = await start();
  input.write(`${JSON.stringify(request("ping"))}\n`);
  await answers(1);
  input.destroy();
  await ended;
});

test("a line without an end is refused before it fills the memory", async () => {
  const { input, ended } = await start();
  const fails = expect(ended).rejects.toMatchObject({ code: "mcp-message-too-large" });
  for (let at = 0; at < 5; at += 1) input.write(Buffer.alloc(1024 * 1024, "x"));
  await fails;
});

test("a client hears of a skill that was added while it is connected", async () => {
  const { input, ended, answers, folder } = await start(true);
  input.write(`${JSON.stringify(request("initialize", { protocolVersion: "2025-11-25" }))}\n`);
  await answers(1);
  input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  writeFiles(folder, { "new/SKILL.md": skillText("new") });
  expect(await answers(3)).toMatchObject([
    { method: "notifications/tools/list_changed" },
    { method: "notifications/prompts/list_changed" },
    { method: "notifications/resources/list_changed" },
  ]);
  input.write(`${JSON.stringify(request("skills/list"))}\n`);
  expect(JSON.stringify(await answers(1))).toContain("skill://new/SKILL.md");
  input.end();
  await ended;
});
