// What bubblewrap takes from the machine's /dev.
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/** Programs of util-linux, as absolute paths. */
export interface SealingPrograms {
  readonly unshare: string;
  readonly mount: string;
}

/** How the namespace is made: as the machine's root, or as one that is root for itself alone. */
export type SealingWay = "root" | "own-root";

/**
 * Comes before a bubblewrap that root starts and stays root for: the devices belong to whoever the script is then, and
 * it could change their rights and times for the whole machine. So they are mounted read-only over themselves first, in a
 * namespace that ends with the run; writing to them goes on working. Bubblewrap cannot do it, since what it makes
 * read-only is no device any more.
 */
export function sealDevices({ unshare, mount }: SealingPrograms, way: SealingWay): string[] {
  const namespaces = way === "root" ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  return [unshare, ...namespaces, "--", "/bin/sh", "-c", SEAL, mount];
}

const SEAL = [
  `for device in ${DEVICES.join(" ")}; do`,
  '  [ -e "/dev/$device" ] || continue',
  '  "$0" --bind "/dev/$device" "/dev/$device" || exit 125',
  '  "$0" -o remount,bind,ro,nosuid,noexec "/dev/$device" || exit 125',
  "done",
  // Opened before, it would lead around the mount.
  "if [ /dev/stdin -ef /dev/null ]; then exec </dev/null; fi",
  'exec "$@"',
].join("\n");
