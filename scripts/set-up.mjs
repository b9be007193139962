import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Runs a command in the repository with its output shown, and ends the process with its code when it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (error) {
    console.error(`${command} could not be started: ${error.message}`);
    process.exit(2);
  }
  if (status !== 0) process.exit(status ?? 1);
}

/** Installs what the lock file names and builds every package; a second call does only what changed. */
export function setUp() {
  if (!installLocked(".")) process.exit(2);
  build();
}

/** Installs what a folder's lock file names, unless that was done before; says whether it is there. */
export function installLocked(folder) {
  const cwd = join(root, folder);
  const lock = join(cwd, "package-lock.json");
  const installed = join(cwd, "node_modules/.skillet-lock");
  if (existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lock, "utf8")) return true;
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd, stdio: "inherit" });
  if (error) console.error(`npm could not be started: ${error.message}`);
  if (status === 0) copyFileSync(lock, installed);
  return status === 0;
}

// The bundler's chatter is of interest only when it fails.
function build() {
  console.log("Building…");
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "build"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status === 0) return;
  console.error(stdout, stderr);
  process.exit(status ?? 2);
}
