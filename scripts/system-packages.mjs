import { spawnSync } from "node:child_process";

// What tests run besides Node, and the Debian package that brings it.
const TOOLS = [
  {
    command: "git",
    probe: ["--version"],
    package: "git",
    needs: "tests of bundled scripts and of repositories",
  },
  { command: "mkfifo", probe: ["--version"], package: "coreutils", needs: "tests of hostile trees" },
  {
    command: "bwrap",
    probe: ["--version"],
    package: "bubblewrap",
    needs: "tests of the sandbox, and everything that runs a script in it",
  },
  {
    command: "prlimit",
    probe: ["--version"],
    package: "util-linux",
    needs: "tests of the sandbox's limits, and of questions on a terminal",
  },
  {
    command: "python3",
    probe: ["--version"],
    package: "python3",
    needs: "tests of scripts in Python, bundled ones among them",
  },
  {
    // Often not on the PATH of anybody but root.
    command: "/usr/sbin/sshd",
    probe: ["-V"],
    package: "openssh-server",
    needs: "tests of scripts on a remote host, which is this one",
  },
  { command: "ssh", probe: ["-V"], package: "openssh-client", needs: "tests of scripts on a remote host" },
  {
    command: "docker-registry",
    probe: ["--version"],
    package: "docker-registry",
    needs: "tests of OCI registries",
  },
  { command: "tmux", probe: ["-V"], package: "tmux", needs: "tests of the first hour on a terminal" },
  { command: "zsh", probe: ["--version"], package: "zsh", needs: "the test of completion in zsh" },
  { command: "fish", probe: ["--version"], package: "fish", needs: "the test of completion in fish" },
  { command: "zip", probe: ["-v"], package: "zip", needs: "tests of archives that other programs made" },
  { command: "openssl", probe: ["version"], package: "openssl", needs: "tests of keys and certificates" },
];

/** Installs missing tools as root with apt; otherwise says what is skipped and how to enable it. */
export function installSystemPackages(commands = TOOLS.map(({ command }) => command)) {
  const missing = TOOLS.filter(
    ({ command, probe }) =>
      commands.includes(command) && spawnSync(command, probe, { stdio: "ignore" }).error !== undefined,
  );
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => tool.package))];
  if (process.getuid?.() === 0 && spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status === 0) {
    spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
    const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const { status } = spawnSync("apt-get", ["install", "-y", "-qq", ...packages], {
      stdio: "inherit",
      env: environment,
    });
    if (status === 0) return;
  }
  for (const { command, needs } of missing) console.warn(`Skipped without ${command}: ${needs}.`);
  console.warn(`To enable them: sudo apt-get install ${packages.join(" ")}`);
}
