import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, watch } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  HELD,
  IMAGE_ID,
  ScriptedEngine,
} from "../../packages/run/src/sandbox/docker/testing/scripted-engine.ts";
import { createSandbox, HAS_TERMINAL, LAUNCHER, onTerminal, type Sandbox, skillText } from "./sandbox.ts";

const HAS_BUBBLEWRAP = spawnSync("bwrap", ["--version"], { stdio: "ignore" }).status === 0;
if (!HAS_BUBBLEWRAP) console.warn("Skipped: running scripts in a sandbox, because there is no bwrap.");

const ALLOW = ["--allow", "demo:scripts/do.sh"];
const DIGEST = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);

/** A machine with one skill whose script holds these lines. */
function withScript(script: string, header = ""): Sandbox {
  const sandbox = createSandbox();
  const folder = "home/.skillet/skills/demo";
  sandbox.write(`${folder}/SKILL.md`, `---\nname: demo\ndescription: Does it.\n${header}---\n\nDo it.\n`);
  sandbox.write(`${folder}/scripts/do.sh`, `#!/usr/bin/env bash\n${script}\n`);
  sandbox.write(`${folder}/scripts/notes.txt`, "No script.\n");
  return sandbox;
}

const run = (...rest: readonly string[]): readonly string[] => ["run", "demo", "scripts/do.sh", ...rest];

test.skipIf(!HAS_BUBBLEWRAP)(
  "a script starts in the folder that --cwd names, and knows that it is in a sandbox",
  async () => {
    const sandbox = withScript('pwd\necho "$SKILLET_EXECUTION_TARGET"');
    sandbox.write("project/labs/notes.txt", "x");
    symlinkSync("/etc", join(sandbox.project, "away"));
    const started = await sandbox.skillet(run(...ALLOW, "--cwd", "labs"));
    expect(started).toMatchObject({ exitCode: 0, stdout: `${sandbox.project}/labs\nsandbox\n` });
    const refused = await sandbox.skillet(run(...ALLOW, "--cwd", "away"));
    expect(refused).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringContaining("out of the workspace"),
    });
  },
);

test.skipIf(!HAS_BUBBLEWRAP)(
  "a script of a skill that was edited since its install is said to be",
  async () => {
    const sandbox = createSandbox();
    sandbox.write("mine/demo/SKILL.md", skillText("demo"));
    sandbox.write("mine/demo/scripts/do.sh", "#!/usr/bin/env bash\necho ran\n");
    await sandbox.skillet(["install", join(sandbox.root, "mine/demo"), "--yes", "--agent", "none"]);
    const said = "demo was edited since it was installed: skillet diff demo";
    const before = await sandbox.skillet(run("--yes"));
    expect(before).toMatchObject({ exitCode: 0, stdout: "ran\n", stderr: expect.not.stringContaining(said) });
    sandbox.write("home/.skillet/plugins/demo/scripts/do.sh", "#!/usr/bin/env bash\necho edited\n");
    const after = await sandbox.skillet(run("--yes"));
    expect(after).toMatchObject({ exitCode: 0, stdout: "edited\n", stderr: expect.stringContaining(said) });
  },
);

test.skipIf(!HAS_BUBBLEWRAP)("--record-output keeps what a script wrote beside the records", async () => {
  const sandbox = withScript("echo kept; echo odd >&2");
  const records = join(sandbox.root, "run");
  await sandbox.skillet(run(...ALLOW, "--records", records, "--record-output"));
  const [name = ""] = readdirSync(records).filter((file) => file.startsWith("script-output-"));
  expect(JSON.parse(readFileSync(join(records, name), "utf8"))).toMatchObject({
    stdout: "kept\n",
    stderr: "odd\n",
  });
  const wrong = await sandbox.skillet(run(...ALLOW, "--record-output"));
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--records DIR") });
});

test("a script runs in a container of the engine that DOCKER_HOST names", async () => {
  const engine = new ScriptedEngine();
  engine.survey = ["program-bash /bin/bash", ...HELD];
  try {
    const environment = { DOCKER_HOST: await engine.start() };
    const sandbox = withScript('echo "$1"');
    const words = run(...ALLOW, "--sandbox", "docker:tools:1", "--", "hello");
    expect(await sandbox.skillet(words, { environment })).toMatchObject({ exitCode: 0, stdout: "hello\n" });
    expect(engine.specs().at(-1)).toMatchObject({ Image: IMAGE_ID, WorkingDir: sandbox.project });
    engine.image = undefined;
    expect(await sandbox.skillet(words, { environment })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("Fix: docker pull tools:1"),
    });
  } finally {
    await engine.stop();
  }
});

