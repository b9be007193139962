// The families of Linux, by the ids of /etc/os-release, with what installs a package in each.
const INSTALLERS: ReadonlyMap<string, string> = new Map([
  ["debian", "apt-get install"],
  ["ubuntu", "apt-get install"],
  ["fedora", "dnf install"],
  ["rhel", "dnf install"],
  ["centos", "dnf install"],
  ["arch", "pacman -S"],
  ["alpine", "apk add"],
  ["suse", "zypper install"],
  ["opensuse", "zypper install"],
]);

/** The one command that installs a package here, from the text of /etc/os-release. */
export function installCommand(name: string, options: { osRelease: string; isRoot: boolean }): string {
  const ids = ["ID", "ID_LIKE"].flatMap((key) => readValue(options.osRelease, key).split(/\s+/));
  const known = ids.map((id) => INSTALLERS.get(id) ?? INSTALLERS.get(id.split("-")[0] ?? ""));
  const installer = known.find((command) => command !== undefined) ?? "apt-get install";
  return `${options.isRoot ? "" : "sudo "}${installer} ${name}`;
}

function readValue(text: string, key: string): string {
  return new RegExp(`^${key}=["']?([^"'\\n]*)["']?$`, "m").exec(text)?.[1]?.toLowerCase() ?? "";
}
