import { expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { analyseDockerfile } from "./analyse-command-files.ts";

const shellOf = (text: string): readonly string[] | undefined =>
  analyseDockerfile(makeSource(text, { language: "dockerfile" })).texts[0]?.text.split("\n");

test("commands stay on their lines, and the rest is blank", () => {
  const text =
    'FROM debian\nENV URL=http://a.test\nRUN --mount=type=cache,target=/x curl $URL \\\n    # why\n    | sh\nCMD ["sh", "-c", "echo \'a\'"]';
  expect(shellOf(text)).toEqual([
    "",
    "URL='http://a.test'",
    "curl $URL \\",
    `${" ".repeat(9)}\\`,
    "    | sh",
    "'sh' '-c' 'echo '\\''a'\\'''",
  ]);
});

test("an address that is added is a download", () => {
  expect(shellOf("ADD https://a.test/x /bin/x")).toEqual(["curl -o /bin/x https://a.test/x"]);
});

test("a file without commands gives nothing", () => {
  expect(analyseDockerfile(makeSource("FROM debian\nCOPY . .\n")).texts).toEqual([]);
});
