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

// `ids` are those of /etc/os-release; `workspace` has its links resolved; `open` is "yes" if every user can
// use it; `place` is an out-of-the-way folder for root's mounts; `printf` is a path if the shell lacks it,
// and every user sees a program's arguments; `server` is an address and a port.
const FACTS = words("system machine ids uid directory home workspace open place printf network server");
type Identity = "system" | "machine" | "ids" | "uid" | "directory" | "home";
type Fact = Identity | "workspace" | "open" | "place" | "printf" | "network" | "server";

/** What a remote machine reports about itself; a fact that it does not report is empty. */
export interface RemoteFacts extends Readonly<Record<Fact, string>> {
  /** Absolute paths by name; those of interpreters have links resolved. */
  readonly tools: ReadonlyMap<string, string>;
  readonly interpreters: ReadonlyMap<string, string>;
  /** The names next to an interpreter's `bin`, by the interpreter's name. */
  readonly prefixes: ReadonlyMap<string, readonly string[]>;
  readonly systemMounts: readonly SystemMount[];
  readonly kernelSecrets: readonly string[];
}

export const REMOTE_TOOLS: readonly string[] = words(`
  bwrap prlimit setpriv unshare mount tar dd head wc find sed grep readlink chmod rm sleep cat env mkdir id stat`);

const SURVEY_MS = 60_000;

/** Surveys the remote machine in one connection; throws `sandbox-unavailable` if that fails. */
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

/** Reads the lines of a survey, `kind name value`. */
function readFacts(messages: readonly string[]): RemoteFacts {
  const said = messages.map((message) => {
    const [kind = "", name = "", ...rest] = message.split(" ");
    return { kind, name, value: rest.join(" ") };
  });
  const mapOf = (wanted: string): Map<string, string> =>
    new Map(said.filter(({ kind }) => kind === wanted).map(({ name, value }) => [name, value]));
  const facts = mapOf("fact");
  const told = Object.fromEntries(FACTS.map((name) => [name, facts.get(name) ?? ""]));
  return {
    ...(told as Record<Fact, string>),
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

/** The architecture by Node's name, under which the system call filters are listed. */
export function remoteArchitecture({ machine }: RemoteFacts): string {
  return machine === "x86_64" ? "x64" : machine === "aarch64" ? "arm64" : machine;
}
