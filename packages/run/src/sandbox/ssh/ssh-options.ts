import { SkilletError } from "@skillet/kit/errors";
import { passedOn } from "@skillet/kit/program";
import { words } from "../folder-refusal.ts";

/**
 * How a remote machine is reached and what it lends to scripts.
 *
 * Paths not described as remote are absolute paths on this machine.
 */
export interface SshOptions {
  /** `user@host`, a host, or an alias of the configuration; it never starts with `-`. */
  readonly destination: string;
  readonly port?: number;
  /** The only key to log in with; default: those of the agent and the configuration. */
  readonly identityFile?: string;
  /** Default: the user's own. */
  readonly configFile?: string;
  /** The only file consulted for host keys; default: the user's and the system's. */
  readonly knownHostsFile?: string;
  /** Remote folder that scripts see as their workspace, at the same path; default: an empty private one. */
  readonly workspace?: string;
  /**
   * Lets scripts write to the remote workspace; default: no. Grants for local folders never apply to the
   * remote machine, so this is a setting of its own.
   */
  readonly writableWorkspace?: boolean;
  /** Remote folder for the files of a run; default `~/.cache/skillet/staged`. */
  readonly directory?: string;
}

export interface SshConnection extends SshOptions {
  readonly environment: Readonly<Record<string, string>>;
}

const PASSED_ON = ["HOME", "PATH", "USER", "LOGNAME", "SSH_AUTH_SOCK", "KRB5CCNAME", "XDG_RUNTIME_DIR"];

/** Reads the variables once: project settings that a host loads later must not choose the ssh program. */
export function connectionFor(options: SshOptions): SshConnection {
  return { ...options, environment: passedOn(process.env, (name) => PASSED_ON.includes(name)) };
}

/** Refuses options that ssh or the remote shell would interpret differently. */
export function checkSshOptions(options: SshOptions): void {
  if (options.destination.length > MAX_DESTINATION_LENGTH || !DESTINATION.test(options.destination))
    throw invalid("destination", options.destination, "pass user@host or an alias of your ssh configuration");
  const { port } = options;
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    throw invalid("port", String(port), "pass a number from 1 to 65535");
  for (const key of ["identityFile", "configFile", "knownHostsFile", "workspace", "directory"] as const) {
    const path = options[key];
    if (path !== undefined && !(path.length <= MAX_PATH_LENGTH && PLAIN_PATH.test(path)))
      throw invalid(
        key,
        path,
        "pass an absolute path without quotes, backslashes, `..` or control characters",
      );
  }
}

const MAX_DESTINATION_LENGTH = 255;
const MAX_PATH_LENGTH = 1024;

// No leading dash, which begins an option; no shell characters, as many put the host into a ProxyCommand.
const DESTINATION = /^(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*@)?[A-Za-z0-9_[:][A-Za-z0-9_.:%[\]-]*$/;

// Double quotes, backslashes and `${` have a meaning in ssh's own options.
const PLAIN_PATH = /^\/(?!.*(?:^|\/)\.\.(?:\/|$))(?!.*\$\{)[^"\\\p{Cc}]*$/u;

function invalid(option: string, value: string, remedy: string): SkilletError {
  const message = `the ssh sandbox cannot use ${option} ${JSON.stringify(value)}: ${remedy}`;
  return new SkilletError("invalid-ssh-option", message, { data: { option, value } });
}

/**
 * The program and arguments of one connection, which reads its standard input from descriptor 3.
 *
 * It asks nothing, trusts no unknown host, forwards nothing of this machine, and notices a silent peer. The
 * connection is not shared: a shared one would lack these options.
 */
export function sshArgv(options: SshOptions, command: string): readonly [string, ...string[]] {
  return [
    ...(["/bin/sh", "-c", 'exec ssh "$@" <&3 3<&-', "sh"] as const),
    ...(options.configFile === undefined ? [] : ["-F", options.configFile]),
    "-T",
    ...[...HARDENING, ...choices(options)].flatMap((option) => ["-o", option]),
    ...["--", options.destination, command],
  ];
}

// A silent peer is noticed after 20 seconds.
const HARDENING = words(`
  BatchMode=yes StrictHostKeyChecking=yes UpdateHostKeys=no RequestTTY=no EscapeChar=none ForwardAgent=no ForwardX11=no
  ClearAllForwardings=yes Tunnel=no PermitLocalCommand=no RemoteCommand=none ControlMaster=no ControlPath=none
  ConnectTimeout=15 ServerAliveInterval=5 ServerAliveCountMax=4 LogLevel=ERROR`);

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
