import { existsSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import type { ScriptOutcome } from "@skillet/core";
import { identifyProcess } from "@skillet/kit/files";
import { isProgram } from "@skillet/kit/program";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseNetworkGrant } from "../../network/network-grant.ts";
import { runJob } from "../../run-job.ts";
import { words } from "../folder-refusal.ts";
import type { Sandbox, SandboxJob } from "../sandbox.ts";
import { jobFor, removeTemporaryFolders, temporaryFolder } from "../ssh/testing/remote-skill.ts";
import { docker } from "./docker.ts";
import { frame, HELD, IMAGE_ID, ScriptedEngine } from "./testing/scripted-engine.ts";

const PINNED = `tools@sha256:${"ab".repeat(32)}`;
const isRoot = process.getuid?.() === 0;
const USER = isRoot ? "65534:65534" : `${process.getuid?.()}:${process.getgid?.()}`;

let engine: ScriptedEngine;
let host: string;
beforeEach(async () => {
  engine = new ScriptedEngine();
  host = await engine.start();
});
afterEach(async () => {
  vi.useRealTimers();
  await engine.stop();
  removeTemporaryFolders();
});

const open = (image = PINNED): Sandbox => docker({ image, host });
const run = (job: SandboxJob): Promise<ScriptOutcome> => open().run(job);
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value,
    (error: unknown) => error,
  );
const coded = (code: string, message: string): object =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });
// The survey is the first container, so that a job is the second.
const JOB = "2";

