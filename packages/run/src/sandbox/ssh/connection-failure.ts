import { SkilletError } from "@skillet/kit/errors";
import { plainText, sandboxUnavailable } from "../probe-sandbox.ts";
import type { SandboxFault } from "../sandbox.ts";
import type { TalkEnd } from "./open-talk.ts";

type ConnectionFailure = Omit<SandboxFault, "ok">;

// A message of ssh, what it means, and the command that fixes it; @ is replaced by the destination.
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
    "@ accepted none of the keys; ssh runs without prompts, so use an agent or a key without a passphrase",
    "ssh-copy-id @",
  ],
  [/Could not resolve hostname/, "the host name of @ cannot be resolved"],
  [/Connection refused/, "no ssh server answers at @"],
  [/timed out|not responding|No route to host/, "@ does not answer"],
];

export function connectionFailure(destination: string, { result, remarks }: TalkEnd): ConnectionFailure {
  const { ending, exitCode, signal } = result;
  const said = plainText(remarks);
  if (exitCode === 127 && /ssh: not found|ssh: command not found/.test(said))
    return { reason: "ssh is not installed on this machine", fix: "apt-get install openssh-client" };
  const isCut = exitCode === 255 || signal !== undefined;
  const early = isCut ? "the connection to @ ended too early" : "the remote program on @ ended too early";
  const ended = ending === "deadline" ? "@ took too long to get ready" : early;
  const [, reason = ended, fix] = KNOWN.find(([says]) => says.test(said)) ?? [];
  const named = (text: string): string => text.replace("@", destination);
  return { reason: `${named(reason)}${quoted(said)}`, ...(fix !== undefined && { fix: named(fix) }) };
}

function quoted(said: string): string {
  return said === "" ? "" : ` (ssh says: ${said})`;
}

export function unavailable(destination: string, failure: ConnectionFailure): SkilletError {
  const what = `The sandbox on ${destination} is not available`;
  return sandboxUnavailable(what, failure, { backend: "ssh", destination });
}

const REMOTE_FAILURES: ReadonlyMap<string, string> = new Map([
  [
    "guard",
    "the paths that must stay read-only or hidden in the remote workspace could not be looked at; readlink, stat and setpriv of GNU, busybox or util-linux are needed",
  ],
  ["unpack", "the remote tar could not unpack the skill; look whether its disk is full"],
  [
    "directory",
    "the remote folder @ cannot be made or written, belongs to another user, or can be written by others; pass another `directory`",
  ],
]);

export function remoteFailure(message: string): ConnectionFailure {
  const [word = "", ...rest] = message.split(" ");
  const reason = REMOTE_FAILURES.get(word)?.replace("@", () => plainText(rest.join(" ")));
  return { reason: reason ?? `the remote program gave up: ${plainText(message)}` };
}

const LOST = {
  cut: "The connection to @ was lost while the script ran",
  killed: "The sandbox was killed on @ while the script ran",
  left: "Some of what the script started on @ could not be ended",
};

export function connectionLost(known: {
  readonly destination: string;
  readonly how: keyof typeof LOST;
  readonly remarks: string;
  readonly stopping?: string;
  readonly seenBytes: { readonly stdout: number; readonly stderr: number };
}): SkilletError {
  const { destination, how, stopping } = known;
  const remarks = plainText(known.remarks);
  const told = stopping === undefined ? "" : `, after it was told to end (${stopping})`;
  const message = `${LOST[how].replace("@", destination)}${told}${quoted(remarks)}. The script may have run in part; the remote side ends what is left of it when it notices, at its deadline at the latest. Look at what it was to change before you run it again.`;
  return new SkilletError("sandbox-connection-lost", message, {
    data: { backend: "ssh", ...known, remarks },
  });
}
