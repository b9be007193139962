import { expect, test } from "vitest";
import { createTerminal } from "../ui/terminal.ts";
import { createProgram, noCommand } from "./program.ts";

const stream = { write: () => true };
const options = {
  version: "0.0.0",
  terminal: createTerminal({ stdout: stream, stderr: stream, environment: {} }),
  run: async () => undefined,
};

test("every command is defined by a command line that names it, by any of its names", () => {
  const { commands } = createProgram(options);
  for (const command of commands)
    for (const name of [command.name(), ...command.aliases()]) {
      const defined = createProgram({ ...options, argv: ["--json", name] }).commands;
      expect(
        defined.map((one) => one.name()),
        name,
      ).toContain(command.name());
    }
});

test("a command line that names none, or help, defines all of them", () => {
  const all = createProgram(options).commands.length;
  expect(createProgram({ ...options, argv: ["shwo"] }).commands.length).toBe(all);
  expect(createProgram({ ...options, argv: ["help", "show"] }).commands.length).toBe(all);
  expect(createProgram({ ...options, argv: ["show"] }).commands.length).toBe(1);
});

test("the word that other tools have for a command leads to it", () => {
  expect(noCommand("Unknown command 'why'.", "why").hints).toContain("Did you mean explain?");
});
