import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type BubblewrapPlan,
  bubblewrapArguments,
  encodeArguments,
  type Mount,
} from "./bubblewrap-arguments.ts";
import { missingSandbox, SandboxBench } from "./testing/sandbox-bench.ts";

const FOLDER = lstatSync(tmpdir(), { bigint: true });
const FILE = lstatSync(process.execPath, { bigint: true });

function plan(mounts: readonly Mount[], change: Partial<BubblewrapPlan> = {}): BubblewrapPlan {
  return {
    system: [
      { kind: "bind", path: "/usr" },
      { kind: "link", path: "/bin", target: "usr/bin" },
    ],
    kernelSecrets: ["/proc/kcore"],
    mounts,
    environment: { PATH: "/usr/bin" },
    cwd: "/tmp/work",
    temporaryBytes: 1000,
    descriptors: { filter: 5, files: [6, 7, 8, 9] },
    ...change,
  };
}

function mount(path: string, access: Mount["access"], stats = FOLDER): Mount {
  return { path, source: `/host${path}`, access, purpose: "given", stats };
}

const WORK = [
  mount("/tmp/work", "writable"),
  mount("/tmp/work/.git", "read-only"),
  mount("/tmp/work/.ssh", "hidden"),
  mount("/tmp/work/.netrc", "hidden", FILE),
];

/** Options with what follows each, up to the next option. */
function optionsOf(args: readonly string[]): string[] {
  const starts = args.flatMap((argument, index) => (argument.startsWith("--") ? [index] : []));
  return starts.map((start, index) => args.slice(start, starts[index + 1]).join(" "));
}

test("everything is unshared and given up, whatever is mounted", () => {
  const options = optionsOf(bubblewrapArguments(plan([])));
  for (const option of [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--cap-drop ALL",
    "--uid 1000",
    "--gid 1000",
    "--seccomp 5",
  ])
    expect(options).toContain(option);
  expect(options.filter((option) => option.startsWith("--share") || option.startsWith("--cap-add"))).toEqual(
    [],
  );
});

test("the private /tmp comes before what lies below it, guards come after what they guard, and then all is sealed", () => {
  const options = optionsOf(bubblewrapArguments(plan(WORK)));
  const places = [
    "--tmpfs /tmp",
    "--bind /host/tmp/work /tmp/work",
    "--ro-bind /host/tmp/work/.git /tmp/work/.git",
    "--tmpfs /tmp/work/.ssh",
    "--ro-bind /dev/null /tmp/work/.netrc",
    "--remount-ro /tmp/work/.ssh",
    "--remount-ro /proc",
    "--remount-ro /dev",
    "--remount-ro /",
  ].map((option) => options.indexOf(option));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((left, right) => left - right));
});

test("nothing is mounted after the root was sealed, and every folder in memory has a size or is sealed", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.stringMatching(/^(?:\/[a-z]{1,3}){1,4}$/),
          fc.constantFrom<Mount["access"]>("read-only", "writable", "hidden"),
        ),
      ),
      (given) => {
        const mounts = given.map(([path, access]) => mount(`/work${path}`, access));
        const args = bubblewrapArguments(plan(mounts));
        const sealed = args.lastIndexOf("--remount-ro");
        expect(args[sealed + 1]).toBe("/");
        expect(
          args.slice(sealed + 2).filter((word) => /^--(?:ro-)?bind|^--tmpfs|^--dir|^--symlink/.test(word)),
        ).toEqual([]);
        for (const [index, word] of args.entries())
          if (word === "--tmpfs")
            expect(args[index - 2] === "--size" || args.slice(index).includes("--remount-ro")).toBe(true);
      },
    ),
  );
});

test("without a filter none is loaded", () => {
  expect(bubblewrapArguments(plan([], { descriptors: { files: [5, 6, 7, 8] } }))).not.toContain("--seccomp");
});

test("arguments arrive as they are, and one with a zero byte is refused", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (args) => {
      if (args.some((argument) => argument.includes("\0"))) return;
      const text = Buffer.from(encodeArguments(args)).toString();
      expect(text.split("\0").slice(0, -1)).toEqual(args);
    }),
  );
  expect(() => encodeArguments(["--setenv", "A", "x\0--bind\0/\0/"])).toThrow(/zero byte/);
});

const missing = await missingSandbox();
const isRoot = process.getuid?.() === 0;

describe.skipIf(missing !== undefined)("in the sandbox", () => {
  let bench: SandboxBench;
  const made: string[] = [];
  beforeEach(() => {
    bench = new SandboxBench();
  });
  afterEach(() => {
    bench.close();
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const makeFolder = (prefix: string): string => {
    const folder = realpathSync(mkdtempSync(prefix));
    made.push(folder);
    chmodSync(folder, 0o755);
    return folder;
  };

  test.skipIf(!isRoot).each(["/usr/src", "/usr/local/src"])(
    "an application in %s is not seen, and can be the workspace",
    async (place) => {
      const application = makeFolder(`${place}/skillet-test-`);
      writeFileSync(join(application, ".env"), "HIDDEN-TOKEN\n");
      const script = `ls -A ${place}; touch ${place}/x ${application}/x 2>/dev/null; cat ${application}/.env 2>/dev/null; :`;
      expect((await bench.run(script)).stdout).toBe("");
      if (place !== "/usr/src") return;
      const given = await bench.run(script, { workspace: application });
      expect(given.stdout).toBe(`${application.slice(place.length + 1)}\nHIDDEN-TOKEN\n`);
    },
  );

  test("a folder below /var/tmp can be a workspace, and the rest of it is private", async () => {
    const [workspace, other] = [makeFolder("/var/tmp/skillet-test-"), makeFolder("/var/tmp/skillet-test-")];
    const { stdout } = await bench.run(
      `pwd; ls -d ${other} 2>/dev/null; echo kept > /var/tmp/file && cat /var/tmp/file; echo made > ${workspace}/made`,
      { workspace, writable: [workspace] },
    );
    expect(stdout).toBe(`${workspace}\nkept\n`);
    expect(readFileSync(join(workspace, "made"), "utf8")).toBe("made\n");
  });
});
