import { expect, test } from "vitest";
import { createChatModel } from "./chat-model.ts";

test.each(["http://models.test/v1", "https://user:hunter2@models.test/v1", "user:hunter2@models.test"])(
  "no model is opened at %j, and nothing secret in it is repeated",
  (endpoint) => {
    const open = () => createChatModel({ endpoint, model: "m" });
    expect(open).toThrow(expect.objectContaining({ code: "eval-endpoint-invalid" }));
    expect(open).not.toThrow(/hunter2/);
  },
);

test.each(["a key", "key\n", "schlüssel", ""])("%j is not a key, and is not repeated", (apiKey) => {
  const open = () => createChatModel({ endpoint: "https://models.test/v1", model: "m", apiKey });
  expect(open).toThrow(expect.objectContaining({ code: "eval-key-invalid" }));
  if (apiKey !== "") expect(open).not.toThrow(apiKey);
});

test("the name of a model cannot write to a terminal or end a line", () => {
  const { by } = createChatModel({ endpoint: "https://models.test/v1", model: "m\u001b[31m\nfake\u202e" });
  expect(by).toBe("m\\u001b[31m\\u000afake\\u202e at https://models.test/v1");
});