describe("a script that nobody allowed", () => {
  test("is refused with the command that allows it", async () => {
    expect(await withScript("echo ran").skillet(run("--timeout", "5", "--", "a b"))).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^error: script-not-allowlisted: demo:scripts\/do\.sh .*\n {2}To let it run this once, in the sandbox:\n {4}skillet run demo scripts\/do\.sh --timeout 5000ms --allow demo:scripts\/do\.sh -- 'a b'\n$/,
      ),
    });
  });

  test("is refused in a document too", async () => {
    const { exitCode, document } = await withScript("echo ran").json(run());
    expect(exitCode).toBe(1);
    expect(document).toEqual({
      schemaVersion: 1,
      type: "skillet.run-skill-script-output",
      skill: "demo",
      path: "scripts/do.sh",
      status: "refused",
      code: "script-not-allowlisted",
      message: expect.stringContaining("demo:scripts/do.sh"),
      hints: [
        "To let it run this once, in the sandbox:",
        "  skillet run demo scripts/do.sh --json --allow demo:scripts/do.sh",
      ],
    });
  });

  test.each([[], ["--yes"]])(
    "is said to be missing where there is none, before anything about allowing (%s)",
    async (...flags) => {
      const { exitCode, stderr } = await withScript("echo ran").skillet([
        "run",
        "demo",
        "scripts/gone.sh",
        ...flags,
      ]);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^error: script-not-indexed: /);
      expect(stderr).not.toContain("allow");
    },
  );

  test.skipIf(!HAS_BUBBLEWRAP)("runs with --yes, which is remembered for nothing", async () => {
    const sandbox = withScript("echo ran");
    expect(await sandbox.skillet(run("--yes"))).toMatchObject({ exitCode: 0, stdout: "ran\n" });
    expect(await sandbox.skillet(run())).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test.skipIf(!HAS_BUBBLEWRAP || !HAS_TERMINAL)(
    "is asked about on a terminal: this time, always for these bytes and no more grants, or no",
    async () => {
      const sandbox = withScript("echo ran");
      const once = await onTerminal(sandbox, run("--network", "api.example"), "y\r");
      expect(once).toMatchObject({ exitCode: 0, screen: expect.stringContaining("\nran\n") });
      expect(once.screen.replaceAll("\n", " ")).toContain(
        "demo:scripts/do.sh wants to run with bash in the sandbox bubblewrap; it may reach api.example. Run it?",
      );
      const no = await onTerminal(sandbox, run(), "\r");
      expect(no).toMatchObject({ exitCode: 1, screen: expect.stringContaining("you declined") });
      expect(no.screen).not.toContain("--allow");
      expect(await onTerminal(sandbox, run(), "a\r")).toMatchObject({ exitCode: 0 });
      expect(await sandbox.skillet(run())).toMatchObject({ exitCode: 0, stdout: "ran\n" });
      // That was a yes to the sandbox, and to nothing that it is granted.
      for (const more of [
        ["--sandbox", "none"],
        ["--network", "api.example"],
        ["--writable", "."],
      ])
        expect(await sandbox.skillet(run(...more))).toMatchObject({ exitCode: 1, stdout: "" });
      const open = await onTerminal(sandbox, run("--sandbox", "none"), "a\r");
      expect(open).toMatchObject({ exitCode: 1, screen: expect.stringContaining("[y/N]") });
      expect(open.screen).toContain("anything that you may.");
      const here = await onTerminal(sandbox, run("--writable", "."), "n\r");
      expect(here.screen).toContain("into the workspace");
      expect((await sandbox.skillet(run("--sandbox", "none"))).stderr).toContain("once, without a sandbox:");
      expect(await onTerminal(sandbox, run("--network", "api.example"), "a\r")).toMatchObject({
        exitCode: 0,
      });
      expect((await sandbox.skillet(run("--network", "api.example"))).exitCode).toBe(0);
      expect((await sandbox.skillet(["trust", "--list"])).stdout).toMatch(
        /demo:scripts\/do\.sh {2}runs without a question, \d{4}-/,
      );
      expect((await sandbox.skillet(["doctor"])).stdout).toContain("1 script may run without a question");
      // Another file of the skill is another tree.
      sandbox.write("home/.skillet/skills/demo/scripts/notes.txt", "Changed.\n");
      expect(await sandbox.skillet(run())).toMatchObject({ exitCode: 1, stdout: "" });
      expect((await onTerminal(sandbox, run(), "n\r")).screen.replaceAll(/\s+/g, " ")).toContain(
        "You said always before, but a file of the skill changed since then.",
      );
      expect((await sandbox.skillet(["trust", "--list"])).stdout).toContain("so it no longer counts");
      sandbox.write("home/.skillet/skills/demo/scripts/notes.txt", "No script.\n");
      expect((await sandbox.skillet(run())).exitCode).toBe(0);
      expect((await sandbox.skillet(["trust", "--withdraw", "demo"])).stdout).toBe(
        "1 script of demo will be asked about again.\n",
      );
      expect(await sandbox.skillet(run())).toMatchObject({ exitCode: 1, stdout: "" });
    },
  );
});

