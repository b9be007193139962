import type { SandboxJob } from "../sandbox.ts";
import { homesSeenIn, OBEYED_PATHS, secretPaths } from "../sensitive-paths.ts";
import { quoteProfileString } from "./quote-profile-string.ts";

/** What a profile is made of besides the job itself. */
export interface SeatbeltPlaces {
  /** A private folder for this run: its home and its temporary files. */
  readonly scratch: string;
  /** Home folders of the user, canonical. */
  readonly homes: readonly string[];
  /** What else is private in the homes that the job sees: names that begin with a dot. */
  readonly hidden: readonly string[];
}

// What a process needs to start at all, and public settings; nothing of a user's.
const READABLE_SYSTEM = [
  ...["/usr", "/bin", "/sbin", "/System", "/Library/Apple", "/Library/Developer/CommandLineTools"],
  ...["/private/etc/ssl", "/private/etc/localtime", "/private/etc/protocols", "/private/etc/services"],
  ...[
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
  ],
];
// Keychains, cookies, mail and messages.
const PRIVATE_OF_A_HOME = "Library";
const WRITABLE_DEVICES = ["/dev/null", "/dev/zero"];

/**
 * The profile for `sandbox-exec` that gives a job what it was granted and nothing else. Later rules win over earlier
 * ones. It was checked as text only: it has not been run on a Mac.
 */
export function seatbeltProfile(job: SandboxJob, places: SeatbeltPlaces): string {
  const home = job.interpreter.home === undefined ? [] : [job.interpreter.home];
  const visible = visibleFolders(job);
  const readable = [job.skill.directory, places.scratch, ...home, ...visible];
  const guarded = job.writable.flatMap((folder) => OBEYED_PATHS.map((name) => `${folder}/${name}`));
  const libraries = visible.flatMap((folder) =>
    homesSeenIn(folder, places.homes).map((one) => `${one}/${PRIVATE_OF_A_HOME}`),
  );
  const secrets = visible.flatMap((folder) => secretPaths(folder, places.homes));
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read-metadata)",
    '(allow file-read* (literal "/"))',
    rule("allow file-read*", [...READABLE_SYSTEM, ...readable]),
    rule("allow process-exec*", [...READABLE_SYSTEM, ...readable]),
    rule("allow file-write*", [...WRITABLE_DEVICES, places.scratch, ...job.writable]),
    rule("deny file-write*", [...guarded, ...job.protect, job.skill.directory, ...home]),
    rule("deny file-read* file-write*", [...secrets, ...libraries, ...places.hidden]),
    // In a home that is given as the workspace, both lie behind a dot.
    rule("allow file-read*", [job.skill.directory, ...home]),
    "(deny file-write-setugid)",
    "(deny network*)",
    "",
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

/** The folders of the host that a job was given. */
export function visibleFolders({ workspace, writable }: SandboxJob): readonly string[] {
  return [...new Set([...(workspace === undefined ? [] : [workspace]), ...writable])];
}

function rule(what: string, paths: readonly string[]): string | undefined {
  const filters = [...new Set(paths)].map((path) => `  (subpath ${quoteProfileString(path)})`);
  return filters.length === 0 ? undefined : `(${what}\n${filters.join("\n")})`;
}
