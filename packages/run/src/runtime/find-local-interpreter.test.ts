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

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-find-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const find = (name: string, ...folders: string[]) => findTrusting([], name, ...folders);
const findTrusting = (distrusted: readonly string[], name: string, ...folders: string[]) =>
  findLocalInterpreter(name, distrusted, {
    path: folders.join(":"),
    userHome: join(root, "ada"),
    node: join(root, "no-node"),
    workingDirectory: join(root, "current"),
  });

function install(path: string, content?: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (content === undefined) copyFileSync("/bin/sh", file);
  else writeFileSync(file, content);
  chmodSync(file, 0o755);
  return file;
}

test("the system's interpreters are found first, with their links resolved", () => {
  install("tools/bin/sh");
  const found = find("sh", join(root, "tools/bin"));
  expect(found).toEqual({ name: "sh", path: realpathSync("/usr/bin/sh") });
});

test("a program of the operator's PATH comes with the folder it was installed into", () => {
  const file = install("tools/skilltest/bin/skilltest3.1");
  mkdirSync(join(root, "tools/skilltest/lib"));
  symlinkSync("skilltest3.1", join(dirname(file), "skilltest3"));
  expect(find("skilltest3", join(root, "tools/skilltest/bin"))).toEqual({
    name: "skilltest3",
    path: file,
    home: join(root, "tools/skilltest"),
  });
});

test("shims, projects' programs, folders open to others and relative entries are passed over", () => {
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
  expect(find("skilltest", "", ".", "bin", ...folders.map((folder) => join(root, folder)))).toBeUndefined();
  const good = install("good/bin/skilltest");
  expect(find("skilltest", ...folders.map((folder) => join(root, folder)), dirname(good))?.path).toBe(good);
});

test.each(["", "../sh", "/bin/sh", "sh\0", "-c", "a b"])("%j is not the name of a program", (name) => {
  expect(find(name)).toBeUndefined();
});

test("a program in a distrusted folder, or reached through one, is passed over", () => {
  const planted = install("project/bin/skilltest");
  const elsewhere = install("elsewhere/bin/skilltest");
  const project = join(root, "project");
  mkdirSync(join(root, "links"));
  // Into the project, through it, and through it on the way only.
  symlinkSync(planted, join(root, "links", "skilltest"));
  symlinkSync(dirname(elsewhere), join(project, "tools"));
  symlinkSync(join(project, "tools"), join(root, "tools"));
  const folders = ["project/bin", "links", "project/tools", "tools"].map((folder) => join(root, folder));
  for (const folder of folders) {
    expect(find("skilltest", folder)?.path, folder).toMatch(/bin\/skilltest$/);
    expect(findTrusting([project], "skilltest", folder), folder).toBeUndefined();
  }
  expect(findTrusting([project], "skilltest", ...folders, dirname(elsewhere))?.path).toBe(elsewhere);
});

test("a distrusted folder counts by its real name too", () => {
  const planted = install("project/bin/skilltest");
  symlinkSync(join(root, "project"), join(root, "alias"));
  expect(findTrusting([join(root, "alias")], "skilltest", dirname(planted))).toBeUndefined();
  expect(findTrusting([join(root, "project")], "skilltest", join(root, "alias", "bin"))).toBeUndefined();
  expect(findTrusting([join(root, "pro")], "skilltest", dirname(planted))?.path).toBe(planted);
});

test("the working directory is distrusted, unless it is the root of everything", () => {
  const planted = install("current/bin/skilltest");
  expect(find("skilltest", dirname(planted))).toBeUndefined();
  const search = {
    path: dirname(planted),
    userHome: root,
    node: join(root, "no-node"),
    workingDirectory: "/",
  };
  expect(findLocalInterpreter("skilltest", [], search)?.path).toBe(planted);
});

test("a program is passed over when any folder on the way can be written by every user", () => {
  const file = install("open/deep/down/bin/skilltest");
  chmodSync(join(root, "open"), 0o777);
  expect(find("skilltest", dirname(file))).toBeUndefined();
  chmodSync(join(root, "open"), 0o1777);
  expect(find("skilltest", dirname(file))?.path).toBe(file);
});

test.each([".local/bin", "bin"])(
  "of a home that is known by a link ~/%s is seen, and nothing beside it",
  (bin) => {
    const file = install(`people/ada/${bin}/skilltest`);
    for (const folder of ["lib", "share"])
      mkdirSync(join(dirname(dirname(file)), folder), { recursive: true });
    symlinkSync(join(root, "people"), join(root, "link-to-people"));
    const search = { path: dirname(file), node: join(root, "no-node"), workingDirectory: "/" };
    const found = findLocalInterpreter("skilltest", [], {
      ...search,
      userHome: join(root, "link-to-people/ada"),
    });
    expect(found).toEqual({ name: "skilltest", path: file, home: dirname(file) });
  },
);

test("this node is known with its version, wherever it lies", () => {
  const search = { path: "", userHome: root, node: process.execPath };
  const distrusted = [dirname(process.execPath)];
  const found = findLocalInterpreter("node", distrusted, { ...search, workingDirectory: "/" });
  const system = ["/usr/local/bin/node", "/usr/bin/node"].find((path) => existsSync(path));
  if (system === undefined || realpathSync(system) === realpathSync(process.execPath))
    expect(found).toMatchObject({ path: realpathSync(process.execPath), version: process.versions.node });
  else expect(found?.path).toBe(realpathSync(system));
});

test("an interpreter in the user's home is found by a program that was started there", () => {
  const file = install("ada/.deno/bin/deno");
  const search = { path: dirname(file), userHome: join(root, "ada"), node: join(root, "no-node") };
  for (const workingDirectory of ["/", root, join(root, "ada")])
    expect(findLocalInterpreter("deno", [], { ...search, workingDirectory })?.path).toBe(file);
  expect(findLocalInterpreter("deno", [join(root, "ada")], { ...search, workingDirectory: "/" })).toBe(
    undefined,
  );
});
