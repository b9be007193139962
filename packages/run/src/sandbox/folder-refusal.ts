import { realpathSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { isInside, OBEYED_PATHS, SECRET_PATHS, unlessUnknown } from "@skillet/kit/files";
import { SKILL_PLACE } from "./sandbox.ts";

export function words(text: string): readonly string[] {
  return text.match(/\S+/g) ?? [];
}

// Never part of a workspace: a mount there would replace what the sandbox itself puts in those places. The
// last line is for macOS, where /etc and /var are links into /private.
const SYSTEM_FOLDERS = words(`
  ${SKILL_PLACE} /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /proc /dev /sys /run /boot /lost+found
  /System /Library /Applications /cores /private/etc /private/var/db /private/var/root`);
// Container images keep applications there.
const APPLICATIONS = "/usr/src/";
// Shared by every user of the machine; folders inside them are fine.
const SHARED_FOLDERS = new Set(
  words(`
  / /home /tmp /var /var/tmp /var/lib /var/log /var/spool
  /Users /Volumes /private /private/tmp /private/var /private/var/folders /private/var/tmp`),
);

/** Why a folder of the host cannot be given to a script; undefined if it can. */
export function folderRefusal(folder: string): string | undefined {
  if (!folder.startsWith("/") || folder.split("/").some((part) => part === "." || part === ".."))
    return "it is not an absolute, canonical path";
  if (SHARED_FOLDERS.has(folder)) return "it is shared by the whole machine; use a folder inside it";
  if (folder.startsWith(APPLICATIONS)) return undefined;
  const system = SYSTEM_FOLDERS.find((place) => isInside(folder, place));
  return system === undefined ? undefined : `${system} belongs to the system; move the project elsewhere`;
}

/** Why a folder cannot be made writable: programs obey more files in a home than a list could name. */
export function homeRefusal(folder: string, homes: readonly string[]): string | undefined {
  const home = homesSeenIn(folder, homes)[0];
  if (home === undefined) return undefined;
  return `${home === folder ? "it is" : `it holds ${home},`} a user's home; grant the folder of a project instead`;
}

/** Refuses a folder that a script may not be given, or may not write to; `where` begins the reason. */
export function checkGiven(
  folder: string,
  { isWritable, homes, where = "" }: { isWritable: boolean; homes: readonly string[]; where?: string },
): void {
  const reason = folderRefusal(folder) ?? (isWritable ? homeRefusal(folder, homes) : undefined);
  if (reason !== undefined) throw folderRefused(folder, `${where}${reason}`);
}

/** The error for a folder that a script cannot be given; it is thrown before anything runs. */
export function folderRefused(folder: string, reason: string): SkilletError {
  return new SkilletError("sandbox-folder-refused", `A script cannot be given ${folder}: ${reason}.`, {
    data: { folder },
  });
}

/**
 * The caller's home folder, from the environment and from the system's user list, both as spelled and with
 * links resolved: on some systems /home itself is a link to /var/home.
 */
export function userHomes(): string[] {
  const homes = [homedir, () => userInfo().homedir].map(unlessUnknown).filter((home) => home !== undefined);
  const known = homes.map((home) => home.replace(/(?<=.)\/+$/, "")).filter((home) => home.startsWith("/"));
  return [...new Set(known.flatMap((home) => [home, withoutLinks(home)]))];
}

// Any other failure ends the run: an unknown home could not be kept from the script.
function withoutLinks(home: string): string {
  try {
    return realpathSync(home);
  } catch (error) {
    return undefinedOn("ENOENT", "ENOTDIR", "EACCES", "ELOOP")(error) ?? home;
  }
}

// In a project these names are ordinary settings.
const SECRETS_OF_A_HOME = [
  ".config/Bitwarden CLI",
  ...words(`
  .skillet .npmrc .yarnrc.yml .docker .cargo/credentials .cargo/credentials.toml .password-store .local/share/keyrings
  .config/rclone .config/containers .terraform.d .mozilla .thunderbird .config/google-chrome .config/chromium
  .config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera .local/share/kwalletd
  .bash_history .zsh_history .python_history .node_repl_history .psql_history .local/share/fish .local/state/bash
  .local/state/zsh .ipython .cache/huggingface .claude.json .claude/.credentials.json .codex/auth.json .gem/credentials
  .config/hub .gemini/oauth_creds.json .local/share/opencode/auth.json .config/github-copilot
  .config/Code/User/globalStorage .config/Cursor/User/globalStorage .config/configstore .config/pip
  .config/pypoetry/auth.toml .config/composer/auth.json .local/share/gem .config/sops .config/age .config/doctl
  .config/heroku .config/glab-cli .config/hcloud .config/stripe .config/helm .config/solana .config/wandb
  .config/netlify .config/.wrangler .local/share/com.vercel.cli .config/keepassxc .config/Signal .config/Slack
  .config/neomutt .config/syncthing .config/filezilla .local/share/remmina .m2/settings.xml .gradle/gradle.properties
  .nuget/NuGet`),
];

/**
 * Absolute paths of credentials that a visible folder may contain; they need not exist. In a home, every name
 * that begins with a dot is private too, which this list does not cover.
 */
export function secretPaths(folder: string, homes: readonly string[]): string[] {
  const ofHomes = homesSeenIn(folder, homes).flatMap(secretsOf);
  const below = homes.flatMap(secretsOf).filter((path) => path.startsWith(`${folder}/`));
  return [...new Set([...SECRET_PATHS.map((name) => `${folder}/${name}`), ...ofHomes, ...below])];
}

/** The homes that are visible in a folder; a folder directly below /home or /Users counts as one. */
export function homesSeenIn(folder: string, homes: readonly string[]): string[] {
  const within = homes.filter((home) => isInside(home, folder));
  return [...new Set([...within, ...(/^(?:\/Users|(?:\/var)?\/home)\/[^/]+$/.test(folder) ? [folder] : [])])];
}

function secretsOf(home: string): string[] {
  return [...SECRET_PATHS, ...SECRETS_OF_A_HOME].map((name) => `${home}/${name}`);
}

/** Records the paths in writable folders that tools obey; `created` reports those made since. */
export async function watchObeyedPaths(
  folders: readonly string[],
): Promise<{ created(script: string): Promise<Diagnostic[]> }> {
  const before = await obeyedPathsNow(folders);
  return {
    created: async (script) =>
      [...(await obeyedPathsNow(folders))]
        .filter(([path, target]) => !before.has(path) || before.get(path) !== target)
        .map(([path]) => path)
        .sort()
        .map((path) => {
          const message = `${script} created ${path}, which tools run or obey without asking.`;
          const hint = "Look at it before anything is started in that folder, or remove it.";
          return diagnostic("warning", "obeyed-path-created", script, message, hint);
        }),
  };
}

/** Maps each path to its link target, if it is a link: a link with a new target counts as created. */
async function obeyedPathsNow(folders: readonly string[]): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  for (const path of folders.flatMap((folder) => OBEYED_PATHS.map((name) => join(folder, name)))) {
    try {
      const isLink = (await lstat(path)).isSymbolicLink();
      found.set(path, isLink ? await readlink(path) : undefined);
    } catch (error) {
      undefinedOn("ENOENT", "ENOTDIR", "EACCES", "ELOOP", "EINVAL")(error);
    }
  }
  return found;
}
