import { verifyAudit } from "@skillet/core";
import type { AuditHead, HeadVerification, VerifyingKey } from "@skillet/hub";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { printJson } from "../output/json-document.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { loadInstalling } from "./load-installing.ts";

const MAX_HEAD_BYTES = 262_144;

/** Writes the log's last record down, signed or not, to be kept where whoever cuts the log off cannot reach it. */
export async function exportHead(
  context: CommandContext,
  { file, to, key }: { readonly file: string; readonly to: string; readonly key: string | undefined },
): Promise<ExitCode> {
  const { ok, head } = await verifyAudit(file);
  if (!ok || head === undefined)
    throw new CliError(
      "audit-head-unavailable",
      `The head of ${file} is not worth keeping: the log is ${ok ? "empty" : "broken"}.`,
      {
        exitCode: 1,
        hints: ["See what is wrong: skillet audit --verify"],
      },
    );
  const { readSigningKey, signHead, formatEnvelope } = loadInstalling();
  const text =
    key === undefined
      ? `${JSON.stringify({ sequence: head.sequence, hash: head.hash })}\n`
      : formatEnvelope(signHead({ head, key: await readSigningKey(key) }));
  await writeAtomic(to, text, { links: "refuse" });
  const { terminal, environment, json } = context;
  if (json) printJson(terminal, { file: to, head, signed: key !== undefined });
  else
    terminal.print(
      `Wrote record ${head.sequence} to ${showPath(to, environment)}. Keep it where nobody who can write the log can write.`,
    );
  return 0;
}

/** Says whether the log still holds everything up to a head that was kept elsewhere. */
export async function checkHead(
  context: CommandContext,
  { file, from, key }: { readonly file: string; readonly from: string; readonly key: string | undefined },
): Promise<ExitCode> {
  const found = await lookForHead({ file, from, key });
  const isIntact = found.state === "intact";
  const { terminal, json } = context;
  if (json) printJson(terminal, { file: from, intact: isIntact, ...found });
  else
    terminal.print(`${isIntact ? terminal.colours.green("✓") : terminal.colours.red("✗")} ${words(found)}`);
  return isIntact ? 0 : 1;
}

async function lookForHead(options: {
  readonly file: string;
  readonly from: string;
  readonly key: string | undefined;
}): Promise<HeadVerification> {
  const { file, from, key } = options;
  const bytes = readBoundedFile(from, { maxBytes: MAX_HEAD_BYTES });
  if (bytes === undefined)
    throw new CliError("audit-head-missing", `There is no file ${from}.`, {
      hints: ["Write one with: skillet audit --export-head FILE"],
      details: { file: from },
    });
  const { findHead, parseEnvelope, verifyHead } = loadInstalling();
  const plain = parsePlainHead(bytes);
  if (plain !== undefined) {
    // Whoever asks for a key must not be content with a head that anybody can write.
    if (key !== undefined) return { state: "untrusted" };
    return findHead(file, plain);
  }
  if (key === undefined)
    throw new CliError("usage", `${from} is signed, so the key that signed it is needed.`, {
      hints: ["Pass --key with the public key, or the file that holds it."],
    });
  return verifyHead({ envelope: parseEnvelope(bytes), trustedKeys: [readVerifyingKey(key)], file });
}

function readVerifyingKey(key: string): VerifyingKey {
  const { readKey } = loadInstalling();
  if (key.startsWith("ed25519:")) return readKey(key);
  const bytes = readBoundedFile(key, { maxBytes: MAX_HEAD_BYTES });
  return readKey(bytes === undefined ? key : Buffer.from(bytes).toString());
}

function parsePlainHead(bytes: Uint8Array): AuditHead | undefined {
  const match = /^\{"sequence":([1-9]\d{0,14}),"hash":"(sha256:[0-9a-f]{64})"\}\s*$/.exec(
    Buffer.from(bytes).toString(),
  );
  const [, sequence, hash] = match ?? [];
  return sequence === undefined || hash === undefined
    ? undefined
    : { sequence: Number(sequence), hash: hash as AuditHead["hash"] };
}

function words(found: HeadVerification): string {
  switch (found.state) {
    case "intact":
      return `The log holds everything up to record ${found.head.sequence}, and ${count(found.later, "record")} after it.`;
    case "cut-off":
      return `The log was cut off: it ends at record ${found.last}, and the head is record ${found.head.sequence}.`;
    case "rewritten":
      return `The log was written anew: record ${found.head.sequence} is another one.`;
    case "damaged":
      return `The log is damaged at or before record ${found.head.sequence}: ${found.problem}.`;
    case "untrusted":
      return "The head is not signed by that key, so it says nothing.";
    case "not-a-head":
      return "The file holds no head of an audit log.";
  }
}
