import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { DEFAULT_RUN_LIMITS } from "../../run-limits.ts";
import { REFUSED_CALLS, SYSTEM_CALL_NUMBERS } from "../system-calls.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { missingSandbox, SandboxBench } from "./testing/sandbox-bench.ts";

const reason = await missingSandbox();
const isRoot = process.getuid?.() === 0;

test("a machine without bubblewrap is told the one command that installs it", async () => {
  const sandbox = bubblewrap({ program: "/nowhere/bwrap" });
  const probe = await sandbox.probe();
  expect(probe).toEqual({
    ok: false,
    reason: "bubblewrap is not installed",
    fix: expect.stringMatching(/^(?:sudo )?[a-z-]+ [a-zA-Z-]+ bubblewrap$/),
  });
});

describe.skipIf(reason !== undefined)("in bubblewrap", () => {
  // Shared, since it looks at the machine once.
  const sandbox = bubblewrap();
  let bench: SandboxBench;
  beforeEach(() => {
    bench = new SandboxBench(sandbox);
  });
  afterEach(() => bench.close());

  test("the probe proves a denied write and a denied connection", async () => {
    const probe = await bench.sandbox.probe();
    expect(probe).toMatchObject({ ok: true, report: { backend: "bubblewrap" } });
    if (isRoot && probe.ok && probe.report.memoryLimit === "tree") expect(probe.report.strength).toBe("full");
  });

  test("the probe works under a strict umask, which takes nothing from what its user has to read", async () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    expect(await bubblewrap().probe()).toMatchObject({ ok: true });
  });

  test("a program that is not a sandbox fails the probe", async () => {
    const fake = bench.write(
      "fake/bwrap",
      '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n',
      0o755,
    );
    const probe = await bubblewrap({ program: fake }).probe();
    expect(probe.ok).toBe(false);
  });

  test("relative imports and a sourced helper work, and arguments arrive as they are", async () => {
    bench.write("staged/skill/scripts/lib.sh", 'greet() { printf "%s|" "$@"; }\n');
    const args = ["a b", "", "$(id)", "ü\n"];
    const outcome = await bench.run('cd "$SKILL_DIR/scripts"; . ./lib.sh; greet "$@"', { args });
    expect(outcome.stdout).toBe("a b||$(id)|ü\n|");
    expect(outcome).toMatchObject({ exitCode: 0, ending: "exit", cwd: bench.workspace });
    expect(outcome.argv).toEqual([expect.stringMatching(/bash$/), "/skill/scripts/script", ...args]);
  });

  test("the environment is exactly what was given and what the sandbox adds", async () => {
    const outcome = await bench.run(
      "print(open('/proc/self/environ').read().replace('\\0', '\\n'), end='')",
      {
        interpreter: "python3",
        environment: { SKILL_NAME: "one", TOKEN: "line\nbreak", PATH: "/evil", HOME: "/evil" },
      },
    );
    expect(outcome.stdout.split("\n").sort()).toEqual([
      "",
      "GIT_CONFIG_COUNT=1",
      "GIT_CONFIG_KEY_0=safe.directory",
      "GIT_CONFIG_VALUE_0=*",
      "HOME=/run/skillet/home",
      "LANG=C.UTF-8",
      "PATH=/usr/local/bin:/usr/bin:/bin",
      `PWD=${bench.workspace}`,
      "SKILL_DIR=/skill",
      "SKILL_NAME=one",
      "TMPDIR=/tmp",
      "TOKEN=line",
      "break",
    ]);
  });

  test("git reads a repository, regardless of its owner", async () => {
    spawnSync("git", ["init", "-q", bench.workspace]);
    const outcome = await bench.run("git rev-parse --is-inside-work-tree");
    expect(outcome).toMatchObject({ stdout: "true\n", exitCode: 0 });
  });

  test("output can be opened by name, as scripts do, whichever user the script runs as", async () => {
    const outcome = await bench.run("echo out > /dev/stdout; echo problem > /dev/stderr");
    expect(outcome).toMatchObject({ stdout: "out\n", stderr: "problem\n", exitCode: 0 });
  });

  test("secrets are not on any command line while the script runs", async () => {
    const seen: string[] = [];
    const outcome = await bench.run("echo up; sleep 0.2", {
      environment: { TOKEN: "very-secret-value" },
      onOutput: () => seen.push(...commandLines()),
    });
    expect(outcome.exitCode).toBe(0);
    expect(seen.some((line) => line.includes("bwrap"))).toBe(true);
    expect(seen.filter((line) => line.includes("very-secret-value"))).toEqual([]);
  });

  test("only the standard descriptors are open, in the script and in what started it", async () => {
    const outcome = await bench.run(
      `
import os
def held(pid):
    names = {}
    for name in os.listdir("/proc/%s/fd" % pid):
        try: names[int(name)] = os.readlink("/proc/%s/fd/%s" % (pid, name))
        except OSError: pass
    return {number: target for number, target in names.items() if number > 2 and target != "/dev/null"}
print(held("self"), list(held(1).values()))
`,
      { interpreter: "python3" },
    );
    expect(outcome.stdout).toBe("{} ['anon_inode:[eventfd]']\n");
  });

  test("nothing can be written but private folders and what is granted", async () => {
    const out = join(bench.root, "out");
    mkdirSync(out, { mode: 0o777 });
    const places = [
      "/skill/x",
      "/x",
      "/usr/x",
      "/etc/x",
      "/dev/x",
      "/proc/x",
      "/run/x",
      "/var/x",
      `${bench.workspace}/x`,
    ];
    const open = ["/tmp/x", "$HOME/x", "/dev/shm/x", "/run/skillet/workspace/x", `${out}/x`, "/dev/null"];
    const outcome = await bench.run(
      [...places, ...open].map((place) => `(echo x > "${place}") 2>/dev/null && echo "${place}"`).join("\n"),
      { writable: [out], environment: {} },
    );
    const expected = open.map((place) => place.replace("$HOME", "/run/skillet/home"));
    expect(outcome.stdout.trim().split("\n")).toEqual(expected);
    expect(existsSync(join(out, "x"))).toBe(true);
  });

  test("the workspace can be read, and written when it is granted", async () => {
    bench.write("workspace/in.txt", "in");
    const script = "cat in.txt; echo changed > in.txt; echo new > new.txt";
    expect(await bench.run(script)).toMatchObject({ stdout: "in", exitCode: 1 });
    expect(readFileSync(join(bench.workspace, "in.txt"), "utf8")).toBe("in");
    const outcome = await bench.run(script, { writable: [bench.workspace] });
    // In a folder of root's the file belongs to root alone; then the script keeps root's identity and the report says so.
    expect(outcome).toMatchObject({ stdout: "in", exitCode: 0 });
    expect(readFileSync(join(bench.workspace, "new.txt"), "utf8")).toBe("new\n");
    if (isRoot) expect(outcome.report.weaknesses.join()).toContain("root's access");
  });

  test("what tools obey stays read-only in a writable workspace, and cannot be moved away", async () => {
    for (const file of [
      ".git/hooks/pre-commit",
      ".vscode/tasks.json",
      ".config/git/config",
      ".envrc",
      "kept/a",
    ])
      bench.write(`workspace/${file}`, "good\n");
    const outcome = await bench.run(
      `
for file in .git/hooks/pre-commit .git/commondir .vscode/tasks.json .config/git/config .envrc kept/a .config/other; do
  (echo evil > $file) 2>/dev/null && echo "wrote $file"
done
for file in .git .vscode .config .envrc kept; do mv $file moved-$file 2>/dev/null && echo "moved $file"; done
rm -rf .git .vscode .config/git 2>/dev/null
true`,
      { writable: [bench.workspace], protect: [join(bench.workspace, "kept")] },
    );
    expect(outcome.stdout).toBe("wrote .config/other\n");
    const left = [".git/hooks/pre-commit", ".vscode/tasks.json", ".config/git/config", ".envrc", "kept/a"];
    expect(left.map((file) => readFileSync(join(bench.workspace, file), "utf8"))).toEqual(
      left.map(() => "good\n"),
    );
  });

  test("credentials in the workspace are out of sight", async () => {
    bench.write("workspace/.ssh/id_ed25519", "KEY");
    bench.write("workspace/.netrc", "KEY");
    bench.write("workspace/.config/gcloud/token", "KEY");
    const outcome = await bench.run(
      "cat .ssh/* .netrc .config/gcloud/* 2>/dev/null; ls -A .ssh .config/gcloud",
    );
    expect(outcome.stdout).toBe(".config/gcloud:\n\n.ssh:\n");
  });

  test.runIf(isRoot).each(["writable", "read-only"])(
    "a closed folder of another user, with what is to be guarded in it, does not stop root in a %s workspace",
    async (access) => {
      const folder = join(bench.workspace, "data");
      mkdirSync(join(folder, "clone", ".git"), { recursive: true });
      mkdirSync(join(bench.workspace, ".config", "gh"), { recursive: true });
      for (const closed of [folder, join(bench.workspace, ".config")]) {
        chownSync(closed, 999, 999);
        chmodSync(closed, 0o700);
      }
      const writable = access === "writable" ? [bench.workspace] : [];
      const { stdout } = await bench.run("ls data/clone 2>/dev/null || echo closed", { writable });
      expect(stdout).toBe("closed\n");
    },
  );

  test("a folder that becomes a link while the sandbox is set up lets nothing in", async () => {
    bench.write("outside/secret.txt", "TOP-SECRET");
    bench.write("shared/out/note.txt", "{}");
    const shared = join(bench.root, "shared");
    // Swaps after everything was looked at, at the last moment before bubblewrap mounts it.
    const swapper = bench.write(
      "swapper/bwrap",
      `#!/bin/sh
if [ "$1" = --args ]; then
  cd ${shared} && mv out aside && ln -s ../outside out
fi
exec bwrap "$@"
`,
      0o755,
    );
    const attacked = new SandboxBench(bubblewrap({ program: swapper }));
    try {
      await expect(
        attacked.run(`cat ${shared}/out/secret.txt`, { writable: [join(shared, "out")] }),
      ).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringContaining("replaced") });
    } finally {
      attacked.close();
    }
  });

  test("nothing runs when what is to be hidden or protected is not where it should be", async () => {
    bench.write("workspace/.config/gh/hosts.yml", "TOKEN");
    bench.write("workspace/.netrc", "TOKEN");
    bench.write("workspace/.envrc", "good");
    // Leaves a mount out, as if a link that was there for a moment had led it elsewhere.
    const program = bench.write(
      "careless/bwrap",
      `#!/usr/bin/perl
use strict; $^F = 255; my $out;
if ($ARGV[0] eq "--args") {
  open(my $in, "<&=", $ARGV[1]); local $/; my @words = split(/\\0/, <$in>);
  open(my $left, "<", "${bench.root}/left-out"); chomp(my $place = <$left>);
  my @kept;
  while (@words) {
    my $word = shift @words;
    if ($word =~ /^--(?:ro-)?bind$/ && $words[1] eq $place) { splice(@words, 0, 2); next }
    if ($word =~ /^--(?:tmpfs|remount-ro)$/ && $words[0] eq $place) { shift @words; pop @kept, pop @kept if $word eq "--tmpfs"; next }
    push @kept, $word;
  }
  open($out, "+>", undef); print $out map { "$_\\0" } @kept; $out->flush; seek($out, 0, 0);
  $ARGV[1] = fileno($out);
}
exec "bwrap", @ARGV;
`,
      0o755,
    );
    const careless = bubblewrap({ program });
    const run = async (place: string, writable: readonly string[]): Promise<unknown> => {
      bench.write("left-out", join(bench.workspace, place));
      const attacked = new SandboxBench(careless);
      return attacked
        .run("cat .config/gh/hosts.yml .netrc 2>/dev/null; echo ran", {
          workspace: bench.workspace,
          writable,
        })
        .then(
          ({ stdout }) => stdout,
          (error: Error) => error.message,
        )
        .finally(() => attacked.close());
    };
    expect(await run("nothing", [bench.workspace])).toBe("ran\n");
    for (const place of [".config/gh", ".netrc"])
      expect(await run(place, [])).toContain("was replaced while the sandbox was set up");
    for (const place of [".config", ".config/gh", ".netrc", ".envrc"])
      expect(await run(place, [bench.workspace])).toContain("was replaced while the sandbox was set up");
  });

  test("a run waits for another one that writes where it is given something, and not for others", async () => {
    const elsewhere = join(bench.root, "elsewhere");
    mkdirSync(elsewhere);
    const writing = bench.run("touch alive; while [ ! -e stop ]; do sleep 0.05; done; rm alive", {
      writable: [bench.workspace],
    });
    while (!existsSync(join(bench.workspace, "alive")))
      await new Promise((resolve) => setTimeout(resolve, 10));
    const [second, third, other] = [1, 2, 3].map(() => new SandboxBench(sandbox));
    const waiting = second!.run("ls", { workspace: bench.workspace });
    const giving = new AbortController();
    const cancelled = third!.run("ls", { workspace: bench.workspace, signal: giving.signal });
    expect((await other!.run("echo free", { workspace: elsewhere })).stdout).toBe("free\n");
    giving.abort();
    expect(await cancelled).toMatchObject({ ending: "cancelled", stdout: "" });
    writeFileSync(join(bench.workspace, "stop"), "");
    await writing;
    expect((await waiting).stdout).toBe("stop\n");
    for (const used of [second, third, other]) used!.close();
  });

  test("a workspace of the system's or of everybody's is refused with a reason", async () => {
    for (const workspace of ["/", "/etc", "/usr/lib", "/proc/self", "/tmp", "/home"])
      await expect(bench.run("true", { workspace })).rejects.toMatchObject({
        code: "sandbox-folder-refused",
      });
    symlinkSync("/etc", join(bench.root, "link"));
    await expect(bench.run("true", { workspace: join(bench.root, "link") })).rejects.toMatchObject({
      code: "sandbox-folder-refused",
    });
  });

  test("without a workspace an empty private folder stands in", async () => {
    bench.write("staged/skill/scripts/script", "");
    const interpreter = (await bench.sandbox.findInterpreter("bash"))!;
    const outcome = await bench.sandbox.run({
      skill: { directory: bench.skill, digest: `sha256:${"0".repeat(64)}` },
      interpreter,
      flags: ["-c", 'pwd; ls -A; echo x > y && echo "$0" wrote'],
      script: "scripts/script",
      args: [],
      cwd: "workspace",
      writable: [],
      protect: [],
      network: [],
      environment: {},
      limits: DEFAULT_RUN_LIMITS,
    });
    expect(outcome.stdout).toBe("/run/skillet/workspace\n/skill/scripts/script wrote\n");
  });

  test("a variable that would run code first, and a zero byte, are refused before anything runs", async () => {
    for (const environment of [
      { LD_PRELOAD: "/x.so" },
      { BASH_ENV: "/x" },
      { "A=B": "c" },
      { A: "x\0--bind\0/\0/" },
    ])
      await expect(bench.run("true", { environment })).rejects.toMatchObject({
        code: "sandbox-argument-invalid",
      });
  });

  test("the kernel refuses what the filter's table says, with its error", async () => {
    const numbers = SYSTEM_CALL_NUMBERS[process.arch as "x64"];
    const plain = REFUSED_CALLS.filter(({ call, when }) => when.length === 0 && numbers.has(call));
    const calls = plain.map(({ call }) => numbers.get(call));
    const outcome = await bench.run(
      `for my $n (${calls.join(",")}) { $! = 0; my $r = syscall($n, 0, 0, 0, 0, 0, 0); print "$n ", ($r == -1 ? $!+0 : "worked"), "\\n"; }`,
      { interpreter: "perl" },
    );
    expect(outcome.stdout.trim().split("\n")).toEqual(
      plain.map(({ call, errno }) => `${numbers.get(call)} ${errno}`),
    );
  });

  test("a call of the second interface of x86-64 ends the process", async () => {
    const outcome = await bench.run("syscall(0x40000000 + 39); print 'alive'", { interpreter: "perl" });
    expect(outcome).toMatchObject({ stdout: "", exitCode: 128 + 31 });
  });

  test("no file can be left that lends its owner's rights", async () => {
    const outcome = await bench.run(
      `
import os
def attempt(name, act):
    try: act(); print(name)
    except OSError: pass
attempt("plain", lambda: os.close(os.open("a", os.O_CREAT | os.O_WRONLY, 0o755)))
attempt("open", lambda: os.close(os.open("b", os.O_CREAT | os.O_WRONLY, 0o4755)))
attempt("chmod", lambda: os.chmod("a", 0o4755))
attempt("fchmod", lambda: os.fchmod(os.open("a", os.O_RDONLY), 0o2755))
attempt("mknod", lambda: os.mknod("c", 0o104755))
attempt("device", lambda: os.mknod("d", 0o20666, 0))
`,
      { interpreter: "python3", writable: [bench.workspace] },
    );
    expect(outcome).toMatchObject({ stdout: "plain\n", exitCode: 0 });
    expect(readdirSync(bench.workspace)).toEqual(["a"]);
  });

  test("no setting of the kernel and no memory of a process can be opened for writing, whichever user called", async () => {
    const outcome = await bench.run(
      'for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/self/mem /proc/1/mem /proc/self/oom_score_adj; do (: 9<>$f) 2>/dev/null && echo "$f"; done; true',
      { writable: [bench.workspace] },
    );
    expect(outcome.stdout).toBe("");
  });

  test("programs that scripts are written in work under the filter", async () => {
    const python = `
import socket, subprocess, threading, multiprocessing, tempfile, ssl, pwd, os, asyncio
subprocess.run(["true"], check=True)
thread = threading.Thread(target=lambda: None); thread.start(); thread.join()
with multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
tempfile.TemporaryFile().write(b"x")
assert socket.getaddrinfo("localhost", 80)
assert ssl.create_default_context().cert_store_stats()["x509_ca"] > 0
assert pwd.getpwuid(os.getuid()).pw_name == "skillet"
asyncio.run(asyncio.sleep(0))
print("fine")`;
    expect(await bench.run(python, { interpreter: "python3" })).toMatchObject({
      stdout: "fine\n",
      stderr: "",
    });
    const node = `
const { fork, execFileSync } = require("node:child_process"), { Worker } = require("node:worker_threads");
execFileSync("true");
const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
  server.close();
  new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true }).once("message", () => console.log(require("node:os").userInfo().username));
});`;
    expect(await bench.run(node, { interpreter: "node" })).toMatchObject({ stdout: "skillet\n", stderr: "" });
  });

  test("limits hold: processes, file size, processor time, private space", async () => {
    const bomb =
      "import os,time\nmade=0\ntry:\n  while made<500:\n    if os.fork()==0: time.sleep(30)\n    made+=1\nexcept OSError: pass\nprint(made, flush=True)\nos._exit(0)";
    const forks = await bench.run(bomb, { interpreter: "python3", limits: { processes: 20 } });
    expect(Number(forks.stdout)).toBeGreaterThan(5);
    expect(Number(forks.stdout)).toBeLessThanOrEqual(20);
    const file = await bench.run("exec head -c 3000000 /dev/zero > /tmp/x", {
      limits: { fileBytes: 1_000_000 },
    });
    expect(file).toMatchObject({ exitCode: 153, limit: "file-size" });
    const busy = await bench.run("while :; do :; done", { limits: { cpuSeconds: 1 } });
    expect(busy).toMatchObject({ exitCode: 152, limit: "cpu" });
    const space = await bench.run("head -c 8000000 /dev/zero > /tmp/x; stat -c %s /tmp/x", {
      limits: { temporaryBytes: 4 * 1024 * 1024 },
    });
    expect(Number(space.stdout)).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  test("the whole tree ends with its deadline, after setsid too", async () => {
    // Seconds that no other process has on its command line.
    const [first, second] = [randomInt(1_000_000, 9_999_999), randomInt(1_000_000, 9_999_999)];
    const outcome = await bench.run(
      `setsid sh -c 'exec -a marked-child sleep ${first}' & setsid sleep ${second} & wait`,
      {
        limits: { timeoutMs: 1500 },
      },
    );
    expect(outcome.ending).toBe("deadline");
    expect(commandLines().filter((line) => line.includes(`${first}`) || line.includes(`${second}`))).toEqual(
      [],
    );
  });

  test("a granted host can be reached through the bridge, and no other", async () => {
    const server = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const script = `
import os, urllib.request
def fetch(url):
    try: return urllib.request.urlopen(url, timeout=60).read().decode()
    except Exception as problem: return type(problem).__name__
print(fetch("http://127.0.0.1:${port}/"), fetch("http://127.0.0.1:1/"))
print(sorted(os.listdir("/proc/self/fd")))`;
    try {
      const outcome = await bench.run(script, {
        interpreter: "python3",
        network: [{ host: "127.0.0.1", port }],
      });
      expect(outcome).toMatchObject({ stdout: expect.stringMatching(/^hello HTTPError\n/), exitCode: 0 });
    } finally {
      server.close();
    }
  });

  test.runIf(isRoot)(
    "as root a script runs as an unused user on the host, in a control group that is gone afterwards",
    async () => {
      let status = "";
      const mark = `mark-${process.pid}`;
      const outcome = await bench.run("echo up; sleep 0.3", {
        args: [mark],
        onOutput: () => {
          const [pid = ""] = processes().filter((candidate) => {
            const [program = "", script] = commandLine(candidate).split("\0");
            return (
              program.endsWith("bash") &&
              script === "/skill/scripts/script" &&
              commandLine(candidate).includes(mark)
            );
          });
          status =
            readFileSync(`/proc/${pid}/status`, "latin1") + readFileSync(`/proc/${pid}/cgroup`, "latin1");
        },
      });
      expect(outcome.report.strength).toBe("full");
      const uids = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)$/m.exec(status)?.slice(1).map(Number) ?? [];
      expect(uids).toHaveLength(4);
      expect(uids.every((uid) => uid >= 61_184 && uid <= 65_519)).toBe(true);
      const group = /(skillet-\d+-[0-9a-f]+)/.exec(status)?.[1] ?? "none";
      expect(status).toMatch(new RegExp(`memory:.*${group}`));
      expect(readFileSync("/proc/self/cgroup", "latin1")).not.toContain(group);
      expect(readdirSync("/sys/fs/cgroup/pids").filter((name) => name === group)).toEqual([]);
    },
  );

  test.runIf(isRoot)(
    "as root the memory of all processes together is limited, and the outcome says so",
    async () => {
      const outcome = await bench.run(
        "import os\nfor i in range(8):\n  if os.fork()==0:\n    x=bytearray(48<<20)\n    import time; time.sleep(5); os._exit(0)\nfor i in range(8): print(os.wait()[1] & 127)\n",
        { interpreter: "python3", limits: { memoryBytes: 128 << 20 } },
      );
      expect(outcome.limit).toBe("memory");
    },
  );
});

function processes(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

function commandLines(): string[] {
  return processes().map((pid) => commandLine(pid).replaceAll("\0", " "));
}
