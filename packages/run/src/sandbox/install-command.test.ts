import { expect, test } from "vitest";
import { installCommand } from "./install-command.ts";

const commandFor = (osRelease: string, isRoot = false): string =>
  installCommand("bubblewrap", { osRelease, isRoot });

test("each family of Linux gets the one command that installs a package there", () => {
  expect(commandFor('NAME="Debian GNU/Linux"\nID=debian\n')).toBe("sudo apt-get install bubblewrap");
  expect(commandFor("ID=linuxmint\nID_LIKE='ubuntu debian'\n")).toBe("sudo apt-get install bubblewrap");
  expect(commandFor('ID="rocky"\nID_LIKE="rhel centos fedora"\n')).toBe("sudo dnf install bubblewrap");
  expect(commandFor("ID=manjaro\nID_LIKE=arch\n")).toBe("sudo pacman -S bubblewrap");
  expect(commandFor("ID=alpine\n")).toBe("sudo apk add bubblewrap");
  expect(commandFor('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n')).toBe(
    "sudo zypper install bubblewrap",
  );
});

test("root needs no sudo, and an unknown system gets the most common command", () => {
  expect(commandFor("ID=debian\n", true)).toBe("apt-get install bubblewrap");
  expect(commandFor("")).toBe("sudo apt-get install bubblewrap");
});
