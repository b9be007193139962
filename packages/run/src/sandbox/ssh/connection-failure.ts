import { SkilletError } from "@skillet/kit/errors";
import type { ProcessResult } from "@skillet/kit/process";
import type { TalkEnd } from "./open-talk.ts";

export interface ConnectionFailure {
  readonly reason: string;
  readonly fix?: string;
}

// A message of ssh, what it means, and the command that fixes it; @ stands for the destination.
const KNOWN: readonly (readonly [says: RegExp, reason: string, fix?: string])[] = [
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    "the host key of @ is not the one that is known: the connection may be intercepted. Ask the machine's operator before you replace the key",
  ],
  [
    /Host key verification failed|host key is known/,
    "the host key of @ is not known here, and unknown hosts are not trusted; connect once by hand and compare the fingerprint",
    "ssh @ true",
  ],
  [
    /Permission denied/,
    "@ accepted none of the keys; nothing is asked for, so an agent or a key without passphrase is needed",
    "ssh-copy-id @",
  ],
  [/Could not resolve hostname/, "the host name of @ cannot be resolved"],
  [/Connection refused/, "no ssh server answers at @"],
  [/timed out|not responding|No route to host/, "@ does not answer"],
];

export function connectionFailure(destination: string, { result, remarks }: TalkEnd): ConnectionFailure {
  const said = plainText(remarks);
  if (result.exitCode === 127 && /ssh: not found|ssh: command not found/.test(said))
    return { reason: "ssh is not installed on this machine", fix: "apt-get install openssh-client" };
  const [, reason, fix] = KNOWN.find(([says]) => says.test(said)) ?? [];
  const named = (text: string): string => text.replace("@", destination);
  return {
    reason: `${reason === undefined ? endings(destination, result) : named(reason)}${quoted(said)}`,
    ...(fix !== undefined && { fix: named(fix) }),
  };
}

function endings(destination: string, { ending, exitCode, signal }: ProcessResult): string {
  if (ending === "deadline") return `${destination} took too long to get ready`;
  if (exitCode === 255 || signal !== undefined) return `the connection to ${destination} ended too early`;
  return `the remote program on ${destination} ended too early (exit code ${exitCode})`;
}

function quoted(said: string): string {
  return said === "" ? "" : ` (ssh says: ${said})`;
}

/** For a run that was refused because of the connection or of what is at its other end; nothing of the script ran. */
export function unavailable(destination: string, failure: ConnectionFailure): SkilletError {
  const fix = failure.fix === undefined ? "" : ` Fix: ${failure.fix}`;
  return new SkilletError(
    "sandbox-unavailable",
    `The sandbox on ${destination} is not available: ${failure.reason}.${fix}`,
    { data: { backend: "ssh", destination, ...failure } },
  );
}

const REMOTE_FAILURES: ReadonlyMap<string, string> = new Map([
  [
    "guard",
    "the paths that must stay read-only or hidden in the remote workspace could not be looked at; readlink, stat and setpriv of GNU, busybox or util-linux are needed",
  ],
  ["unpack", "the remote tar could not unpack the skill; look whether its disk is full"],
]);

export function remoteFailure(message: string): ConnectionFailure {
  const [word = "", ...rest] = message.split(" ");
  if (word === "directory")
    return {
      reason: `the remote folder ${plainText(rest.join(" "))} cannot be made or written, belongs to another user, or can be written by others; pass another \`directory\``,
    };
  return { reason: REMOTE_FAILURES.get(word) ?? `the remote program gave up: ${plainText(message)}` };
}

export function connectionLost(known: {
  readonly destination: string;
  readonly how: "cut" | "killed" | "left";
  readonly remarks: string;
  readonly stopping?: string;
  readonly seenBytes: { readonly stdout: number; readonly stderr: number };
}): SkilletError {
  const { destination, how, stopping } = known;
  const remarks = plainText(known.remarks);
  const what = {
    cut: `The connection to ${destination} was lost while the script ran`,
    killed: `The sandbox was killed on ${destination} while the script ran`,
    left: `Some of what the script started on ${destination} could not be ended`,
  }[how];
  const before = stopping === undefined ? "" : `, after it was told to end (${stopping})`;
  return new SkilletError(
    "sandbox-connection-lost",
    `${what}${before}${quoted(remarks)}. The script may have run in part; the remote side ends what is left of it ` +
      "when it notices, at its deadline at the latest. Look at what it was to change before you run it again.",
    { data: { backend: "ssh", ...known, remarks } },
  );
}

const MAX_SAID_LENGTH = 600;

/** Turns the text of ssh or a remote tool into one bounded line without control characters. */
export function plainText(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replaceAll(/@{5,}/g, "")
    .trim();
  return line.length > MAX_SAID_LENGTH ? `${line.slice(0, MAX_SAID_LENGTH)}…` : line;
}