describe("a run", () => {
  test("makes two containers, sends the skill, and leaves nothing on the engine", async () => {
    await run(jobFor("echo hello"));
    expect(engine.requests[0]).toMatchObject({ ask: "GET /_ping", version: "" });
    expect(engine.requests.slice(1).every(({ version }) => version === "1.43")).toBe(true);
    expect(engine.asked(`POST /containers/create?name=${JOB}`)).toEqual([
      "POST /containers/create?name=2-files",
      "PUT /containers/2-files/archive?path=/skill",
      "POST /containers/create?name=2",
      "POST /containers/2/attach?stream=1&stdout=1&stderr=1",
      "POST /containers/2/start",
      "POST /containers/2/wait",
      "GET /containers/2/json",
      "DELETE /containers/2?force=1&v=1",
      "DELETE /containers/2-files?force=1&v=1",
    ]);
    expect(engine.containers.size).toBe(0);
  });

  test("asks for a container without network, rights and writable places, within all limits", async () => {
    await run(jobFor("true", { args: ["a b"], environment: { SKILL_NAME: "x" } }));
    const [files, script] = engine.specs().slice(2);
    const Labels = {
      "dev.skillet.process": JSON.stringify(identifyProcess()),
      "dev.skillet.skill": expect.stringMatching(/^sha256:/),
    };
    expect(files).toEqual({
      Image: IMAGE_ID,
      Labels,
      Entrypoint: ["/skill"],
      HostConfig: {
        NetworkMode: "none",
        Mounts: [{ Type: "volume", Target: "/skill", VolumeOptions: { NoCopy: true } }],
      },
    });
    const folder = (bytes: number): string => `rw,exec,nosuid,nodev,size=${bytes},mode=1777`;
    expect(script).toEqual({
      Image: IMAGE_ID,
      Entrypoint: ["/bin/sh"],
      Cmd: ["/skill/scripts/run.sh", "a b"],
      Env: [
        "SKILL_NAME=x",
        "HOME=/run/skillet/home",
        "TMPDIR=/tmp",
        "LANG=C.UTF-8",
        "SKILL_DIR=/skill",
        "GIT_CONFIG_COUNT=1",
        "GIT_CONFIG_KEY_0=safe.directory",
        "GIT_CONFIG_VALUE_0=*",
      ],
      User: USER,
      WorkingDir: "/run/skillet/workspace",
      Labels,
      OpenStdin: false,
      StdinOnce: true,
      Healthcheck: { Test: ["NONE"] },
      HostConfig: {
        NetworkMode: "none",
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        IpcMode: "private",
        Init: true,
        LogConfig: { Type: "none" },
        Memory: 1024 ** 3,
        MemorySwap: 1024 ** 3,
        PidsLimit: 128,
        NanoCpus: 1e9,
        Ulimits: [
          { Name: "data", Soft: 1024 ** 3, Hard: 1024 ** 3 },
          { Name: "fsize", Soft: 256 * 1024 ** 2, Hard: 256 * 1024 ** 2 },
          { Name: "cpu", Soft: 120, Hard: 121 },
          { Name: "nofile", Soft: 1024, Hard: 1024 },
          { Name: "core", Soft: 1, Hard: 1 },
          { Name: "memlock", Soft: 64 * 1024, Hard: 64 * 1024 },
        ],
        ShmSize: 64 * 1024 ** 2,
        Tmpfs: {
          "/tmp": folder(128 * 1024 ** 2),
          "/var/tmp": folder(128 * 1024 ** 2),
          "/run/skillet/home": folder(64 * 1024 ** 2),
          "/run/skillet/workspace": folder(64 * 1024 ** 2),
        },
        VolumesFrom: [expect.stringMatching(/^skillet-[0-9a-f]{24}-files:ro$/)],
        Mounts: [],
      },
    });
  });

  test("gives the script its arguments, variables and input, and both outputs and the exit code back", async () => {
    const written: string[] = [];
    const outcome = await run(
      jobFor(
        'cat; printf "%s|" "$@" "$GREETING"; cat "$SKILL_DIR/scripts/run.sh" | wc -l; echo oops >&2; exit 7',
        {
          args: ["one", "two words"],
          environment: { GREETING: "hello" },
          stdin: Buffer.from("from outside\n"),
          onOutput: (stream, bytes) => void written.push(`${stream} ${Buffer.from(bytes)}`),
        },
      ),
    );
    expect(outcome).toEqual({
      status: "executed",
      exitCode: 7,
      stdout: "from outside\none|two words|hello|0\n",
      stderr: "oops\n",
      truncated: { stdout: false, stderr: false },
      sandbox: {
        backend: "docker",
        place: PINNED,
        strength: "reduced",
        weaknesses: ["Everyone who may use the engine can read its secrets while it runs."],
        memoryLimit: "tree",
      },
      durationMs: expect.any(Number),
      argv: ["/bin/sh", "/skill/scripts/run.sh", "one", "two words"],
      cwd: "/run/skillet/workspace",
      diagnostics: [],
    });
    expect(written).toContain("stderr oops\n");
    expect(engine.asked("POST /containers/2/attach")[0]).toMatch(/&stdin=1$/);
  });

  test("ends at its deadline: its container is removed by force", async () => {
    const job = jobFor("echo begun; exec sleep 600");
    const outcome = await run({ ...job, limits: { ...job.limits, timeoutMs: 3_000 } });
    expect(outcome).toMatchObject({ status: "timed-out", signal: "SIGKILL", stdout: "begun\n" });
    expect(engine.asked("POST /containers/2/wait").slice(1, 3)).toEqual([
      "DELETE /containers/2?force=1&v=1",
      "DELETE /containers/2-files?force=1&v=1",
    ]);
    expect(engine.containers.size).toBe(0);
  });

  test("ends when it is cancelled, while it runs and before it starts", async () => {
    const running = new AbortController();
    const onOutput = (): void => running.abort();
    expect(
      await run(jobFor("echo begun; exec sleep 600", { signal: running.signal, onOutput })),
    ).toMatchObject({
      status: "cancelled",
      stdout: "begun\n",
    });
    // An engine that never answers is not waited for.
    for (const step of ["PUT /containers/4-files/archive", "POST /containers/6/start"]) {
      const early = new AbortController();
      engine.answers.set(step, () => early.abort());
      const outcome = await run(jobFor("echo begun", { signal: early.signal }));
      expect(outcome).toMatchObject({ status: "cancelled", stdout: "" });
    }
    expect(engine.asked().filter((ask) => /containers\/4\/start/.test(ask))).toEqual([]);
    expect(engine.containers.size).toBe(0);
  });

  test.each([
    "POST /containers/create?name=2-files",
    "POST /containers/create?name=2",
    "POST /containers/2/attach",
    "POST /containers/2/start",
  ])("that is cancelled at %s leaves nothing, though the engine does what it was asked", async (step) => {
    const early = new AbortController();
    engine.onAsk = (ask) => void (ask.split("&")[0]?.split("?stream")[0] === step && early.abort());
    expect(await run(jobFor("exec sleep 600", { signal: early.signal }))).toMatchObject({
      status: "cancelled",
      stdout: "",
    });
    expect(engine.requests.some(({ ask }) => ask.startsWith(step))).toBe(true);
    expect(engine.hungUp).toEqual([]);
    expect(engine.asked("POST /containers/create?name=2").at(-1)).toBe(
      "DELETE /containers/2-files?force=1&v=1",
    );
    expect(engine.containers.size).toBe(0);
  });

  test("says which limit ended it", async () => {
    engine.play = (container) => {
      container.state.OOMKilled = true;
      container.end(137);
    };
    expect(await run(jobFor(""))).toMatchObject({ exitCode: 137, limit: "memory" });
    for (const [code, limit] of [
      [152, "cpu"],
      [153, "file-size"],
      [1, undefined],
    ] as const) {
      engine.play = (container) => container.end(code);
      expect((await run(jobFor(""))).limit).toBe(limit);
    }
  });

  test("ends when it writes beyond all bounds, and keeps the head and the tail of what is shown", async () => {
    const job = jobFor('head -c 3000 /dev/zero | tr "\\0" x');
    const kept = await run({ ...job, limits: { ...job.limits, outputBytes: 1024 } });
    expect(kept).toMatchObject({ exitCode: 0, truncated: { stdout: true, stderr: false } });
    engine.play = ({ streams }) => {
      const megabyte = frame(1, Buffer.alloc(1024 ** 2, "x"));
      for (let index = 0; index < 65; index += 1) streams?.write(megabyte);
    };
    expect(await run(jobFor(""))).toMatchObject({ status: "executed", signal: "SIGKILL", limit: "output" });
  });

  test("an error of the listener ends the script and reaches the caller", async () => {
    const onOutput = (): never => {
      throw new TypeError("the host is broken");
    };
    expect(await failure(run(jobFor("echo x; exec sleep 600", { onOutput })))).toEqual(
      new TypeError("the host is broken"),
    );
    expect(engine.containers.size).toBe(0);
  });

  test("what the script prints of a secret is taken out, and a refusal is an answer", async () => {
    const secrets = { TOKEN: "a-secret-of-some-length" };
    const shown = await runJob(jobFor('echo "<$TOKEN>"', { environment: secrets }), open(), secrets);
    expect(shown).toMatchObject({ status: "executed", stdout: expect.not.stringContaining(secrets.TOKEN) });
    engine.image = undefined;
    expect(await runJob(jobFor("true"), open(), {})).toMatchObject({
      status: "refused",
      code: "sandbox-unavailable",
      message: expect.stringContaining(`Fix: docker pull ${PINNED}`),
    });
  });

  test("reports a container that cannot be removed", async () => {
    engine.answers.set("DELETE /containers/2", (response) =>
      response.writeHead(500).end('{"message":"busy"}'),
    );
    const { status, sandbox } = await run(jobFor("true"));
    expect(status).toBe("executed");
    expect(sandbox.weaknesses).toEqual([
      expect.stringMatching(/^Its container skillet-\w+ could not be removed \(it answered "busy" \(500\)\)/),
    ]);
  });
});

