import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findLocalInterpreter } from "./find-local-interpreter.ts";
import { interpreterHome } from "./interpreter-home.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-find-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const find = (name: string, ...folders: string[]) =>
  findLocalInterpreter(name, {
    path: folders.join(":"),
    userHome: join(root, "ada"),
    node: join(root, "no-node"),
  });

function install(path: string, content?: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (content === undefined) copyFileSync("/bin/sh", file);
  else writeFileSync(file, content);
  chmodSync(file, 0o755);
  return file;
}

test("the system's interpreters are found first, with their links resolved", async () => {
  install("tools/bin/sh");
  const found = await find("sh", join(root, "tools/bin"));
  expect(found).toEqual({ name: "sh", path: realpathSync("/usr/bin/sh") });
});

test("a program of the operator's PATH comes with the folder it was installed into", async () => {
  const file = install("tools/skilltest/bin/skilltest3.1");
  symlinkSync("skilltest3.1", join(dirname(file), "skilltest3"));
  expect(await find("skilltest3", join(root, "tools/skilltest/bin"))).toEqual({
    name: "skilltest3",
    path: file,
    home: join(root, "tools/skilltest"),
  });
});

test("shims, projects' programs, folders open to others and relative entries are passed over", async () => {
  install("shims/bin/skilltest", "#!/bin/sh\nexec something\n");
  const manager = install("manager/bin/mise");
  mkdirSync(join(root, "native-shims"));
  symlinkSync(manager, join(root, "native-shims", "skilltest"));
  install("project/node_modules/.bin/skilltest");
  install("open/bin/skilltest");
  chmodSync(join(root, "open/bin"), 0o777);
  install("loose/bin/skilltest");
  chmodSync(join(root, "loose/bin/skilltest"), 0o757);
  install("dead/bin/skilltest");
  chmodSync(join(root, "dead/bin/skilltest"), 0o644);
  mkdirSync(join(root, "folder/bin/skilltest"), { recursive: true });
  const folders = [
    "shims/bin",
    "native-shims",
    "project/node_modules/.bin",
    "open/bin",
    "loose/bin",
    "dead/bin",
    "folder/bin",
  ];
  expect(
    await find("skilltest", "", ".", "bin", ...folders.map((folder) => join(root, folder))),
  ).toBeUndefined();
  const good = install("good/bin/skilltest");
  expect((await find("skilltest", ...folders.map((folder) => join(root, folder)), dirname(good)))?.path).toBe(
    good,
  );
});

test.each(["", "../sh", "/bin/sh", "sh\0", "-c", "a b"])("%j is no name of a program", async (name) => {
  expect(await find(name)).toBeUndefined();
});

test("this node is known with its version", async () => {
  const found = await findLocalInterpreter("node", { path: "", userHome: root, node: process.execPath });
  const system = ["/usr/local/bin/node", "/usr/bin/node"].some((path) => existsSync(path));
  if (!system) expect(found?.path).toBe(realpathSync(process.execPath));
  expect(found?.version).toMatch(/^\d+\.\d+\.\d+$/);
});

test.each([
  ["/home/ada/.nvm/versions/node/v22.1.0/bin/node", "/home/ada/.nvm/versions/node/v22.1.0"],
  ["/home/ada/.deno/bin/deno", "/home/ada/.deno"],
  ["/home/ada/.local/bin/uv", "/home/ada/.local/bin"],
  ["/home/bob/.local/bin/uv", "/home/bob/.local/bin"],
  ["/home/ada/bin/deno", "/home/ada/bin"],
  ["/home/ada/deno", "unfit"],
  ["/opt/bin/deno", "/opt/bin"],
  ["/opt/deno", "unfit"],
  ["/opt/python/bin/python3", "/opt/python"],
  ["/deno", "unfit"],
  ["/nix/store/abc-bash/bin/bash", "/nix/store"],
  ["/opt/homebrew/Cellar/bash/5/bin/bash", "/opt/homebrew"],
])("%s needs %s", (path, home) => {
  expect(interpreterHome(path, "/home/ada")).toBe(home);
});
