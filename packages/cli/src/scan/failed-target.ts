import { dirname } from "node:path";
import { RULE_SET } from "@skillet/scan";
import { describeFailure } from "../report-failure.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import type { ScanTarget } from "./scan-target.ts";
import type { ScannedTarget } from "./scan-targets.ts";

const NOTHING: readonly string[] = [];

/** A skill at which the scanner broke: nothing is known about it, so it is not analysed and never safe. */
export function failedTarget(
  { path, extent, file, directoryName }: ScanTarget,
  error: unknown,
): ScannedTarget {
  const { message } = describeFailure(error);
  return {
    path,
    folder: extent === "file" ? dirname(path) : path,
    name: extent === "file" ? file : directoryName,
    report: {
      verdict: "caution",
      findings: [],
      suppressed: [],
      capabilities: {
        network: NOTHING,
        commands: NOTHING,
        paths: NOTHING,
        secrets: NOTHING,
        persistence: NOTHING,
        agentConfig: NOTHING,
        packages: NOTHING,
        remoteInstructions: NOTHING,
      },
      coverage: [
        { file, kind: "text", size: 0, state: "unread", reason: "the scan of this skill broke off" },
      ],
      ruleSet: RULE_SET,
    },
    excerpts: new Map(),
    allFindings: [],
    allSuppressed: [],
    fileDigests: new Map(),
    diagnostics: [
      {
        code: "skill-not-scanned",
        severity: "error",
        message: `This skill was not analysed; the others were. ${message}`,
        file: path,
        hint: `see where, and report it with the output of: skillet scan ${shellQuote(path)} --debug`,
      },
    ],
  };
}
