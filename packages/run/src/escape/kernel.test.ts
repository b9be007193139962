import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { all, attackProgram, NAME_ERRORS } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

// Numbers of system calls by machine: they differ, and Python has no names for them.
const NUMBERS = `
X64 = os.uname().machine == "x86_64"
CLONE, CLONE3, PTRACE, MOUNT, UNSHARE, SETNS = (56, 435, 101, 165, 272, 308) if X64 else (220, 435, 117, 40, 97, 268)
KEYCTL, BPF, PERF, URING, USERFAULT, PIDFD_GETFD = (250, 321, 298, 425, 323, 438) if X64 else (219, 280, 241, 425, 282, 438)
FSOPEN, OPEN_TREE, READV, HANDLE, MODULE = (430, 428, 310, 304, 313) if X64 else (430, 428, 270, 265, 273)
PIVOT, CHROOT, SWAP, REBOOT, SETHOST = (155, 161, 167, 169, 170) if X64 else (41, 51, 224, 142, 161)
NEWUSER, NEWNS, SIGCHLD = 0x10000000, 0x00020000, 17
def forked(result):
    if result == 0:
        os._exit(0)
    os.waitpid(result, 0)
`;

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeAll(async () => {
    attacker = await Attacker.open(identity);
  });
  afterAll(() => attacker?.close());

  const found = async (attempts: Readonly<Record<string, string>>, options = {}): Promise<unknown> =>
    JSON.parse((await attacker.attack(attackProgram(attempts, NUMBERS + NAME_ERRORS), options)).stdout);

  test("no new namespace can be made, whichever call asks for it", async () => {
    const attempts = {
      clone: "forked(call(CLONE, ctypes.c_long(NEWUSER | SIGCHLD), None, None, None, None))",
      clone3: `
arguments = (ctypes.c_ulonglong * 11)()
arguments[0] = NEWUSER
arguments[4] = SIGCHLD
forked(call(CLONE3, ctypes.byref(arguments), ctypes.c_long(ctypes.sizeof(arguments))))`,
      // Last: a process that has entered one cannot make another.
      unshare: "call(UNSHARE, ctypes.c_long(NEWUSER))",
    };
    const others = {
      "a mount namespace": "call(UNSHARE, ctypes.c_long(NEWNS))",
      "the namespace of the first process": `
namespace = os.open("/proc/1/ns/mnt", os.O_RDONLY)
call(SETNS, ctypes.c_long(namespace), ctypes.c_long(0))`,
    };
    expect(await found({ ...attempts, ...others })).toEqual({
      ...all({ ...attempts, ...others }, "EPERM"),
      // So that libraries fall back to the older call, which is filtered.
      clone3: "ENOSYS",
    });
    expect(await found(attempts, { sandbox: "none" })).toEqual(all(attempts, "through"));
  });

  test("no process can be traced, not even an own one", async () => {
    const attempts = {
      "being traced": `
child = os.fork()
if child == 0:
    os._exit(0 if libc.ptrace(0, 0, None, None) == 0 else 1)
must(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0)`,
      "tracing a child": `
child = os.fork()
if child == 0:
    time.sleep(60)
try:
    call(PTRACE, ctypes.c_long(0x4206), ctypes.c_long(child), None, None)
finally:
    os.kill(child, 9)
    os.waitpid(child, 0)`,
      "reading a child's memory": `
child = os.fork()
if child == 0:
    time.sleep(60)
try:
    target = ctypes.create_string_buffer(b"word")
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(target), 4)
    call(READV, ctypes.c_long(child), vector, ctypes.c_long(1), vector, ctypes.c_long(1), ctypes.c_long(0))
finally:
    os.kill(child, 9)
    os.waitpid(child, 0)`,
    };
    expect(await found(attempts)).toEqual({ ...all(attempts, "EPERM"), "being traced": "ENOENT" });
    expect(await found(attempts, { sandbox: "none" })).toEqual(all(attempts, "through"));
  });

  test("nothing can be mounted", async () => {
    const attempts = {
      "a file system in memory": `call(MOUNT, b"none", b"/tmp", b"tmpfs", ctypes.c_long(0), None)`,
      "the root again, writable": `call(MOUNT, None, b"/", None, ctypes.c_long(32), None)`,
      "the skill again, writable": `call(MOUNT, None, os.environ["SKILL_DIR"].encode(), None, ctypes.c_long(32 | 4096), None)`,
      "the kernel's processes": `call(MOUNT, b"none", b"/tmp", b"proc", ctypes.c_long(0), None)`,
      "the new way": `call(FSOPEN, b"tmpfs", ctypes.c_long(0))`,
      "a tree": `call(OPEN_TREE, ctypes.c_long(-100), b"/", ctypes.c_long(1))`,
      "another root": `call(PIVOT, b"/tmp", b"/tmp")`,
      chroot: `call(CHROOT, b"/tmp")`,
    };
    expect(await found(attempts)).toEqual(all(attempts, "EPERM"));
  });

  test("no process becomes another user", async () => {
    const program = join(attacker.workspace, "be-root");
    copyFileSync("/usr/bin/id", program);
    chmodSync(program, 0o4755);
    const attempts = {
      setuid: "os.setuid(0)",
      setgid: "os.setgid(0)",
      "other groups": "os.setgroups([0])",
      "a program of root's": `must(b"euid=0" in subprocess.run(["./be-root"], capture_output=True).stdout)`,
      capabilities: `
status = read("/proc/self/status").decode()
fields = dict(line.split(":\\t") for line in status.splitlines() if ":\\t" in line)
must(any(int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")))`,
      "new privileges": `must("NoNewPrivs:\\t0" in read("/proc/self/status").decode())`,
      "no filter": `must("Seccomp:\\t2" not in read("/proc/self/status").decode())`,
      "a program that makes others root": `
write("/tmp/set")
os.chmod("/tmp/set", 0o4755)`,
    };
    expect(await found(attempts)).toEqual({
      setuid: "EINVAL",
      setgid: "EINVAL",
      "other groups": "EPERM",
      "a program of root's": "ENOENT",
      capabilities: "ENOENT",
      "new privileges": "ENOENT",
      "no filter": "ENOENT",
      "a program that makes others root": "EPERM",
    });
  });

  test("the kernel's sharper tools are out of reach", async () => {
    const attempts = {
      "keys of the kernel": "call(KEYCTL, ctypes.c_long(0), ctypes.c_long(-3), ctypes.c_long(1))",
      "programs in the kernel":
        "call(BPF, ctypes.c_long(5), ctypes.create_string_buffer(128), ctypes.c_long(128))",
      counters:
        "call(PERF, ctypes.create_string_buffer(128), ctypes.c_long(0), ctypes.c_long(-1), ctypes.c_long(-1), ctypes.c_long(0))",
      "rings of calls": "call(URING, ctypes.c_long(4), ctypes.create_string_buffer(256))",
      "faults in user space": "call(USERFAULT, ctypes.c_long(1))",
      "descriptors of others": `
handle = os.pidfd_open(os.getpid())
call(PIDFD_GETFD, ctypes.c_long(handle), ctypes.c_long(0), ctypes.c_long(0))`,
      "files by handle":
        "call(HANDLE, ctypes.c_long(-100), ctypes.create_string_buffer(64), ctypes.c_long(0))",
      modules: "call(MODULE, ctypes.c_long(0), b'', ctypes.c_long(0))",
      swapping: "call(SWAP, b'/tmp/none', ctypes.c_long(0))",
      restart: "call(REBOOT, ctypes.c_long(1), ctypes.c_long(2), ctypes.c_long(3), None)",
      "the machine's name": "call(SETHOST, b'x', ctypes.c_long(1))",
    };
    expect(await found(attempts)).toEqual(all(attempts, "EPERM"));
  });

  test("no key can be pressed on another user's terminal", async () => {
    const attempts = {
      "the terminal of the session": `
import fcntl, termios
terminal = os.open("/dev/tty", os.O_RDWR)
fcntl.ioctl(terminal, termios.TIOCSTI, b"x")`,
      "a terminal of its own": `
import fcntl, termios, pty
_, terminal = pty.openpty()
os.setsid() if os.getsid(0) != os.getpid() else None
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
fcntl.ioctl(terminal, termios.TIOCSTI, b"x")`,
      "any other input": `
import fcntl, termios
for descriptor in (0, 1, 2):
    fcntl.ioctl(descriptor, termios.TIOCSTI, b"x")`,
    };
    expect(await found(attempts)).toEqual({
      ...all(attempts, "EPERM"),
      "the terminal of the session": "ENXIO",
    });
  });
});
