import fc from "fast-check";
import { expect, test } from "vitest";
import { folderRefusal } from "./folder-refusal.ts";

test("folders of the system and of everybody are refused", () => {
  const folders = ["/", "/usr", "/usr/lib", "/usr/src", "/etc", "/etc/x", "/proc/1/root", "/dev/shm", "/sys"];
  const others = [
    "/run",
    "/run/user/1000",
    "/home",
    "/tmp",
    "/var",
    "/skill",
    "/skill/x",
    "relative",
    "/a/../etc",
  ];
  const ofMacs = [
    "/System/Volumes",
    "/Library/x",
    "/private",
    "/private/etc/ssh",
    "/private/var/root",
    "/Users",
  ];
  expect([...folders, ...others, ...ofMacs].filter((folder) => folderRefusal(folder) === undefined)).toEqual(
    [],
  );
});

test("folders of people, below the shared ones too, are taken", () => {
  const folders = [
    "/home/anna",
    "/root",
    "/tmp/work",
    "/var/lib/ci/job",
    "/srv",
    "/usr/src/app",
    "/etcetera",
    "/skills",
    "/Users/anna/work",
    "/private/tmp/work",
    "/private/var/folders/zz/T/work",
  ];
  expect(folders.filter((folder) => folderRefusal(folder) !== undefined)).toEqual([]);
});

test("nothing below a system folder is taken, however it is called", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("/etc", "/proc", "/dev", "/run", "/bin", "/boot"),
      fc.string(),
      (folder, name) => {
        expect(folderRefusal(`${folder}/${name}`)).toBeDefined();
      },
    ),
  );
});
