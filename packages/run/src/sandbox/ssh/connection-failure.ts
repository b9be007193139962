import { SkilletError } from "@skillet/kit/errors";
import type { ProcessResult } from "@skillet/kit/process";
import type { TalkEnd } from "./open-talk.ts";

/** Why a connection came to nothing, for a person, with the way out where there is one. */
export interface ConnectionFailure {
  readonly reason: string;
  readonly fix?: string;
}

/** Reads what ssh said about a connection that ended before the remote program had done its work. */
export function connectionFailure(destination: string, end: TalkEnd): ConnectionFailure {
  const remarks = plainText(end.remarks);
  const known = KNOWN.find(({ says }) => says.test(remarks));
  const said = remarks === "" ? "" : ` (ssh says: ${remarks})`;
  if (end.result.exitCode === 127 && /ssh: not found|ssh: command not found/.test(remarks))
    return { reason: "there is no ssh on this machine", fix: "apt-get install openssh-client" };
  if (known !== undefined)
    return { reason: `${known.reason(destination)}${said}`, ...known.fix?.(destination) };
  return { reason: `${endings(destination, end.result)}${said}` };
}

/** For a run that was refused because of the connection or of what is at its other end; nothing of the script ran. */
export function unavailable(destination: string, failure: ConnectionFailure): SkilletError {
  const fix = failure.fix === undefined ? "" : ` Fix: ${failure.fix}`;
  return new SkilletError(
    "sandbox-unavailable",
    `The sandbox on ${destination} is not available: ${failure.reason}.${fix}`,
    {
      data: { backend: "ssh", destination, ...failure },
    },
  );
}

/** What a remote program that gave up means by its last word. */
export function remoteFailure(words: string): ConnectionFailure {
  const [word, ...rest] = words.split(" ");
  switch (word) {
    case "directory":
      return {
        reason: `the remote folder ${plainText(rest.join(" "))} cannot be made or written, belongs to somebody else, or can be written by others; pass another \`directory\``,
      };
    case "guard":
      return {
        reason:
          "what must stay read-only or hidden in the remote workspace could not be looked at; its readlink, stat and setpriv are needed as GNU, busybox and util-linux have them",
      };
    case "unpack":
      return { reason: "the remote tar could not unpack the skill; look whether its disk is full" };
    case "verify":
      return {
        reason:
          "what arrived there is not what was sent; its tools are needed as GNU or busybox have them (find, sort, sha256sum, readlink)",
      };
    default:
      return { reason: `the remote program gave up: ${plainText(words)}` };
  }
}

/** For a run of which nobody can say how it ended. */
export function connectionLost(known: {
  readonly destination: string;
  readonly how: "cut" | "killed" | "left";
  readonly remarks: string;
  readonly stopping?: string;
  readonly seenBytes: { readonly stdout: number; readonly stderr: number };
}): SkilletError {
  const { destination, how, remarks, stopping } = known;
  const said = plainText(remarks);
  const what = {
    cut: `The connection to ${destination} was lost while the script ran`,
    killed: `Somebody on ${destination} ended the sandbox while the script ran`,
    left: `Some of what the script started on ${destination} could not be ended`,
  }[how];
  const before = stopping === undefined ? "" : `, after it was told to end (${stopping})`;
  return new SkilletError(
    "sandbox-connection-lost",
    `${what}${before}${said === "" ? "" : ` (ssh says: ${said})`}. The script may have run in part; the remote side ends what is left of it ` +
      "when it notices, at its deadline at the latest. Look at what it was to change before you run it again.",
    { data: { backend: "ssh", ...known, remarks: said } },
  );
}

/** What ssh or a remote tool said, in one line that can be shown: no control characters, no end without a bound. */
export function plainText(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replaceAll(/@{5,}/g, "")
    .trim();
  return line.length > MAX_SAID_LENGTH ? `${line.slice(0, MAX_SAID_LENGTH)}…` : line;
}

const MAX_SAID_LENGTH = 600;

interface KnownFailure {
  readonly says: RegExp;
  readonly reason: (destination: string) => string;
  readonly fix?: (destination: string) => { readonly fix: string };
}

const KNOWN: readonly KnownFailure[] = [
  {
    says: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    reason: (destination) =>
      `the host key of ${destination} is not the one that is known: somebody may be in between. Ask who runs the machine before you replace the key`,
  },
  {
    says: /Host key verification failed|host key is known/,
    reason: (destination) =>
      `the host key of ${destination} is not known here, and unknown hosts are not trusted; connect once by hand and compare the fingerprint`,
    fix: (destination) => ({ fix: `ssh ${destination} true` }),
  },
  {
    says: /Permission denied/,
    reason: (destination) =>
      `${destination} accepted none of the keys; nothing is asked for, so an agent or a key without passphrase is needed`,
    fix: (destination) => ({ fix: `ssh-copy-id ${destination}` }),
  },
  { says: /Could not resolve hostname/, reason: (destination) => `the name of ${destination} is not known` },
  { says: /Connection refused/, reason: (destination) => `no ssh server answers at ${destination}` },
  {
    says: /timed out|not responding|No route to host/,
    reason: (destination) => `${destination} does not answer`,
  },
];

function endings(destination: string, { ending, exitCode, signal }: ProcessResult): string {
  if (ending === "deadline") return `${destination} took too long to get ready`;
  if (exitCode === 255 || signal !== undefined) return `the connection to ${destination} ended too early`;
  return `the remote program on ${destination} ended too early (exit code ${exitCode})`;
}
