import { describe, expect, test } from "vitest";
import { identifyProcess, isProcessGone, type ProcessIdentity } from "./process-identity.ts";

const NO_SUCH_PROCESS = 2 ** 30;

describe("a process of another boot", () => {
  const observer: ProcessIdentity = { pid: 2, host: "runner", machine: "m", boot: "now" };
  const { machine: _, ...nameless } = observer;

  test("has ended where both are known to be of one machine", () => {
    expect(isProcessGone({ ...observer, pid: 1, boot: "earlier" }, observer)).toBe(true);
  });

  test.each<[string, ProcessIdentity, ProcessIdentity]>([
    ["neither machine has an id", { ...nameless, boot: "other" }, nameless],
    ["only its own machine has an id", { ...observer, boot: "other" }, nameless],
    ["only this machine has an id", { ...nameless, boot: "other" }, observer],
    ["the machines have different ids", { ...observer, machine: "n", boot: "other" }, observer],
    ["its boot is not known", { pid: 1, host: "runner", machine: "m" }, observer],
  ])("may be alive where %s", (_title, subject, watching) => {
    expect(isProcessGone(subject, watching)).toBe(false);
  });
});

describe("a process of this boot", () => {
  const here = identifyProcess();

  test("has ended where its id is free, and has not where it is this one", () => {
    expect(isProcessGone({ ...here, pid: NO_SUCH_PROCESS }, here)).toBe(true);
    expect(isProcessGone(here, here)).toBe(false);
  });

  test("that had this one's id before has ended", ({ skip }) => {
    if (here.started === undefined) skip("this system does not say when a process started");
    expect(isProcessGone({ ...here, started: "1" }, here)).toBe(true);
  });
});
