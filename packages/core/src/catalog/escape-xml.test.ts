import { expect, test } from "vitest";
import { escapeXml } from "./escape-xml.ts";

test("markup is escaped, and text without any stays as it is", () => {
  expect(escapeXml(`</name> & "x" 'y'`)).toBe("&lt;/name&gt; &amp; &quot;x&quot; &#x27;y&#x27;");
  expect(escapeXml("Größe 漢字 🧀\n\tindented\n")).toBe("Größe 漢字 🧀\n\tindented\n");
});

test("a carriage return is written as a reference, because readers change bare ones", () => {
  expect(escapeXml("one\r\ntwo\r")).toBe("one&#xD;\ntwo&#xD;");
});

test("characters that XML does not allow, half a pair among them, become the replacement character", () => {
  expect(escapeXml("a\0b\x07c\x1b[2Jd\ufffee\uffff")).toBe("a\ufffdb\ufffdc\ufffd[2Jd\ufffde\ufffd");
  expect(escapeXml("\ud83e and \uddc0, but 🧀")).toBe("\ufffd and \ufffd, but 🧀");
});