describe("folders", () => {
  const workspaceIn = (name: string): string => {
    const workspace = join(realpathSync(temporaryFolder()), name);
    mkdirSync(join(workspace, ".git"), { recursive: true });
    mkdirSync(join(workspace, ".ssh"));
    writeFileSync(join(workspace, ".netrc"), "secret");
    return workspace;
  };
  const bind = (path: string, ReadOnly: boolean, Source = path): object => ({
    Type: "bind",
    Source,
    Target: path,
    ReadOnly,
    BindOptions: { Propagation: "rprivate", NonRecursive: true },
  });
  const mounts = (): object[] => engine.specs().at(-1)?.HostConfig.Mounts ?? [];

  test("the workspace is bound read-only, whatever signs are in its path, and its credentials are hidden", async () => {
    const workspace = workspaceIn("odd:name,with=signs");
    const outcome = await run(jobFor("pwd", { workspace }));
    expect(outcome.cwd).toBe(workspace);
    expect(outcome.sandbox.weaknesses).toEqual(["Local sockets in the folders it was given can be reached."]);
    expect(mounts()).toEqual([
      bind(workspace, true),
      bind(`${workspace}/.netrc`, true, "/dev/null"),
      {
        Type: "tmpfs",
        Target: `${workspace}/.ssh`,
        ReadOnly: true,
        TmpfsOptions: { SizeBytes: 4096, Mode: 0o555 },
      },
    ]);
  });

  test("a writable workspace stays read-only where tools obey it and where it is protected", async () => {
    const workspace = workspaceIn("project");
    mkdirSync(join(workspace, "records"));
    const protect = [join(workspace, "records")];
    const job = jobFor(`cd "${workspace}" && echo x >Makefile`, {
      workspace,
      writable: [workspace],
      protect,
    });
    const { diagnostics } = await run(job);
    expect(mounts().slice(0, 2)).toEqual([bind(workspace, false), bind(`${workspace}/.git`, true)]);
    expect(mounts()).toContainEqual(bind(`${workspace}/records`, true));
    expect(diagnostics).toEqual([]);
  });

  test("a folder that is swapped for a link while the container is set up is not given", async () => {
    const workspace = workspaceIn("project");
    engine.onAsk = (ask) => {
      if (!ask.startsWith("PUT /containers/2-files")) return;
      renameSync(workspace, `${workspace}-moved`);
      symlinkSync("/etc", workspace);
    };
    expect(await failure(run(jobFor("true", { workspace })))).toEqual(
      coded("sandbox-folder-refused", "it was replaced while the container was set up"),
    );
    expect(engine.requests.map(({ ask }) => ask)).not.toContain("POST /containers/2/start");
    expect(engine.containers.size).toBe(0);
  });

  test("Podman without root gives the caller the same number inside", async () => {
    engine.info = {};
    engine.headers = { ...engine.headers, "Libpod-Api-Version": "5.0.0" };
    await run(jobFor("true"));
    const { HostConfig } = engine.specs().at(-1)!;
    expect(HostConfig.UsernsMode).toBe(isRoot ? undefined : "keep-id");
    expect(HostConfig).not.toHaveProperty("NanoCpus");
  });
});

