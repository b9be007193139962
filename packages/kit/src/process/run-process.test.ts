import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runProcess } from "./run-process.ts";
import { processesWith, readable, shell, textOf, uniqueSleep } from "./testing/shell.ts";

const asRoot = process.getuid?.() === 0;
let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "skillet-process-")));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a program that ends by itself", () => {
  test("gives its exit code and both streams", async () => {
    const result = await shell("echo out; echo problem >&2; exit 3");
    expect(readable(result)).toEqual({ ending: "exit", exitCode: 3, stdout: "out\n", stderr: "problem\n" });
  });

  test("gives the signal that ended it", async () => {
    expect(readable(await shell("kill -TERM $$"))).toEqual({
      ending: "exit",
      signal: "SIGTERM",
      stdout: "",
      stderr: "",
    });
  });

  test("gets its arguments as they are, and works in its folder", async () => {
    const script = 'pwd; printf "%s|" "$@"';
    const argv = ["/bin/sh", "-c", script, "sh", "a b", "", "$HOME;`id`", "-x"] as const;
    const result = await shell("", { argv, cwd: folder });
    expect(textOf(result.stdout.head)).toBe(`${folder}\na b||$HOME;\`id\`|-x|`);
  });

  test("gets the given environment and its mark, and nothing else", async () => {
    // Node hands this one on by itself.
    vi.stubEnv("NODE_V8_COVERAGE", folder);
    vi.stubEnv("LEAKED_SECRET", "secret");
    const environment = { GIVEN: "a=b\nc", ["__proto__"]: "kept" };
    const result = await shell("", { argv: ["/usr/bin/env", "-0"], environment });
    vi.unstubAllEnvs();
    const variables = textOf(result.stdout.head).split("\0").slice(0, -1).toSorted();
    expect(variables).toEqual([
      "GIVEN=a=b\nc",
      expect.stringMatching(/^SKILLET_PROCESS_MARK=[0-9a-f]{32}$/),
      "__proto__=kept",
    ]);
  });

  test.skipIf(!asRoot)(
    "can be somebody else, without the groups of root, and write to /dev/stderr",
    async () => {
      const script = "id -u; id -G; echo problem > /dev/stderr";
      const result = await shell(script, { cwd: "/", user: { uid: 65_534, gid: 65_533 } });
      expect(readable(result)).toEqual({
        ending: "exit",
        exitCode: 0,
        stdout: "65534\n65533\n",
        stderr: "problem\n",
      });
    },
  );
});

