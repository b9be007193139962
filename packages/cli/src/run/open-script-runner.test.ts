import { expect, test } from "vitest";
import { runCommandLine } from "./open-script-runner.ts";

test("a command is written as it was typed, with what was added before the script's own arguments", () => {
  const context = { skillsRoots: ["/my skills"], givenWorkspace: "/work", json: true };
  const options = {
    name: "pdf",
    path: "scripts/fill.py",
    args: ["it's", "--json"],
    network: ["a.example", "b.example:8080"],
    writable: ["."],
    timeout: 5000,
    yes: true,
  };
  expect(runCommandLine(context, options, "--allow", "pdf:scripts/fill.py")).toBe(
    "skillet run pdf scripts/fill.py --workspace /work --skills-root '/my skills' --network a.example --network b.example:8080 " +
      "--writable . --timeout 5000ms --yes --json --allow pdf:scripts/fill.py -- 'it'\\''s' --json",
  );
  expect(runCommandLine({ skillsRoots: [], json: false }, { name: "a", path: "scripts/b", args: [] })).toBe(
    "skillet run a scripts/b",
  );
});
