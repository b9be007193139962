import { SkilletError } from "@skillet/kit/errors";
import { expect, test } from "vitest";
import { createTerminal } from "../ui/terminal.ts";
import { CliError } from "./cli-error.ts";
import { reportFailure } from "./report-failure.ts";

function report(error: unknown, options: { json?: boolean; debug?: boolean } = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = createTerminal({
    stdout: { write: (text) => out.push(String(text)) },
    stderr: { write: (text) => err.push(String(text)) },
    environment: {},
  });
  const exitCode = reportFailure(error, {
    terminal,
    json: options.json ?? false,
    debug: options.debug ?? false,
  });
  return { exitCode, stdout: out.join(""), stderr: err.join("") };
}

test("a message comes with what to do next", () => {
  const error = new CliError("skill-unknown", "There is no skill 'x'.", {
    exitCode: 1,
    hints: ["Did you mean y?"],
  });
  expect(report(error)).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "error: There is no skill 'x'.\n  Did you mean y?\n",
  });
});

test("where a document was asked for, the failure is one", () => {
  const error = new SkilletError("config-invalid", "One.\n\nTwo.", { data: { problems: [1] } });
  const { exitCode, stdout, stderr } = report(error, { json: true });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: "error: One.\n\n  Two.\n" });
  expect(JSON.parse(stdout)).toEqual({
    schemaVersion: 1,
    error: { code: "config-invalid", message: "One.\n\nTwo.", hints: [], details: { problems: [1] } },
  });
});

test("what nobody expected says how to report it, and shows a stack only when asked", () => {
  const error = new Error("boom", { cause: new Error("deeper") });
  const { exitCode, stderr } = report(error);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    "error: Something unexpected happened: boom\n  Run the same command with --debug to see where, and report it with that output.\n",
  );
  const debugged = report(error, { debug: true }).stderr;
  expect(debugged).toMatch(/\n {4}at /);
  expect(debugged).toContain("caused by Error: deeper");
});

test("escapes in a message are shown, not obeyed", () => {
  expect(report(new CliError("x", "bad \x1b[2J name")).stderr).toBe("error: bad ␛[2J name\n");
});
