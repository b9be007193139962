import { PassThrough } from "node:stream";
import { testSkills } from "@skillet/core/testing";
import { expect, test } from "vitest";
import { readMessage } from "./read-message.ts";

function openDialog() {
  const streams = { input: new PassThrough(), output: Object.assign(new PassThrough(), { isTTY: true }) };
  return streams as typeof streams & Parameters<typeof readMessage>[0];
}

test("lines that are pasted are one message, and one entry of the history", async () => {
  const session = await testSkills({});
  const dialog = openDialog();
  const history = ["earlier"];
  const message = readMessage(dialog, { session, history });
  dialog.input.write("one\rtwo\rthree\r");
  expect(await message).toBe("one\ntwo\nthree");
  // Whatever else the lines have set off.
  await new Promise(setImmediate);
  expect(history).toEqual(["one two three", "earlier"]);
});

test("the last line of a paste may wait for Enter", async () => {
  const session = await testSkills({});
  const dialog = openDialog();
  const history: string[] = [];
  const message = readMessage(dialog, { session, history });
  dialog.input.write("one\rtwo\rthr");
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(history).toEqual([]);
  dialog.input.write("ee\r");
  expect(await message).toBe("one\ntwo\nthree");
  expect(history).toEqual(["one two three"]);
});
