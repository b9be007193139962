import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { BRIDGE_FAILED_EXIT_CODE, bridgeArguments, proxyEnvironment } from "./bridge-arguments.ts";
import type { NetworkGrant } from "./network-grant.ts";
import { type NetworkService, serveNetwork } from "./serve-network.ts";
import { listen } from "./testing/channel-pair.ts";

const NAMESPACE = ["--unshare-net", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--"];
// The least that a run may be given.
const MEMORY = ["prlimit", "--data=268435456"];

const worksHere = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const namespaces = worksHere("bwrap", ...NAMESPACE, ...MEMORY, "true");
if (!namespaces) console.warn("skipped: the bridge needs bubblewrap with network namespaces, and prlimit");

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface BridgeRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly service: NetworkService;
}

interface BridgeOptions {
  readonly grants?: readonly NetworkGrant[];
  readonly before?: readonly string[];
  readonly onService?: (service: NetworkService, child: ChildProcess) => void;
}

/** Runs a program behind the bridge, in a network namespace of its own. */
async function behindBridge(argv: readonly string[], options: BridgeOptions = {}): Promise<BridgeRun> {
  const program = [...MEMORY, ...(options.before ?? []), process.execPath, ...bridgeArguments(3), ...argv];
  const child = spawn("bwrap", [...NAMESPACE, ...program], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...proxyEnvironment() },
  });
  const service = serveNetwork(child.stdio[3] as Duplex, options.grants ?? []);
  closing.push(() => {
    service.close();
    child.kill("SIGKILL");
  });
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (bytes: Buffer) => {
    stdout += String(bytes);
  });
  child.stderr?.on("data", (bytes: Buffer) => {
    stderr += String(bytes);
  });
  options.onService?.(service, child);
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exitCode, stdout, stderr, service };
}

async function lengthServer(): Promise<number> {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => response.end(`${request.method} ${request.url} ${bytes}`));
  });
  closing.push(() => server.close());
  return listen(server);
}

const node = (code: string): string[] => [process.execPath, "-e", code];

