import { resolveHome } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import { loadRunning } from "../run/load-running.ts";
import type { Finding } from "./finding.ts";

/** Whether scripts of skills can be run, and how well they would be held in; without a sandbox they are refused. */
export async function checkSandbox({ environment }: CommandContext): Promise<Finding> {
  const { home } = resolveHome(environment);
  const probe = await loadRunning()
    .createScriptRunner({ allow: [], network: [], writable: [], home })
    .probe();
  if (!probe.ok)
    return {
      check: "sandbox",
      status: "warning",
      message: `scripts of skills are refused: ${probe.reason}`,
      hint: probe.fix === undefined ? "Skills can be used without their scripts." : `Run: ${probe.fix}`,
    };
  const { backend, strength, weaknesses } = probe.report;
  if (strength === "full")
    return {
      check: "sandbox",
      status: "ok",
      message: `${backend} holds: a write and a connection were tried and denied`,
    };
  return {
    check: "sandbox",
    status: "warning",
    message: `${backend} holds, with weaknesses: ${weaknesses.join(" ")}`,
    hint: "Allow only scripts that you have read.",
  };
}
