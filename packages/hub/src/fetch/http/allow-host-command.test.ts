import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { allowHostCommand } from "./allow-host-command.ts";

/** What the command would set, in a shell in which it only prints its last argument. */
function pasted(command: string): unknown {
  const script = `skillet() { [ $# = 4 ] && printf %s "$1 $2 $3 $4"; }; ${command}`;
  const printed = execFileSync("sh", ["-c", script], { encoding: "utf8" });
  const start = "config set hub.privateHosts ";
  expect(printed.startsWith(start)).toBe(true);
  return JSON.parse(printed.slice(start.length));
}

test("the command names the host, and keeps those that are allowed", () => {
  expect(allowHostCommand("git.example:8080", { allowedPrivateHosts: [] })).toBe(
    `skillet config set hub.privateHosts '["git.example:8080"]'`,
  );
  const command = allowHostCommand("b.example", { allowedPrivateHosts: ["a.example", "b.example"] });
  expect(pasted(command)).toEqual(["a.example", "b.example"]);
});

test("no host that a URL can hold becomes a command of its own", () => {
  const { host } = new URL(`http://a';printf\${IFS}x;'\`id\`$(id)".example/`);
  expect(host).toContain("'");
  expect(pasted(allowHostCommand(host, { allowedPrivateHosts: [] }))).toEqual([host]);
  fc.assert(
    fc.property(fc.stringMatching(/^[!-~]{1,40}$/), (text) => {
      expect(pasted(allowHostCommand(text, { allowedPrivateHosts: ["a"] }))).toEqual([
        ...new Set(["a", text]),
      ]);
    }),
    { numRuns: 40 },
  );
});
