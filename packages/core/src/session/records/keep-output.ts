import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { writeAtomic } from "@skillet/kit/files";
import type { ScriptOutcome } from "../script-runner.ts";
import type { SkillSecrets } from "../secrets.ts";
import type { ScriptExecutionRecord } from "./session-record.ts";

// Of each stream, the end is kept: that is where a failure says why.
const MAX_KEPT_CHARACTERS = 256 * 1024;

/** Writes what a script wrote, without secrets, into a file of its own in the run folder; the record names it. */
export async function keepOutput(
  runFolder: string,
  { stdout, stderr, truncated }: Pick<ScriptOutcome, "stdout" | "stderr" | "truncated">,
  secrets: Pick<SkillSecrets, "redact">,
): Promise<Pick<ScriptExecutionRecord, "outputFile" | "outputDigest">> {
  const isCut = (text: string): boolean => text.length > MAX_KEPT_CHARACTERS;
  const kept = {
    type: "skillet.script-output",
    truncated: { stdout: truncated.stdout || isCut(stdout), stderr: truncated.stderr || isCut(stderr) },
    // Redacted whole: a cut could leave half of a secret.
    ...{ stdout: lastPart(secrets.redact(stdout)), stderr: lastPart(secrets.redact(stderr)) },
  };
  const content = Buffer.from(`${JSON.stringify(kept, undefined, 2)}\n`);
  const outputFile = `script-output-${randomUUID()}.json`;
  await writeAtomic(join(runFolder, outputFile), content, { mode: 0o600, links: "refuse" });
  return { outputFile, outputDigest: digestBytes(content) };
}

function lastPart(text: string): string {
  return text.slice(-MAX_KEPT_CHARACTERS);
}
