import type { SshOptions } from "./ssh-options.ts";

/**
 * The program and arguments of one connection, which takes its standard input from descriptor 3.
 *
 * Nothing is asked, no unknown host is trusted, nothing of this machine is lent to the other side, and a peer that
 * fell silent is noticed. The connection is its own: a shared one would not have these options.
 */
export function sshArgv(options: SshOptions, command: string): readonly [string, ...string[]] {
  return [
    "/bin/sh",
    "-c",
    'exec ssh "$@" <&3 3<&-',
    "sh",
    ...(options.configFile === undefined ? [] : ["-F", options.configFile]),
    "-T",
    ...[...HARDENING, ...choices(options)].flatMap((option) => ["-o", option]),
    "--",
    options.destination,
    command,
  ];
}

const CONNECT_SECONDS = 15;
const SILENT_SECONDS = 20;

const HARDENING = [
  "BatchMode=yes",
  "StrictHostKeyChecking=yes",
  "UpdateHostKeys=no",
  "RequestTTY=no",
  "EscapeChar=none",
  "ForwardAgent=no",
  "ForwardX11=no",
  "ClearAllForwardings=yes",
  "Tunnel=no",
  "PermitLocalCommand=no",
  "RemoteCommand=none",
  "ControlMaster=no",
  "ControlPath=none",
  `ConnectTimeout=${CONNECT_SECONDS}`,
  "ServerAliveInterval=5",
  `ServerAliveCountMax=${SILENT_SECONDS / 5}`,
  "LogLevel=ERROR",
];

function choices({ port, identityFile, knownHostsFile }: SshOptions): readonly string[] {
  return [
    ...(port === undefined ? [] : [`Port=${port}`]),
    ...(identityFile === undefined ? [] : [`IdentityFile=${literal(identityFile)}`, "IdentitiesOnly=yes"]),
    ...(knownHostsFile === undefined
      ? []
      : [`UserKnownHostsFile=${literal(knownHostsFile)}`, "GlobalKnownHostsFile=/dev/null"]),
  ];
}

// ssh splits values at spaces and expands `%` in file names.
function literal(path: string): string {
  return `"${path.replaceAll("%", "%%")}"`;
}
