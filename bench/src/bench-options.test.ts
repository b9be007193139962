import { expect, test } from "vitest";
import { parseBenchOptions } from "./bench-options.ts";
import { PEERS } from "./loaders/peers.ts";

test("without options the bench measures 10,000 skills in nine rounds with all peers", () => {
  expect(parseBenchOptions([])).toEqual({
    skills: 10_000,
    runs: 9,
    seed: 1,
    peers: PEERS,
    output: "table",
    library: "remove",
  });
});

test("peers are chosen by name", () => {
  const { peers } = parseBenchOptions(["--peers", "pi,skills"]);
  expect(peers.map(({ name }) => name)).toEqual(["pi", "skills"]);
  expect(parseBenchOptions(["--peers", "none"]).peers).toEqual([]);
});

test.each([
  [["--skills", "0"], '--skills takes a whole number from 1 to 9999999, not "0".'],
  [["--runs", "many"], '--runs takes a whole number from 1 to 9999999, not "many".'],
  [["--peers", "nobody"], 'There is no peer "nobody"; choose from gemini, pi, openskills, skills.'],
  [["--quick"], /Unknown option '--quick'/],
])("%s is refused with the reason", (args, message) => {
  expect(() => parseBenchOptions(args)).toThrow(message);
});
