import { expect, test } from "vitest";
import { chatAddress } from "./chat.ts";

test.each([
  ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
  ["https://models.test/v1/", "https://models.test/v1/chat/completions"],
  ["https://models.test", "https://models.test/chat/completions"],
  ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"],
  ["http://localhost:8080/v1", "http://localhost:8080/v1/chat/completions"],
  ["http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"],
  ["http://0x7f.1/v1", "http://127.0.0.1/v1/chat/completions"],
])("%s is asked at %s", (endpoint, address) => {
  expect(chatAddress(endpoint)).toEqual({ url: new URL(address) });
});

test.each([
  ["", "The endpoint"],
  ["models.test/v1", "The endpoint"],
  ["http://models.test/v1", '"http://models.test/v1"'],
  ["http://127.0.0.1.models.test/v1", '"http://127.0.0.1.models.test/v1"'],
  ["http://localhost.models.test/v1", '"http://localhost.models.test/v1"'],
  ["http://10.0.0.1/v1", '"http://10.0.0.1/v1"'],
  ["http://[::ffff:127.0.0.1]/v1", '"http://[::ffff:7f00:1]/v1"'],
  ["ftp://models.test/v1", "The endpoint"],
  ["file:///etc/passwd", "The endpoint"],
  ["https://user:hunter2@models.test/v1", '"https://models.test/v1"'],
  ["https://hunter2@models.test/v1", '"https://models.test/v1"'],
  ["http://user:hunter2@127.0.0.1/v1", '"http://127.0.0.1/v1"'],
  ["https://models.test/v1?key=hunter2", '"https://models.test/v1"'],
  ["https://models.test/v1#hunter2", '"https://models.test/v1"'],
  ["http://models.test/v1?key=hunter2", '"http://models.test/v1"'],
  ["user:hunter2@models.test/v1", "The endpoint"],
  ["https://user:hunter2@models.test:99999/v1", "The endpoint"],
])("%j is not asked, and nothing secret in it is repeated", (endpoint, shown) => {
  expect(chatAddress(endpoint)).toEqual({ shown, problem: expect.not.stringContaining("hunter2") });
});