describe("output", () => {
  test("of a program that writes much and exits at once is whole", async () => {
    const script = "head -c 900000 /dev/zero; head -c 70000 /dev/zero >&2";
    for (let round = 0; round < 20; round += 1) {
      const { stdout, stderr } = await shell(script);
      expect([stdout.head.length, stdout.omittedBytes, stderr.head.length]).toEqual([900_000, 0, 70_000]);
    }
  });

  test("beyond the cap keeps head and tail, and a listener sees all of it as it comes", async () => {
    const seen: Uint8Array[] = [];
    const { stdout } = await shell("seq 1 20000", {
      maxOutputBytes: 11,
      onOutput: (stream, bytes) => {
        if (stream === "stdout") seen.push(bytes);
      },
    });
    expect({ ...stdout, head: textOf(stdout.head), tail: textOf(stdout.tail) }).toEqual({
      head: "1\n2\n3\n",
      tail: "0000\n",
      omittedBytes: 108_894 - 11,
    });
    expect(Buffer.concat(seen).length).toBe(108_894);
  });

  test("reaches the listener while the program still runs", async () => {
    const stop = new AbortController();
    const result = await shell("echo ready; exec sleep 1000", {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    expect(readable(result)).toEqual({
      ending: "cancelled",
      signal: "SIGKILL",
      stdout: "ready\n",
      stderr: "",
    });
  });

  test("to /dev/stdout and /dev/stderr works as in a terminal", async () => {
    const result = await shell("echo out > /dev/stdout; echo problem > /dev/stderr");
    expect(readable(result)).toEqual({ ending: "exit", exitCode: 0, stdout: "out\n", stderr: "problem\n" });
  });

  test("of exactly the limit is an ordinary end, and one byte more is not", async () => {
    const at = await shell("printf 12345", { maxSeenBytes: 5 });
    const over = await shell("printf 123456", { maxSeenBytes: 5 });
    expect([at.ending, over.ending]).toEqual(["exit", "output-limit"]);
    expect([textOf(at.stdout.head), textOf(over.stdout.head)]).toEqual(["12345", "12345"]);
  });

  test("without an end is stopped at the limit, and the listener sees no byte beyond it", async () => {
    let seen = 0;
    const result = await shell("exec yes", {
      maxSeenBytes: 300_000,
      maxOutputBytes: 4,
      onOutput: (_stream, bytes) => {
        seen += bytes.length;
      },
    });
    expect({ ...result, durationMs: 0 }).toEqual({
      ending: "output-limit",
      signal: "SIGKILL",
      stdout: {
        head: Uint8Array.from(Buffer.from("y\n")),
        tail: Uint8Array.from(Buffer.from("y\n")),
        omittedBytes: 299_996,
      },
      stderr: { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 },
      collected: new Map(),
      durationMs: 0,
    });
    expect(seen).toBe(300_000);
  });
});

describe("standard input", () => {
  test("is empty by default", async () => {
    expect(readable(await shell("cat; echo end"))).toMatchObject({ exitCode: 0, stdout: "end\n" });
  });

  test("of a megabyte arrives whole, also through /dev/stdin", async () => {
    const stdin = Buffer.alloc(1_000_000, "x");
    expect(textOf((await shell("wc -c", { stdin })).stdout.head).trim()).toBe("1000000");
    expect(textOf((await shell("cat /dev/stdin | wc -c", { stdin })).stdout.head).trim()).toBe("1000000");
    // Opened again when all of it has been given and read.
    expect(
      textOf((await shell("cat > /dev/null; cat /dev/stdin", { stdin: Buffer.from("x") })).stdout.head),
    ).toBe("x");
  });

  test("that nobody reads hurts nobody", async () => {
    const stdin = Buffer.alloc(1_000_000);
    for (const script of ["exit 0", "exec <&-; exit 0", "head -c 10 > /dev/null; exit 0"]) {
      expect(readable(await shell(script, { stdin }))).toMatchObject({ ending: "exit", exitCode: 0 });
    }
  });
});

describe("further descriptors", () => {
  test("feed, collect and carry a talk, in the order of the request", async () => {
    const result = await shell('cat <&3; echo kept >&4; read line <&5; echo "got $line" >&5; cat <&6', {
      descriptors: [
        { kind: "feed", bytes: Buffer.from("first\n") },
        { kind: "collect" },
        {
          kind: "channel",
          connect: (channel) => {
            channel.write("hello\n");
            channel.once("data", (answer) => channel.end(answer));
          },
        },
        { kind: "feed", bytes: Buffer.from("last\n") },
      ],
    });
    expect(readable(result)).toEqual({
      ending: "exit",
      exitCode: 0,
      stdout: "first\nlast\n",
      stderr: "",
      collected: [[4, "kept\n"]],
    });
  });

  test("that collect keep 64 KiB, and flooding them ends the program", async () => {
    const more = await shell("head -c 100000 /dev/zero >&3", { descriptors: [{ kind: "collect" }] });
    expect([more.ending, more.collected.get(3)?.length]).toEqual(["exit", 65_536]);
    const flood = await shell("exec yes >&3", { descriptors: [{ kind: "collect" }], maxSeenBytes: 100_000 });
    expect([flood.ending, flood.collected.get(3)?.length]).toEqual(["output-limit", 65_536]);
  });

  test("that are not read or not closed keep nobody waiting", async () => {
    const result = await shell("exit 0", {
      descriptors: [
        { kind: "feed", bytes: Buffer.alloc(1_000_000) },
        { kind: "channel", connect: (channel) => channel.write(Buffer.alloc(1_000_000)) },
      ],
    });
    expect(readable(result)).toEqual({ ending: "exit", exitCode: 0, stdout: "", stderr: "" });
  });
});

describe("a caller's function that throws", () => {
  const broken = new Error("listener");
  const fail = (): never => {
    throw broken;
  };

  test("ends the tree and is what the call rejects with", async () => {
    const sleep = uniqueSleep();
    await expect(shell(`${sleep} & echo one; wait`, { onOutput: fail })).rejects.toBe(broken);
    expect(processesWith(sleep)).toEqual([]);
  });

  test("does so too when it gets the last output of a program that has ended, or a channel", async () => {
    await expect(shell("echo one", { onOutput: fail })).rejects.toBe(broken);
    const descriptors = [{ kind: "channel", connect: fail }] as const;
    await expect(shell("exec sleep 1000", { descriptors })).rejects.toBe(broken);
  });
});

describe("a program that cannot be started", () => {
  const cases: [string, () => Promise<unknown>, string, RegExp][] = [
    [
      "missing",
      () => shell("", { argv: ["/nowhere/program"] }),
      "process-not-found",
      /^\/nowhere\/program was not found/,
    ],
    [
      "a folder",
      () => shell("", { argv: ["/usr"] }),
      "process-not-executable",
      /^\/usr cannot be executed here/,
    ],
    [
      "in no folder",
      () => shell("", { cwd: "/nowhere" }),
      "process-cwd-invalid",
      /^There is no folder \/nowhere /,
    ],
    [
      "in a file",
      () => shell("", { cwd: "/bin/sh" }),
      "process-cwd-invalid",
      /^There is no folder \/bin\/sh /,
    ],
    [
      "with too long arguments",
      () => shell("x".repeat(4_000_000)),
      "process-request-invalid",
      /too long together/,
    ],
  ];
  test.each(cases)("%s: the call rejects", async (_what, call, code, message) => {
    await expect(call()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("because it may not be executed: the call rejects", async () => {
    const program = join(folder, "plain");
    await writeFile(program, "#!/bin/sh\n", { mode: 0o644 });
    await expect(shell("", { argv: [program] })).rejects.toMatchObject({ code: "process-not-executable" });
  });

  test("because its interpreter is missing: the call rejects", async () => {
    const program = join(folder, "orphan");
    await writeFile(program, "#!/nowhere/interpreter\n", { mode: 0o755 });
    await expect(shell("", { argv: [program] })).rejects.toMatchObject({ code: "process-not-found" });
  });

  test("because nobody says what reads it: it is not given to a shell", async () => {
    const program = join(folder, "bare");
    await writeFile(program, `touch ${join(folder, "shell-ran")}\n`, { mode: 0o755 });
    await expect(shell("", { argv: [program] })).rejects.toMatchObject({ code: "process-not-executable" });
    expect(readable(await shell("ls", { cwd: folder }))).toMatchObject({
      stdout: expect.not.stringContaining("shell-ran"),
    });
  });
});

test("a signal that fired before the start gives an empty, cancelled result, and nothing starts", async () => {
  const result = await shell("touch started", { cwd: folder, signal: AbortSignal.abort() });
  const nothing = { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 };
  expect(result).toEqual({
    ending: "cancelled",
    stdout: nothing,
    stderr: nothing,
    collected: new Map(),
    durationMs: 0,
  });
  expect(readable(await shell("ls", { cwd: folder }))).toMatchObject({
    stdout: expect.not.stringContaining("started"),
  });
});

test("a bad request rejects even when it was cancelled", async () => {
  const request = {
    argv: ["sh"],
    environment: {},
    cwd: "/",
    deadlineMs: 1,
    signal: AbortSignal.abort(),
  } as const;
  await expect(runProcess(request)).rejects.toMatchObject({ code: "process-request-invalid" });
});