describe("options", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each(["", "-x", "a b", "../x", "a/../b", "a//b", `a${"b".repeat(512)}`, "a\nb"])(
    "an image cannot be called %j",
    (image) => {
      expect(() => docker({ image, host })).toThrow(
        expect.objectContaining({ code: "invalid-docker-option" }),
      );
    },
  );

  test.each([
    "tcp://127.0.0.1:2375",
    "tcp://example.org",
    "ssh://host",
    "npipe:////./pipe/docker_engine",
    "unix://x",
  ])("the engine cannot be at %s", (odd) => {
    expect(() => docker({ image: PINNED, host: odd })).toThrow(
      expect.objectContaining({ code: "invalid-docker-option" }),
    );
  });

  test("the engine is that of DOCKER_HOST, else the first socket that is there, and stays the same", async () => {
    vi.stubEnv("DOCKER_HOST", host);
    const sandbox = docker({ image: PINNED });
    vi.stubEnv("DOCKER_HOST", "");
    vi.stubEnv("XDG_RUNTIME_DIR", engine.folder);
    vi.stubEnv("HOME", engine.folder);
    expect(await sandbox.probe()).toMatchObject({ ok: true });
    const another = new ScriptedEngine();
    another.listensAt = join(engine.folder, "podman/podman.sock");
    await another.start();
    const found = await docker({ image: PINNED }).probe();
    await another.stop();
    // A machine with an engine of its own has that before.
    if (!existsSync("/var/run/docker.sock")) expect(found).toMatchObject({ ok: true });
  });
});

