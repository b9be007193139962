import {
  APPLICATIONS,
  KERNEL_SECRETS,
  PROGRAMS,
  SETTINGS,
  type SystemMount,
} from "../bubblewrap/bubblewrap-arguments.ts";
import { connectionFailure, unavailable } from "./connection-failure.ts";
import { openTalk } from "./open-talk.ts";
import { REMOTE_COMMON, REMOTE_SURVEY } from "./remote-program.ts";
import type { SshOptions } from "./ssh-options.ts";

/** What the remote machine is and has. */
export interface RemoteFacts {
  readonly system: string;
  /** As the kernel names it: `x86_64`, `aarch64`. */
  readonly machine: string;
  /** Of the kernel. */
  readonly release: string;
  /** The ids of its /etc/os-release, parted by spaces. */
  readonly ids: string;
  readonly uid: number;
  /** The folder of staged skills. */
  readonly directory: string;
  readonly home: string;
  /** With links resolved, and whether everybody can use it; absent when it was asked for and is not there. */
  readonly workspace?: { readonly path: string; readonly open: boolean };
  /** A folder that root can mount things in, out of the way. */
  readonly place?: string;
  /** Whether the shell writes without starting a program, whose arguments everybody could see. */
  readonly builtinPrintf: boolean;
  /** The namespace of its network. */
  readonly network: string;
  /** Where its ssh server answers itself, when it does. */
  readonly server?: { readonly address: string; readonly port: string };
  /** Absolute paths by name, and those of interpreters with links resolved. */
  readonly tools: ReadonlyMap<string, string>;
  readonly interpreters: ReadonlyMap<string, string>;
  /** What lies beside the `bin` of an interpreter, by the interpreter's name. */
  readonly prefixes: ReadonlyMap<string, readonly string[]>;
  readonly systemMounts: readonly SystemMount[];
  /** Files of its kernel that no script has to see. */
  readonly kernelSecrets: readonly string[];
}

/** The programs that the remote programs and the sandbox call. */
export const REMOTE_TOOLS: readonly string[] = [
  ...[
    "bwrap",
    "prlimit",
    "setpriv",
    "unshare",
    "mount",
    "setsid",
    "tar",
    "sha256sum",
    "dd",
    "head",
    "wc",
    "find",
    "sort",
    "sed",
    "grep",
  ],
  ...[
    "cmp",
    "readlink",
    "mktemp",
    "chmod",
    "mv",
    "rm",
    "touch",
    "sleep",
    "cat",
    "env",
    "mkdir",
    "id",
    "stat",
  ],
];

const SURVEY_MS = 60_000;

/** Asks the remote machine what it has, in one connection; throws `sandbox-unavailable` when that does not work. */
export async function surveyRemote(request: {
  readonly options: SshOptions;
  readonly environment: Readonly<Record<string, string>>;
  readonly interpreters: readonly string[];
}): Promise<RemoteFacts> {
  const { options, environment, interpreters } = request;
  const talk = openTalk({
    options,
    environment,
    deadlineMs: SURVEY_MS,
    values: {
      directory: options.directory ?? "",
      workspace: options.workspace ?? "",
      needed_mode: options.writableWorkspace === true ? "007" : "005",
      tools: REMOTE_TOOLS.join(" "),
      interpreters: interpreters.join(" "),
      programs: ["/usr", ...PROGRAMS].join(" "),
      applications: APPLICATIONS.join(" "),
      settings: SETTINGS.join(" "),
      secrets: KERNEL_SECRETS.join(" "),
    },
    program: `${REMOTE_COMMON}${REMOTE_SURVEY}`,
  });
  const messages: string[] = [];
  for (let message = await talk.next(); message !== undefined; message = await talk.next())
    messages.push(message);
  const end = await talk.closed;
  if (messages.at(-1) !== "done")
    throw unavailable(options.destination, connectionFailure(options.destination, end));
  return readFacts(messages);
}

/** Reads the lines of a survey; what they do not say is empty. */
function readFacts(messages: readonly string[]): RemoteFacts {
  const facts = new Map<string, string>();
  const tools = new Map<string, string>();
  const interpreters = new Map<string, string>();
  const prefixes = new Map<string, readonly string[]>();
  const systemMounts: SystemMount[] = [];
  const kernelSecrets: string[] = [];
  for (const message of messages) {
    const [kind = "", name = "", ...rest] = message.split(" ");
    const value = rest.join(" ");
    if (kind === "fact") facts.set(name, value);
    if (kind === "tool") tools.set(name, value);
    if (kind === "interpreter" && value.startsWith("/")) interpreters.set(name, value);
    if (kind === "prefix")
      prefixes.set(
        name,
        rest.filter((entry) => entry !== ""),
      );
    if (kind === "secret") kernelSecrets.push(name);
    systemMounts.push(...readMount(kind, name, value));
  }
  const workspace = facts.get("workspace");
  const place = facts.get("place");
  return {
    system: facts.get("system") ?? "",
    machine: facts.get("machine") ?? "",
    release: facts.get("release") ?? "",
    ids: facts.get("ids") ?? "",
    uid: Number(facts.get("uid")),
    directory: facts.get("directory") ?? "",
    home: facts.get("home") ?? "",
    ...(workspace === undefined ? {} : { workspace: { path: workspace, open: facts.get("open") === "yes" } }),
    ...(place === undefined ? {} : { place }),
    builtinPrintf: facts.get("printf") === "printf",
    network: facts.get("network") ?? "",
    ...serverOf(facts.get("server")),
    tools,
    interpreters,
    prefixes,
    systemMounts,
    kernelSecrets,
  };
}

function readMount(kind: string, path: string, target: string): SystemMount[] {
  if (kind === "link") return [{ kind, path, target }];
  return kind === "bind" || kind === "empty" ? [{ kind, path }] : [];
}

function serverOf(value: string | undefined): Pick<RemoteFacts, "server"> {
  const [address, port] = (value ?? "").split(" ");
  return address && port ? { server: { address, port } } : {};
}

/** The architecture by Node's name, which the filters of system calls go by. */
export function remoteArchitecture({ machine }: RemoteFacts): string {
  return machine === "x86_64" ? "x64" : machine === "aarch64" ? "arm64" : machine;
}