test.skipIf(!HAS_BUBBLEWRAP || !HAS_TERMINAL)(
  "a script that reads what is typed is said to get nothing of it, before it runs",
  async () => {
    const reading = withScript('read -r -p "Name? " name\necho "hello $name"');
    const { screen } = await onTerminal(reading, run("--yes"));
    expect(screen.replaceAll(/\s+/g, " ")).toMatch(/typed, which is not passed to scripts\..*hello/);
    const looping = withScript("seq 2 | while read -r line; do echo $line; done\n# read -r name\necho ok");
    expect((await onTerminal(looping, run("--yes"))).screen).not.toContain("typed");
  },
);

test.skipIf(!HAS_BUBBLEWRAP)(
  "a workspace that no script can be given is refused with the command for another",
  async () => {
    const sandbox = withScript("echo ran");
    const { stderr } = await sandbox.skillet(run("--yes"), { workingDirectory: "/" });
    expect(stderr).toContain("  skillet run demo scripts/do.sh --workspace DIR --yes\n");
  },
);

describe("other refusals", () => {
  test.each([
    [
      ["run", "demo", "scripts/do.hs", "--allow", "demo:scripts/do.hs"],
      "script-not-indexed",
      "Did you mean scripts/do.sh?",
    ],
    [
      ["run", "demo", "scripts/nope.sh", "--allow", "demo:scripts/nope.sh"],
      "script-not-indexed",
      "See its scripts: skillet run demo",
    ],
    [["run", "demo", "SKILL.md"], "script-path-invalid", ""],
    [["run", "demo", "do.sh"], "script-path-invalid", "Did you mean scripts/do.sh?"],
    [["run", "demo", "scripts/../../x"], "script-path-invalid", ""],
  ])("%j says why and what to do", async (args, code, hint) => {
    const { exitCode, stdout, stderr } = await withScript("echo ran").skillet(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(`error: ${code}: `);
    expect(stderr).toContain(hint);
  });

  test("without a script lists what the skill has and how each is run", async () => {
    const sandbox = withScript("echo ran");
    const { exitCode, stdout } = await sandbox.skillet(["run", "demo"]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining("\n  skillet run demo scripts/do.sh  (bash)\n"),
    });
    const { document } = await sandbox.json(["run", "demo"]);
    expect(document.scripts).toEqual([
      { path: "scripts/do.sh", runtime: "bash", command: "skillet run demo scripts/do.sh" },
    ]);
    sandbox.write("home/.skillet/skills/bare/SKILL.md", skillText("bare"));
    expect(await sandbox.skillet(["run", "bare"])).toMatchObject({
      exitCode: 1,
      stdout: "bare has no scripts.\n",
    });
    const { stderr } = await sandbox.skillet(["run", "dmo"]);
    expect(stderr).toContain("Did you mean demo?");
  });

  test.each(["do.sh", "scripts/do.sh"])(
    "a skill that is not there is told before anything about the script's path %s",
    async (path) => {
      const { exitCode, document } = await withScript("echo ran").json(["run", "dmo", path]);
      expect({ exitCode, code: document.error.code }).toEqual({ exitCode: 1, code: "skill-unknown" });
      expect(document.error.hints).toEqual(["Did you mean demo?"]);
    },
  );

  test.each([["run"], ["trust", "--approve"]])(
    "a path to a skill that is not looked for is answered with the words that find it: %s",
    async (...command) => {
      const sandbox = createSandbox();
      sandbox.write("other place/tool/SKILL.md", skillText("tool"));
      sandbox.write("other place/tool/scripts/do.sh", "#!/bin/sh\n");
      const words = `tool --skills-root '${sandbox.root}/other place/tool'`;
      for (const path of ["../other place/tool", `${sandbox.root}/other place/tool/SKILL.md`]) {
        const { exitCode, stderr } = await sandbox.skillet([...command, path]);
        expect({ exitCode, stderr }).toEqual({
          exitCode: 1,
          stderr: expect.stringContaining(`Write in place of the path:\n    ${words}\n`),
        });
      }
      const found = ["tool", "--skills-root", `${sandbox.root}/other place/tool`];
      expect((await sandbox.skillet([...command, ...found])).exitCode).toBe(0);
    },
  );

  test.each(["scripts/do.sh", "do.sh", "scripts/gone.sh"])(
    "a skill that may not be loaded brings no script: %s",
    async (path) => {
      const sandbox = withScript("echo ran", "metadata:\n  requires: no-such-tool-here\n");
      const { exitCode, document } = await sandbox.json(["run", "demo", path, ...ALLOW]);
      expect({ exitCode, ...document }).toMatchObject({
        exitCode: 1,
        status: "refused",
        code: "skill-not-found",
        message: expect.stringContaining("missing commands: no-such-tool-here"),
        hints: ["See why: skillet explain demo"],
      });
      const { stderr } = await sandbox.skillet(["run", "demo", path, ...ALLOW]);
      expect(stderr).toMatch(/^error: demo cannot be used: /);
      expect(stderr.match(/skillet explain demo/g)).toHaveLength(1);
    },
  );

  test("are recorded by the session, and the artefacts of the run are written", async () => {
    const sandbox = withScript("echo ran", "metadata:\n  requires: no-such-tool-here\n");
    await sandbox.skillet(run(...ALLOW, "--records", "runs/1"));
    const { document } = await sandbox.json(["records", "runs/1"]);
    expect(document.events).toContainEqual(
      expect.objectContaining({
        what: "run",
        skill: "demo",
        outcome: "refused",
        reason: expect.stringContaining("skill-not-found"),
      }),
    );
    expect(existsSync(join(sandbox.project, "runs/1/skill-script-executions.json"))).toBe(true);
  });

  test("do not wait for an input that nobody closes", async () => {
    const { exitCode, stderr } = await withOpenInput(withScript("cat"), run());
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: script-not-allowlisted: /);
  });

  test("name a command that looks in the same places", async () => {
    const sandbox = withScript("echo ran");
    const roots = join(sandbox.home, ".skillet/skills");
    const flags = ["--workspace", sandbox.project, "--skills-root", roots];
    const { stderr } = await sandbox.skillet(run(...flags), { workingDirectory: sandbox.home });
    expect(stderr).toContain(
      `    skillet run demo scripts/do.sh ${flags.join(" ")} --allow demo:scripts/do.sh\n`,
    );
  });

  test.each([
    [["--timeout", "0"], "ten minutes is the most"],
    [["--timeout", "601"], "ten minutes is the most"],
    [["--sandbox", "docker"], "bubblewrap, seatbelt, docker:IMAGE, ssh:DESTINATION or none"],
    [["--sandbox", "docker:-v"], "bubblewrap, seatbelt, docker:IMAGE, ssh:DESTINATION or none"],
    [["--sandbox", "ssh:-oProxyCommand=x"], "bubblewrap, seatbelt, docker:IMAGE, ssh:DESTINATION or none"],
    [["--cwd", "home"], "--cwd takes workspace, skill, or a folder in the workspace"],
    [["--writable", "gone"], "There is no folder"],
    [["--secret", "TOKEN"], "TOKEN is not set here"],
    [["--profile", "none"], "There is no profile"],
    [["--network", "http://x/"], "http"],
    [["--allow", "demo"], "demo"],
    [["--top", "3"], "Options of the script itself go after --"],
  ])("%j is used wrongly", async (flags, message) => {
    const { exitCode, stdout, stderr } = await withScript("echo ran").skillet(run(...flags));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("what belongs to the script is not taken for the command's own", async () => {
    const { stdout, stderr } = await withScript("echo ran").skillet(run("--", "--json", "--debug"));
    expect(stdout).toBe("");
    expect(stderr).not.toContain("    at ");
  });
});

describe.skipIf(!HAS_BUBBLEWRAP)("a script that is allowed", () => {
  test("writes to both streams, byte for byte where a program reads them, and says nothing else", async () => {
    const sandbox = withScript(`printf 'out \\033[31m\\233\\000'; printf 'err \\033]0;x\\007' >&2`);
    expect(await sandbox.skillet(run(...ALLOW))).toEqual({
      exitCode: 0,
      stdout: "out \x1b[31m\ufffd\0",
      stderr: "err \x1b]0;x\x07",
    });
  });

  test("gets its arguments as they were typed", async () => {
    const sandbox = withScript(`printf '[%s]' "$@"`);
    const { stdout } = await sandbox.skillet(run(...ALLOW, "--", "a b", "--json", "", "$HOME", "*"));
    expect(stdout).toBe("[a b][--json][][$HOME][*]");
  });

  test("a hint about writing leads to a command that can write", async () => {
    const sandbox = withScript("echo x >made");
    for (const more of [[], ["--writable", "."]]) {
      const { stderr } = await sandbox.skillet(run(...ALLOW, "--cwd", "skill", ...more));
      expect(stderr).toContain(
        "Its own folder is always read-only. To let it write into the workspace: skillet run demo scripts/do.sh --allow demo:scripts/do.sh --writable .\n",
      );
    }
  });

  test("that fails ends the command with its own exit code", async () => {
    expect(await withScript("echo so far; exit 3").skillet(run(...ALLOW))).toEqual({
      exitCode: 3,
      stdout: "so far\n",
      stderr: "scripts/do.sh ended with exit code 3.\n",
    });
  });

  test.each([
    ["cat ~/notes.txt", "so not ~/notes.txt. Copy the file there"],
    ["cat ~/.ssh/id_ed25519", "Do not copy a key there."],
    [
      "echo x >made",
      "may not write here. To let it write into the workspace: skillet run demo scripts/do.sh --allow demo:scripts/do.sh --writable .\n",
    ],
    ["echo x >/etc/made", "may write only into folders that --writable grants, so not /etc/made."],
    ["cat ../home/notes.txt", "so not ~/notes.txt. Copy the file there"],
    [
      "echo curl: Could not resolve host: api.example.org >&2; false",
      "To let it reach api.example.org: skillet run demo scripts/do.sh --allow demo:scripts/do.sh --network api.example.org\n",
    ],
  ])("that fails for want of a grant is told which, and no other: %s", async (line, told) => {
    const sandbox = withScript(`${line} || exit 5`);
    sandbox.write("home/notes.txt", "mine");
    sandbox.write("home/.ssh/id_ed25519", "key");
    const { exitCode, stderr } = await sandbox.skillet(run(...ALLOW));
    expect(exitCode).toBe(5);
    const [advice, ...more] = stderr.split("\n").filter((text) => text.startsWith("It "));
    expect(`${advice}\n`).toContain(told);
    expect(more).toEqual([]);
  });

  test("that may write a folder is told what stays read-only in it", async () => {
    const sandbox = withScript("echo x >.git/hooks/made");
    sandbox.write("project/.git/hooks/other", "x");
    const { stderr } = await sandbox.skillet(run(...ALLOW, "--writable", "."));
    expect(stderr).toContain("What tools obey, such as .git, stays read-only");
  });

  test("that writes beside the folder it may write is told that folder, and how to get the workspace", async () => {
    const sandbox = withScript("echo x >made");
    sandbox.write("project/labs/notes.txt", "x");
    const { stderr } = await sandbox.skillet(run(...ALLOW, "--writable", "labs"));
    expect(stderr).toContain(
      `It may write only into ${sandbox.project}/labs, except what tools obey there, such as .git. To let it write into the workspace: skillet run demo scripts/do.sh --allow demo:scripts/do.sh --writable .\n`,
    );
  });

  test("that opens a socket itself although a host is granted is told of the proxy", async () => {
    const sandbox = withScript(
      `python3 -c 'import socket; socket.create_connection(("db.example.org", 5432))'`,
    );
    const { stderr } = await sandbox.skillet(run(...ALLOW, "--network", "db.example.org:5432"));
    expect(stderr.replace(/\s+/g, " ")).toContain("reached through the proxy that HTTPS_PROXY names");
  });

  test("that fails to reach a host that was granted is told the host and why", async () => {
    const sandbox = withScript(`python3 -c 'import urllib.request as u; u.urlopen("http://none.invalid/")'`);
    const { stderr } = await sandbox.skillet(run(...ALLOW, "--network", "none.invalid"));
    expect(stderr).toMatch(
      /none\.invalid:80 was not reached, once: no address was found for its name \(E\w+\)/,
    );
    expect(stderr).not.toContain("may not");
  });

  test.each([
    ["echo curl: Failed to connect to 127.0.0.1 port 8123", [], "HOST:PORT"],
    ["false", ["--", "http://localhost:3000/x"], "localhost:3000 -- http://localhost:3000/x"],
  ])("that fails to reach this machine is told how to grant it: %s", async (line, args, address) => {
    const { stderr } = await withScript(`${line}; exit 7`).skillet(run(...ALLOW, ...args));
    const command = `skillet run demo scripts/do.sh --allow demo:scripts/do.sh --network ${address}\n`;
    expect(stderr).toContain(`is not this machine; to let it reach a server here: ${command}`);
  });

  test("that a signal ends gives the code that a shell gives", async () => {
    const { exitCode } = await withScript("kill -TERM $$").skillet(run(...ALLOW));
    expect(exitCode).toBe(143);
  });

  test("that takes too long is ended", async () => {
    const { exitCode, stdout, stderr } = await withScript("echo begun; sleep 600").skillet(
      run(...ALLOW, "--timeout", "1500ms"),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "begun\n" });
    expect(stderr).toMatch(
      /^scripts\/do\.sh was ended after \d\.\d s\. --timeout TIME gives it more, up to 10m\.\n$/,
    );
  });

  test("is described whole in one document", async () => {
    const sandbox = withScript("echo out; echo err >&2; exit 7");
    const { exitCode, document } = await sandbox.json(run(...ALLOW));
    expect(exitCode).toBe(7);
    expect(document).toEqual({
      schemaVersion: 1,
      type: "skillet.run-skill-script-output",
      skill: "demo",
      path: "scripts/do.sh",
      status: "executed",
      exitCode: 7,
      stdout: "out\n",
      stderr: "err\n",
      truncated: { stdout: false, stderr: false },
      sandbox: {
        backend: "bubblewrap",
        strength: expect.stringMatching(/^(full|reduced)$/),
        weaknesses: expect.any(Array),
        memoryLimit: expect.stringMatching(/^(tree|process)$/),
      },
      durationMs: expect.any(Number),
      argv: [expect.stringMatching(/\/bash$/), "/skill/scripts/do.sh"],
      cwd: sandbox.project,
      grants: { network: [], writable: [] },
      diagnostics: [],
      runtime: "bash",
      target: "sandbox",
      digest: DIGEST,
      treeDigest: DIGEST,
    });
  });

  test("starts in the skill where that is wanted", async () => {
    expect((await withScript("pwd").skillet(run(...ALLOW, "--cwd", "skill"))).stdout).toBe("/skill\n");
  });

  test("writes the workspace only where that was granted", async () => {
    const sandbox = withScript("echo x >made || exit 4");
    expect((await sandbox.skillet(run(...ALLOW))).stderr).toContain("Read-only file system");
    expect(existsSync(join(sandbox.project, "made"))).toBe(false);
    expect((await sandbox.skillet(run(...ALLOW, "--writable", "."))).exitCode).toBe(0);
    expect(readFileSync(join(sandbox.project, "made"), "utf8")).toBe("x\n");
  });

  test("can be allowed by a profile of the config", async () => {
    const sandbox = withScript("echo ran");
    sandbox.write("home/.skillet/config.yaml", 'profiles:\n  demo:\n    scripts: ["demo:scripts/do.sh"]\n');
    expect(await sandbox.skillet(run("--profile", "demo"))).toEqual({
      exitCode: 0,
      stdout: "ran\n",
      stderr: "",
    });
  });

  test("gets what is piped into the command", async () => {
    const sandbox = withScript("tr a-z A-Z");
    const pipe = spawn(process.execPath, [LAUNCHER, ...run(...ALLOW)], {
      cwd: sandbox.project,
      env: environmentOf(sandbox),
      stdio: ["pipe", "pipe", "inherit"],
    });
    pipe.stdin.end("piped in\n");
    const chunks: Buffer[] = [];
    for await (const chunk of pipe.stdout) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe("PIPED IN\n");
  });

  test("reaches a host that was granted, through the bridge of the built command, and no other", async () => {
    const server = createServer((_request, response) => response.end("served"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const get = `import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())`;
    const sandbox = withScript(`python3 -c '${get}' "$1" 2>/dev/null`);
    const address = `http://127.0.0.1:${port}/`;
    const ask = async (...flags: readonly string[]) =>
      (await sandbox.skillet(run(...ALLOW, ...flags, "--", address))).stdout;
    expect(await ask("--network", `127.0.0.1:${port}`)).toBe("served\n");
    expect(await ask("--network", "example.org")).toBe("");
    expect(await ask()).toBe("");
    server.close();
  });

  test("is recorded where that is wanted", async () => {
    const sandbox = withScript("echo ran");
    await sandbox.skillet(run(...ALLOW, "--records", "runs/1"));
    const { exitCode, document } = await sandbox.json(["records", "runs/1"]);
    expect(exitCode).toBe(0);
    expect(document.events).toContainEqual(
      expect.objectContaining({ what: "run", skill: "demo", outcome: "done" }),
    );
  });

  test("is not recorded into a folder that holds a run, and is told to take another", async () => {
    const sandbox = withScript("echo ran");
    await sandbox.skillet(run(...ALLOW, "--records", "runs/1"));
    const { exitCode, stdout, stderr } = await sandbox.skillet(run(...ALLOW, "--records", "runs/1"));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/runs\/1 already holds a run, .* Pass another/);
  });

  test("can run without a sandbox only with a warning", async () => {
    const { exitCode, stdout, stderr } = await withScript("echo ran").skillet(
      run(...ALLOW, "--sandbox", "none"),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "ran\n" });
    expect(stderr).toMatch(/^warning: without a sandbox the script can do everything that you can\.\n/);
  });

  test("is ended when it is interrupted while it waits for its input", async () => {
    const waiting = withOpenInput(withScript("cat"), run(...ALLOW), {
      interruptAt: "Waiting for standard input",
    });
    expect(await waiting).toEqual({
      exitCode: 130,
      stderr: "Waiting for standard input to end; for none, add: </dev/null\nscripts/do.sh was cancelled.\n",
    });
  });

  test("that is interrupted while its skill is checked and staged is cancelled", async () => {
    const sandbox = withScript("echo ran");
    const file = Buffer.alloc(1024 * 1024, "x");
    for (let index = 0; index < 24; index += 1)
      sandbox.write(`home/.skillet/skills/demo/assets/${index}.bin`, file);
    const staged = join(sandbox.home, ".skillet/cache/staged");
    mkdirSync(staged, { recursive: true, mode: 0o700 });
    const child = spawn(process.execPath, [LAUNCHER, ...run(...ALLOW, "--records", "runs/1")], {
      cwd: sandbox.project,
      env: environmentOf(sandbox),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const watcher = watch(staged);
    watcher.once("change", () => child.kill("SIGINT"));
    const stderr: Buffer[] = [];
    child.stderr.on("data", (chunk) => stderr.push(chunk));
    const exitCode = await new Promise((resolve) => child.once("close", resolve));
    watcher.close();
    expect(exitCode).toBe(130);
    expect(Buffer.concat(stderr).toString()).toMatch(/^(error: )?scripts\/do\.sh was cancelled/);
    expect(existsSync(join(sandbox.project, "runs/1/skill-script-executions.json"))).toBe(true);
  });

  test("is ended when nobody reads its output any more", async () => {
    const sandbox = withScript("yes 61371");
    const words = [process.execPath, LAUNCHER, ...run(...ALLOW)].map((word) => `'${word}'`).join(" ");
    const { stdout, stderr, status } = spawnSync(
      "bash",
      ["-c", `${words} | head -n 1; exit \${PIPESTATUS[0]}`],
      {
        cwd: sandbox.project,
        env: environmentOf(sandbox),
        encoding: "utf8",
      },
    );
    expect({ stdout, stderr, status }).toEqual({
      stdout: "61371\n",
      stderr: "scripts/do.sh was cancelled.\n",
      status: 141,
    });
    expect(commandLines().filter((line) => /^yes\0(61371)/.test(line))).toEqual([]);
  });

  test("leaves nothing behind when it is interrupted", async () => {
    const sandbox = withScript(`(setsid sleep 611 &) ; echo ready; sleep 612`);
    const child = spawn(process.execPath, [LAUNCHER, ...run(...ALLOW)], {
      cwd: sandbox.project,
      env: environmentOf(sandbox),
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.once("data", () => child.kill("SIGINT"));
    const stderr: Buffer[] = [];
    child.stderr.on("data", (chunk) => stderr.push(chunk));
    const exitCode = await new Promise((resolve) => child.on("close", resolve));
    expect({ exitCode, stderr: Buffer.concat(stderr).toString() }).toEqual({
      exitCode: 130,
      stderr: "scripts/do.sh was cancelled.\n",
    });
    expect(commandLines().filter((line) => /^sleep\0(611|612)/.test(line))).toEqual([]);
  });
});

describe.skipIf(!HAS_BUBBLEWRAP)("secrets", () => {
  const DECLARED = "metadata:\n  openclaw:\n    requires: {env: [DEMO_TOKEN]}\n";
  const environment = { DEMO_TOKEN: "s3cret-value-1", OTHER: "not-declared" };

  test("reach a script only when they were granted, and never come out again", async () => {
    const script = `echo "token: \${DEMO_TOKEN:-none}, other: \${OTHER:-none}"; exit \${1:-0}`;
    const sandbox = withScript(script, DECLARED);
    const withheld = await sandbox.skillet(run(...ALLOW), { environment });
    expect(withheld.stdout).toBe("token: none, other: none\n");
    expect(withheld.stderr).toBe("");
    const failed = await sandbox.skillet(run(...ALLOW, "--", "3"), { environment });
    expect(failed.exitCode).toBe(3);
    expect(failed.stderr).toContain("set here but not passed on. To pass: --secret DEMO_TOKEN");
    const granted = await sandbox.skillet(run(...ALLOW, "--secret", "DEMO_TOKEN"), { environment });
    expect(granted).toMatchObject({ exitCode: 0 });
    expect(granted.stdout).toMatch(/^token: (?!none).*, other: none\n$/);
    expect(granted.stdout).not.toContain("s3cret");
    const { document } = await sandbox.json(run(...ALLOW, "--secret", "DEMO_TOKEN"), { environment });
    expect(JSON.stringify(document)).not.toContain("s3cret");
  });

  test("that the skill does not declare are not passed to it", async () => {
    const sandbox = withScript("env", DECLARED);
    const { exitCode, stdout, stderr } = await sandbox.skillet(run(...ALLOW, "--secret", "OTHER"), {
      environment,
    });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "error: demo does not declare the variable OTHER.\n  It declares: DEMO_TOKEN\n  If it needs OTHER, its SKILL.md has to say so: required-environment-variables: [OTHER]\n",
    });
  });

  test("that a failed script names and that are set here are named, without advice to pass them", async () => {
    const sandbox = withScript("echo set OTHER_TOKEN >&2; exit 3");
    const { stderr } = await sandbox.skillet(run(...ALLOW), { environment: { OTHER_TOKEN: "not-declared" } });
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("OTHER_TOKEN, which is set here, but was not passed on");
    expect(stderr).not.toMatch(/not-declared|--secret/);
    expect((await sandbox.skillet(run(...ALLOW))).stderr).not.toContain("passed on");
  });

  test("that a skill can do without reach it too when they are granted", async () => {
    const header = "metadata:\n  openclaw:\n    requires: {env: [{name: DEMO_TOKEN, optional: true}]}\n";
    const sandbox = withScript(`echo "\${#DEMO_TOKEN}"`, header);
    expect((await sandbox.skillet(run(...ALLOW), { environment })).stdout).toBe("0\n");
    const granted = await sandbox.skillet(run(...ALLOW, "--secret", "DEMO_TOKEN"), { environment });
    expect(granted).toMatchObject({ exitCode: 0, stdout: "14\n" });
  });
});

describe.skipIf(!HAS_BUBBLEWRAP)("a rule that asks", () => {
  function asking(): Sandbox {
    const sandbox = withScript("echo ran");
    sandbox.write(
      "home/.skillet/config.yaml",
      "policy:\n  rules:\n    - { tool: run_skill_script, action: ask }\n",
    );
    return sandbox;
  }

  test("needs a yes, and without a terminal the flag that gives it", async () => {
    const sandbox = asking();
    const { exitCode, stdout, stderr } = await sandbox.skillet(run(...ALLOW));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(
      "  To confirm without being asked, run:\n    skillet run demo scripts/do.sh --allow demo:scripts/do.sh --yes\n",
    );
    expect(await sandbox.skillet(run(...ALLOW, "--yes"))).toMatchObject({ exitCode: 0, stdout: "ran\n" });
  });

  test.skipIf(!HAS_TERMINAL)("is asked on a terminal", async () => {
    const yes = await onTerminal(asking(), run(...ALLOW), "y\r");
    expect(yes.screen).toContain("Run it? [y/N]");
    expect(yes).toMatchObject({ exitCode: 0, screen: expect.stringContaining("\nran\n") });
    const no = await onTerminal(asking(), run(...ALLOW), "\r");
    expect(no.exitCode).toBe(1);
    expect(no.screen).not.toContain("\nran\n");
    expect(no.screen).toContain("script-denied");
  });

  test.skipIf(!HAS_TERMINAL)(
    "is answered by the one question about a script that is not listed",
    async () => {
      const yes = await onTerminal(asking(), run(), "y\r");
      expect(yes).toMatchObject({ exitCode: 0, screen: expect.stringContaining("\nran\n") });
      expect(yes.screen.match(/wants to run/g)).toHaveLength(1);
    },
  );
});

test.skipIf(!HAS_BUBBLEWRAP || !HAS_TERMINAL)(
  "on a terminal nothing that a script writes acts, and a last line says how it ran",
  async () => {
    const sandbox = withScript(
      `printf 'a\\033'; printf '[2J\\033[31mred\\033[0m\\r\\233x\\033]0;owned\\007'; printf '\\033[6nerr' >&2`,
    );
    const { exitCode, screen } = await onTerminal(sandbox, run(...ALLOW));
    expect(exitCode).toBe(0);
    expect(screen).toContain("a␛[2Jred\n\ufffdx␛]0;owned␇");
    expect(screen).toContain("␛[6nerr");
    expect(screen).toMatch(/\nbash in bubblewrap, \d+(\.\d)? m?s/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(screen).not.toMatch(/[\x1b\x07\x9b]/);
  },
);

function environmentOf({ home }: Sandbox): NodeJS.ProcessEnv {
  return { HOME: home, SKILLET_HOME: join(home, ".skillet"), PATH: process.env.PATH };
}

/** Runs the command with an input that stays open until it has ended. */
async function withOpenInput(
  sandbox: Sandbox,
  args: readonly string[],
  { interruptAt }: { readonly interruptAt?: string } = {},
): Promise<{ readonly exitCode: unknown; readonly stderr: string }> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: sandbox.project,
    env: environmentOf(sandbox),
    stdio: ["pipe", "ignore", "pipe"],
  });
  let stderr = "";
  let wasInterrupted = false;
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    // Once: a second time it would not be waited for the end.
    if (interruptAt === undefined || wasInterrupted || !stderr.includes(interruptAt)) return;
    wasInterrupted = true;
    child.kill("SIGINT");
  });
  const exitCode = await new Promise((resolve) => child.once("exit", resolve));
  child.stdin.destroy();
  return { exitCode, stderr };
}

function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8");
      } catch (error) {
        // It ended while the list was read.
        if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
        throw error;
      }
    });
}