describe("before anything runs", () => {
  test("a grant of hosts is refused, since no list of hosts can be enforced", async () => {
    const network = [parseNetworkGrant("api.example.org")];
    expect(await failure(run(jobFor("true", { network })))).toEqual(
      coded("sandbox-unavailable", "cannot be held to the granted hosts"),
    );
  });

  test("a zero byte in an argument is refused", async () => {
    expect(await failure(run(jobFor("true", { args: ["a\0b"] })))).toEqual(
      coded("sandbox-argument-invalid", "zero byte"),
    );
  });

  test("an image that is not there is refused with the command that pulls it, and nothing is pulled", async () => {
    engine.image = undefined;
    expect(await open().probe()).toEqual({
      ok: false,
      reason: `it does not have the image ${PINNED}, and images are not pulled automatically`,
      fix: `docker pull ${PINNED}`,
    });
    expect(engine.requests.map(({ ask }) => ask).filter((ask) => ask.startsWith("POST"))).toEqual([]);
  });

  test("a tag that comes to stand for another image changes nothing for a sandbox that is open", async () => {
    const sandbox = open("tools:latest");
    await sandbox.probe();
    engine.image = { Id: "sha256:2e" };
    await sandbox.run(jobFor("true"));
    expect(new Set(engine.specs().map(({ Image }) => Image))).toEqual(new Set([IMAGE_ID]));
  });

  test("an image that is named by a tag is a weakness, not one that is named by digest", async () => {
    expect(await open("tools:latest").probe()).toMatchObject({
      report: {
        place: "tools:latest",
        strength: "reduced",
        weaknesses: ["The image's tag can move to another image; name the image by digest."],
      },
    });
    expect(await open("evil/sha256:latest").probe()).toMatchObject({ report: { strength: "reduced" } });
    expect(await open().probe()).toEqual({
      ok: true,
      report: { backend: "docker", place: PINNED, strength: "full", weaknesses: [], memoryLimit: "tree" },
    });
  });

  test.each([
    ["skill worked", "a write was not denied (skill)"],
    ["connection worked", "a connection was not denied"],
    ["NoNewPrivs 0", "programs can gain privileges"],
    ["CapEff 00000000a80425fb", "the script has capabilities"],
    ["Uid 0", "the script runs as root"],
  ])("a container that does not hold (%s) runs no script", async (answer, reason) => {
    engine.survey = [answer, ...HELD];
    expect(await open().probe()).toMatchObject({
      ok: false,
      reason: `its containers do not hold: ${reason}`,
    });
    expect(await failure(run(jobFor("true")))).toEqual(coded("sandbox-unavailable", reason));
  });

  test("limits that the engine does not set are weaknesses", async () => {
    engine.survey = ["Seccomp 0", "memory max", "pids ", ...HELD];
    expect(await open().probe()).toMatchObject({
      report: {
        strength: "reduced",
        memoryLimit: "none",
        weaknesses: [
          "The engine does not filter system calls.",
          "The engine does not limit memory.",
          "The engine does not limit the number of processes.",
        ],
      },
    });
  });

  test.skipIf(!isProgram("/usr/bin/bwrap"))(
    "the survey itself finds out what holds, and what does not",
    async () => {
      engine.survey = undefined;
      engine.wrapper = words(
        "/usr/bin/bwrap --ro-bind / / --proc /proc --dev /dev --unshare-all --uid 7 --cap-drop ALL --",
      );
      const sandbox = open();
      expect(await sandbox.probe()).toMatchObject({ ok: true, report: { memoryLimit: "none" } });
      expect((await sandbox.findInterpreter("sh"))?.path).toMatch(/^\/(?:usr\/)?bin\/sh$/);
      expect(await sandbox.findInterpreter("no-such-program")).toBeUndefined();
      const held = engine.wrapper.slice(0, -1);
      for (const [more, reason] of [
        ["--share-net", "a connection was not denied"],
        ["--uid 0", "the script runs as root"],
        [`--bind ${engine.folder} ${engine.folder}`, "a write was not denied (skill)"],
      ] as const) {
        engine.wrapper = [...held, ...words(more), "--"];
        expect(await open().probe()).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
      }
    },
  );

  test("a survey that does not finish is told with what it wrote", async () => {
    engine.survey = ["sh: cannot fork"];
    expect(await open().probe()).toMatchObject({
      ok: false,
      reason: expect.stringContaining("did not finish"),
    });
  });

  test("interpreters are those of the image, looked for once, in the order of its PATH", async () => {
    engine.survey = ["program-sh /first/sh", "program-perl bin/perl", ...HELD];
    const sandbox = open();
    expect(await sandbox.findInterpreter("node")).toEqual({
      name: "node",
      path: "/opt/node/bin/node",
      version: "22.18.0",
    });
    expect(await sandbox.findInterpreter("sh")).toEqual({ name: "sh", path: "/first/sh" });
    expect(await sandbox.findInterpreter("node", ["/opt/node"])).toBeUndefined();
    expect(await sandbox.findInterpreter("node", ["/opt/other"])).toBeDefined();
    for (const name of ["ruby", "Uid", "../sh", "perl"])
      expect(await sandbox.findInterpreter(name)).toBeUndefined();
    expect(engine.specs()).toHaveLength(2);
  });

  test.each([
    ["1.40", "does not speak version 1.41"],
    ["two", "does not speak version 1.41"],
  ])("an engine of version %s is refused", async (version, reason) => {
    engine.headers = { "Api-Version": version };
    expect(await open().probe()).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  test("what a process left that has ended is removed, and what belongs to a living one is not", async () => {
    const self = identifyProcess();
    const left = (Id: string, owner: unknown, name = `skillet-${"0a".repeat(12)}`): object => ({
      Id,
      Names: [`/${name}`],
      Labels: { "dev.skillet.process": typeof owner === "string" ? owner : JSON.stringify(owner) },
    });
    engine.left = [
      left("dead", { ...self, pid: 2 ** 22 + 1 }),
      left("living", self),
      left("elsewhere", { ...self, pid: 2 ** 22 + 1, host: "another" }),
      left("odd", "not json"),
      left("labelled", { ...self, pid: 2 ** 22 + 1 }, "database"),
    ];
    await open().probe();
    expect(engine.asked("GET /containers/json")[0]).toBe(
      `GET /containers/json?all=1&filters=${encodeURIComponent('{"label":["dev.skillet.process"]}')}`,
    );
    const removed = engine.requests.map(({ ask }) => ask).filter((ask) => /DELETE .*\/[a-z]+\?/.test(ask));
    expect(removed).toEqual(["DELETE /containers/dead?force=1&v=1"]);
  });

  test("an engine that is not there is told, and found when it has come", async () => {
    const sandbox = open();
    await engine.stop();
    expect(await sandbox.probe()).toMatchObject({
      ok: false,
      reason: expect.stringContaining("no Docker engine is listening"),
    });
    engine = new ScriptedEngine();
    expect(await docker({ image: PINNED, host: await engine.start() }).probe()).toMatchObject({ ok: true });
  });
});

describe("an engine that fails", () => {
  const cut = (response: ServerResponse): void => void response.socket?.destroy();

  test.each<[string, string, (response: ServerResponse) => void, string]>([
    [
      "refuses",
      "POST /containers/create?name=2-files",
      (response) => response.writeHead(409).end('{"message":"no\\nroom"}'),
      'it answered "no',
    ],
    [
      "says nothing",
      "POST /containers/create?name=2",
      (response) => response.writeHead(500).end(),
      'it answered "" (500)',
    ],
    ["hangs up", "PUT /containers/2-files/archive", cut, "the connection failed"],
    [
      "refuses the upload",
      "PUT /containers/2-files",
      (response) => response.writeHead(403).end("{}"),
      'it answered "" (403)',
    ],
    [
      "cannot start it",
      "POST /containers/2/start",
      (response) => response.writeHead(400).end('{"message":"exec: no such file"}'),
      '"exec: no such file" (400)',
    ],
  ])("before the start (%s): nothing ran", async (_, ask, answer, reason) => {
    engine.answers.set(ask, answer);
    expect(await failure(run(jobFor("true")))).toEqual(coded("sandbox-unavailable", reason));
    expect(engine.asked().slice(-2)).toEqual([
      "DELETE /containers/2?force=1&v=1",
      "DELETE /containers/2-files?force=1&v=1",
    ]);
  });

  test.each<[string, string, (response: ServerResponse) => void, string]>([
    ["gives no answer to the start", "POST /containers/2/start", cut, "the connection failed"],
    ["loses the wait", "POST /containers/2/wait", cut, "the connection failed"],
    [
      "refuses the wait",
      "POST /containers/2/wait",
      (response) => response.writeHead(404).end("{}"),
      'it answered "" (404)',
    ],
    [
      "makes no sense",
      "GET /containers/2/json",
      (response) => response.end('{"State":{"ExitCode":"0"}}'),
      "is invalid",
    ],
    [
      "has an impossible exit code",
      "GET /containers/2/json",
      (response) => response.end('{"State":{"ExitCode":-1,"OOMKilled":false}}'),
      "is invalid",
    ],
  ])("after the start (%s): how the script ended is not known", async (_, ask, answer, reason) => {
    engine.answers.set(ask, answer);
    expect(await failure(run(jobFor("true")))).toEqual(coded("sandbox-connection-lost", reason));
    expect(engine.containers.size).toBe(0);
  });

  test.each<[string, Buffer]>([
    ["in the middle of a frame", frame(1, "x", 100)],
    ["in the middle of a header", Buffer.from([1, 0, 0])],
  ])("a stream that ends %s ends the script", async (_, bytes) => {
    engine.play = ({ streams }) => void streams?.end(bytes);
    expect(await failure(run(jobFor("")))).toEqual(coded("sandbox-connection-lost", "its output was cut"));
    expect(engine.containers.size).toBe(0);
  });

  test.each<[string, Buffer]>([
    ["something that is not a frame", Buffer.from("HTTP/1.1 500 no frames here")],
    ["a frame of a stream that does not exist", frame(3, "x")],
  ])("a stream with %s ends the script at once", async (_, bytes) => {
    engine.play = ({ streams }) => void streams?.write(bytes);
    expect(await failure(run(jobFor("")))).toEqual(coded("sandbox-connection-lost", "its output was cut"));
    expect(engine.containers.size).toBe(0);
  });

  test("frames are read wherever they are broken, also empty ones and those of 4 GiB", async () => {
    const bytes = Buffer.concat([frame(1, "one "), frame(2, ""), frame(0, "two "), frame(2, "three")]);
    engine.play = async ({ streams, end }) => {
      for (const byte of bytes) await new Promise((resolve) => streams?.write(Buffer.of(byte), resolve));
      end(0);
    };
    expect(await run(jobFor(""))).toMatchObject({ stdout: "one two ", stderr: "three" });
    engine.play = ({ streams }) => void streams?.write(frame(1, "x".repeat(10_000), 0xffff_ffff));
    const job = jobFor("");
    const outcome = await run({ ...job, limits: { ...job.limits, timeoutMs: 200 } });
    expect(outcome).toMatchObject({ status: "timed-out", stdout: "x".repeat(10_000) });
  });

  test("that does not end a container is given up after some seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    engine.play = ({ streams }) => void streams?.write(frame(1, "begun"));
    engine.answers.set(
      "DELETE /containers/2?",
      () => void setImmediate(() => vi.advanceTimersByTime(10_000)),
    );
    const job = jobFor("", { onOutput: () => void vi.advanceTimersByTime(30_000) });
    expect(await failure(run(job))).toMatchObject({
      code: "sandbox-connection-lost",
      message: expect.stringMatching(
        /it gave no answer within 10 seconds.* Its container skillet-\w+ could not be removed .*by hand\.$/,
      ),
    });
  });

  test.each(["GET /_ping", "GET /images/", "POST /containers/create", "POST /containers/1/start"])(
    "that never answers %s is given up after 30 seconds",
    async (ask) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      engine.answers.set(ask, () => void setImmediate(() => vi.advanceTimersByTime(30_000)));
      expect(await open().probe()).toMatchObject({
        ok: false,
        reason: expect.stringContaining("it gave no answer within 30 seconds"),
      });
    },
  );

  test.each<[string, (response: ServerResponse) => void, string]>([
    ["an endless answer", (response) => void endless(response), "is too long"],
    [
      "huge headers",
      (response) => response.writeHead(200, { "X-Huge": "x".repeat(20_000) }).end("{}"),
      "HPE_HEADER_OVERFLOW",
    ],
    [
      "something that is not HTTP",
      (response) => response.socket?.end("hello\r\n\r\n"),
      "HPE_INVALID_CONSTANT",
    ],
    [
      "less than it promised",
      (response) => response.socket?.end("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}"),
      "ECONNRESET",
    ],
    ["something that is not JSON", (response) => response.end("<html>"), "is invalid"],
    ["another document", (response) => response.end("[]"), "is invalid"],
  ])("that sends %s is refused", async (_, answer, reason) => {
    engine.answers.set("GET /info", answer);
    expect(await open().probe()).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  test("that does not lend the streams of a container is refused", async () => {
    const odd = new ScriptedEngine();
    const where = await odd.start();
    odd.upgrades = false;
    expect(await docker({ image: PINNED, host: where }).probe()).toMatchObject({
      reason: expect.stringContaining("it refused to attach to the container (200)"),
    });
    await odd.stop();
  });
});

function endless(response: ServerResponse): void {
  response.writeHead(200);
  const more = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}
