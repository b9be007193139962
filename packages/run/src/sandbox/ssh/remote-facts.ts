import {
  APPLICATIONS,
  KERNEL_SECRETS,
  PROGRAMS,
  SETTINGS,
  type SystemMount,
} from "../bubblewrap/bubblewrap-arguments.ts";
import { words } from "../folder-refusal.ts";
import { connectionFailure, unavailable } from "./connection-failure.ts";
import { openTalk } from "./open-talk.ts";
import { REMOTE_COMMON, REMOTE_SURVEY } from "./remote-program.ts";
import type { SshConnection } from "./ssh-options.ts";

export interface RemoteFacts {
  readonly system: string;
  readonly machine: string;
  /** The ids of its /etc/os-release, separated by spaces. */
  readonly ids: string;
  readonly uid: number;
  readonly directory: string;
  readonly home: string;
  /** With links resolved, and whether every user can use it; absent when it was asked for and is not there. */
  readonly workspace?: { readonly path: string; readonly open: boolean };
  /** A folder that root can mount things in, out of the way. */
  readonly place?: string;
  /** Whether printf is part of the shell; the arguments of a program are visible to every user. */
  readonly builtinPrintf: boolean;
  readonly network: string;
  readonly server?: { readonly address: string; readonly port: string };
  /** Absolute paths by name, and those of interpreters with links resolved. */
  readonly tools: ReadonlyMap<string, string>;
  readonly interpreters: ReadonlyMap<string, string>;
  /** The names beside the `bin` of an interpreter, by the interpreter's name. */
  readonly prefixes: ReadonlyMap<string, readonly string[]>;
  readonly systemMounts: readonly SystemMount[];
  readonly kernelSecrets: readonly string[];
}

export const REMOTE_TOOLS: readonly string[] = words(`
  bwrap prlimit setpriv unshare mount tar dd head wc find sed grep readlink chmod rm sleep cat env mkdir id stat`);

const SURVEY_MS = 60_000;

/** Asks the remote machine what it has, in one connection; throws `sandbox-unavailable` when that does not work. */
export async function surveyRemote(
  options: SshConnection,
  interpreters: readonly string[],
): Promise<RemoteFacts> {
  const talk = openTalk({
    options,
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

/** Reads the lines of a survey, `kind name value`; what they do not say is empty. */
function readFacts(messages: readonly string[]): RemoteFacts {
  const said = messages.map((message) => {
    const [kind = "", name = "", ...rest] = message.split(" ");
    return { kind, name, value: rest.join(" ") };
  });
  const mapOf = (wanted: string): Map<string, string> =>
    new Map(said.filter(({ kind }) => kind === wanted).map(({ name, value }) => [name, value]));
  const facts = mapOf("fact");
  const fact = (name: string): string => facts.get(name) ?? "";
  const workspace = facts.get("workspace");
  const place = facts.get("place");
  const [address, port] = fact("server").split(" ");
  return {
    system: fact("system"),
    machine: fact("machine"),
    ids: fact("ids"),
    uid: Number(facts.get("uid")),
    directory: fact("directory"),
    home: fact("home"),
    ...(workspace !== undefined && { workspace: { path: workspace, open: fact("open") === "yes" } }),
    ...(place !== undefined && { place }),
    builtinPrintf: fact("printf") === "printf",
    network: fact("network"),
    ...(address && port && { server: { address, port } }),
    tools: mapOf("tool"),
    interpreters: new Map([...mapOf("interpreter")].filter(([, path]) => path.startsWith("/"))),
    prefixes: new Map([...mapOf("prefix")].map(([name, entries]) => [name, words(entries)])),
    systemMounts: said.flatMap(({ kind, name: path, value: target }): SystemMount[] => {
      if (kind === "link") return [{ kind, path, target }];
      return kind === "bind" || kind === "empty" ? [{ kind, path }] : [];
    }),
    kernelSecrets: said.filter(({ kind }) => kind === "secret").map(({ name }) => name),
  };
}

/** The architecture by Node's name, which the filters of system calls go by. */
export function remoteArchitecture({ machine }: RemoteFacts): string {
  return machine === "x86_64" ? "x64" : machine === "aarch64" ? "arm64" : machine;
}