describe.skipIf(!namespaces)("a script behind the bridge", () => {
  test("cannot open a debugger on the bridge", async () => {
    const run = await behindBridge(
      node(`
        const { connect } = require("node:net");
        process.kill(process.ppid, "SIGUSR1");
        // Asked until the bridge, which answers on its own port, has had many turns to open another.
        const ask = (left) => {
          const plug = connect(9229, "127.0.0.1", () => { console.log("opened"); process.exit(); });
          plug.on("error", () => connect(3128, "127.0.0.1", function () { this.destroy(); if (left > 0) ask(left - 1); }));
        };
        ask(200);
      `),
    );
    expect(run).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test.skipIf(!worksHere("curl", "--version"))(
    "reaches what is granted and nothing else, with curl",
    async () => {
      const port = await lengthServer();
      const run = await behindBridge(
        [
          "sh",
          "-c",
          `curl -sS http://localhost:${port}/granted; echo
         curl -sS --data-binary @/proc/self/exe -o /dev/null -w '%{http_code}\\n' http://localhost:${port}/
         curl -sS -p http://localhost:${port}/tunnel; echo
         curl -sS http://127.0.0.1:${port}/
         curl -sS http://169.254.169.254/latest/meta-data
         curl -sS --noproxy '*' http://localhost:${port}/; echo "direct $?"
         curl -sS --noproxy '*' --connect-timeout 2 http://192.0.2.1/; echo "outside $?"`,
        ],
        { grants: [{ host: "localhost", port }] },
      );
      expect(run.stdout.split("\n")).toEqual([
        "GET /granted 0",
        "200",
        "GET /tunnel 0",
        `Skillet: 127.0.0.1:${port} is not granted. It needs the grant "127.0.0.1:${port}".`,
        'Skillet: 169.254.169.254:80 is not granted. It needs the grant "169.254.169.254".',
        "direct 7",
        "outside 7",
        "",
      ]);
      expect(run.exitCode).toBe(0);
      expect(run.service.refusals.map(({ host }) => host)).toEqual(["127.0.0.1", "169.254.169.254"]);
    },
  );

  test.skipIf(!worksHere("/usr/bin/python3", "-c", ""))("is served when it is Python that asks", async () => {
    const port = await lengthServer();
    const code = `
import urllib.request, urllib.error
print(urllib.request.urlopen("http://localhost:${port}/a", data=b"x" * 300000).read().decode())
try:
    urllib.request.urlopen("https://denied.test/")
except urllib.error.URLError as error:
    print(error.reason)`;
    const run = await behindBridge(["/usr/bin/python3", "-c", code], {
      grants: [{ host: "localhost", port }],
    });
    expect([run.stdout, run.stderr]).toEqual([
      "POST /a 300000\nTunnel connection failed: 403 Forbidden\n",
      "",
    ]);
  });

  test("can have more connections at once than the channel carries; the rest wait", async () => {
    const port = await lengthServer();
    const ask = `
      const ask = (path) => new Promise((resolve, reject) => require("http").get(
        { port: 3128, path: "http://localhost:${port}/" + path }, (response) => {
          response.setEncoding("utf8").on("data", resolve);
        }).on("error", reject));
      Promise.all(Array.from({ length: 200 }, (_, index) => ask(index))).then((all) => console.log(all.join(";")));`;
    const run = await behindBridge(node(ask), { grants: [{ host: "localhost", port }] });
    expect(run.stdout).toBe(`${Array.from({ length: 200 }, (_, index) => `GET /${index} 0`).join(";")}\n`);
    expect(run.stderr).toBe("");
  });

  test("does not have the channel, and ends the bridge with its own end", async () => {
    const listed = await behindBridge(["sh", "-c", "test -e /proc/self/fd/3 && echo there; exit 7"]);
    expect([listed.exitCode, listed.stdout, listed.stderr]).toEqual([7, "", ""]);
    expect((await behindBridge(["sh", "-c", "kill -TERM $$"])).exitCode).toBe(128 + 15);
    const arguments_ = await behindBridge([
      ...node("console.log(process.argv.slice(1))"),
      "--",
      "-e",
      "a b",
      "--",
    ]);
    expect(arguments_.stdout).toBe("[ '-e', 'a b', '--' ]\n");
  });

  test("takes its children and open connections with it when it ends", async () => {
    const port = await lengthServer();
    const code = `
      require("net").connect(3128, "127.0.0.1", function () {
        this.write("CONNECT localhost:${port} HTTP/1.1\\r\\n\\r\\n");
        this.once("data", () => {
          require("child_process").spawn("sleep", ["1000"], { stdio: "inherit", detached: true });
          process.exit(3);
        });
      });`;
    const run = await behindBridge(node(code), { grants: [{ host: "localhost", port }] });
    expect(run.exitCode).toBe(3);
  });

  test("goes on without a network when the proxy is gone", async () => {
    const code = `
      const ask = () => require("net").connect(3128, "127.0.0.1").resume().on("error", () => {}).on("close", () => {
        console.log("closed");
        process.exit(5);
      });
      ask();`;
    const run = await behindBridge(node(code), { onService: (service) => service.close() });
    expect([run.exitCode, run.stdout]).toEqual([5, "closed\n"]);
  });

  test("is not started when the bridge cannot listen, or has no channel", async () => {
    const taken = `require("net").createServer().listen(3128, "127.0.0.1", () => {
      const [program, ...args] = process.argv.slice(1);
      require("child_process").spawn(program, args, { stdio: ["inherit", "inherit", "inherit", 3] })
        .on("exit", (code) => process.exit(code));
    })`;
    const run = await behindBridge(["echo", "started"], { before: [...node(taken), "--"] });
    expect([run.exitCode, run.stdout]).toEqual([BRIDGE_FAILED_EXIT_CODE, ""]);
    expect(run.stderr).toMatch(/^skillet: the network bridge could not listen: .*EADDRINUSE/);
    const without = await behindBridge(["echo", "started"], {
      before: ["sh", "-c", 'exec 3>&-; exec "$@"', "sh"],
    });
    expect([without.exitCode, without.stdout]).toEqual([BRIDGE_FAILED_EXIT_CODE, ""]);
    expect(without.stderr).toMatch(/^skillet: the network bridge has no channel: /);
  });

  test("that does not exist is reported as a shell would", async () => {
    const run = await behindBridge(["no-such-program"]);
    expect([run.exitCode, run.stderr]).toEqual([
      127,
      "skillet: no-such-program could not be started: spawn no-such-program ENOENT\n",
    ]);
  });
});

test("a descriptor that Node would hand on to the script is refused", () => {
  for (const descriptor of [-1, 0, 2, 16, 3.5, Number.NaN])
    expect(() => bridgeArguments(descriptor)).toThrow("pass one from 3 to 15");
  expect(bridgeArguments(15).slice(-2)).toEqual(["--", "15"]);
});

test("the bridge's text needs nothing from around it", () => {
  const code = bridgeArguments(3).find((argument) => argument.includes("multiplex")) ?? "";
  expect(code).not.toMatch(/__vi_|import\(|require\(/);
  expect(code.length).toBeLessThan(32_000);
});
