import { expect, test } from "vitest";
import { type MakeNamedPipes, openStandardPipes } from "./standard-pipes.ts";

test("where no pipes can be made there are none, once those that were made ahead are used up", () => {
  const make: MakeNamedPipes = () => "unsupported";
  const opened = Array.from({ length: 8 }, () => openStandardPipes({ make, owner: undefined }));
  for (const pipes of opened) {
    pipes?.stdout.destroy();
    pipes?.stderr.destroy();
  }
  expect(opened.at(-1)).toBeUndefined();
});
