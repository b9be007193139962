import { expect, test } from "vitest";
import { checkEndpoint } from "./check-endpoint.ts";

test.each([
  ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
  ["https://models.test/v1/", "https://models.test/v1/chat/completions"],
  ["https://models.test", "https://models.test/chat/completions"],
  ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"],
  ["http://localhost:8080/v1", "http://localhost:8080/v1/chat/completions"],
  ["http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"],
  ["http://0x7f.1/v1", "http://127.0.0.1/v1/chat/completions"],
])("%s is asked at %s", (endpoint, address) => {
  expect(String(checkEndpoint(endpoint))).toBe(address);
});

test.each([
  "",
  "models.test/v1",
  "http://models.test/v1",
  "http://127.0.0.1.models.test/v1",
  "http://localhost.models.test/v1",
  "http://10.0.0.1/v1",
  "ftp://models.test/v1",
  "file:///etc/passwd",
  "https://user:key@models.test/v1",
  "https://models.test/v1?key=1",
  "https://models.test/v1#x",
])("%j is refused", (endpoint) => {
  expect(() => checkEndpoint(endpoint)).toThrow(expect.objectContaining({ code: "judge-endpoint-invalid" }));
});

test("a refusal does not repeat a password", () => {
  expect(() => checkEndpoint("https://user:hunter2@models.test/v1")).not.toThrow(/hunter2/);
});
