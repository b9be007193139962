import { expect, test } from "vitest";
import { isUserContent, withoutRedirect } from "./is-user-content.ts";

test.each([
  ["https://b-77.s3.amazonaws.com/x", true],
  ["https://s3-eu-west-1.amazonaws.com/b/x", true],
  ["https://huggingface.co/datasets/a/b/resolve/main/x.sh", true],
  ["https://a.supabase.co/storage/v1/object/public/b/x", true],
  ["https://api.github.com/gists", true],
  ["https://sts.amazonaws.com/", false],
  ["https://huggingface.co/api/models", false],
  ["https://en.wikipedia.org/wiki/Shell", false],
  ["https://api.github.com/repos/a/b", false],
])("whether %s is what anybody put there: %s", (url, expected) => {
  expect(isUserContent(url)).toBe(expected);
});

test.each([
  ["https://www.google.com/url?sa=t&q=https%3A%2F%2Frelay.test/x", "https://relay.test/x"],
  ["https://r.jina.ai/https://relay.test/x", "https://relay.test/x"],
  ["https://www.google.com/search?q=x", "https://www.google.com/search?q=x"],
])("%s leads to %s", (url, expected) => {
  expect(withoutRedirect(url)).toBe(expected);
});
