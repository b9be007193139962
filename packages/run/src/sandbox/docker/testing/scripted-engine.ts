import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";

/** The parts of a container request that this engine or an assertion reads. */
export interface ContainerSpec {
  readonly Image: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly OpenStdin: boolean;
  readonly HostConfig: {
    readonly Mounts: object[];
    readonly VolumesFrom?: readonly string[];
    readonly UsernsMode?: string;
  };
}

export interface AskedRequest {
  /** `POST /containers/NAME/start`: without the version, and with containers numbered by creation. */
  readonly ask: string;
  readonly version: string;
  readonly json: ContainerSpec | undefined;
}

interface MadeContainer {
  readonly name: string;
  readonly spec: ContainerSpec;
  /** Where its volume is on this machine. */
  readonly volume: string;
  streams?: Duplex;
  child?: ChildProcess;
  state: { Status: string; ExitCode: number; OOMKilled: boolean };
  readonly ended: Promise<void>;
  end(exitCode: number): void;
}

type Answer = (response: ServerResponse, request: IncomingMessage, engine: ScriptedEngine) => void;

export const IMAGE_ID = "sha256:1d";

export const HELD: readonly string[] = [
  "skill denied",
  "system denied",
  "connection none",
  "Uid 1000",
  "NoNewPrivs 1",
  "Seccomp 2",
  "CapEff 0000000000000000",
  "memory 1073741824",
  "pids 128",
  "version v22.18.0",
  "program-node /opt/node/bin/node",
  "program-sh /bin/sh",
  "done",
];

export function frame(stream: 0 | 1 | 2 | 3, bytes: Uint8Array | string, claimed?: number): Buffer {
  const content = Buffer.from(bytes);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(claimed ?? content.length, 4);
  return Buffer.concat([header, content]);
}

/**
 * The part of an engine's API that the sandbox uses, on a real socket. Scripts run as plain processes, with
 * the uploaded files in place of `/skill`; the survey of the image is answered with `survey`.
 */
export class ScriptedEngine {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), "skillet-engine-")));
  readonly requests: AskedRequest[] = [];
  readonly containers: Map<string, MadeContainer> = new Map();
  headers: Record<string, string> = { "Api-Version": "1.43", Ostype: "linux" };
  info: object = { SecurityOptions: ["name=seccomp,profile=builtin"], CpuCfsQuota: true };
  image: object | undefined = { Id: IMAGE_ID };
  /** Absent: the survey is run like a script. */
  survey: readonly string[] | undefined = HELD;
  /** Precedes every program that is run. */
  wrapper: readonly string[] = [];
  left: readonly object[] = [];
  /** Replacement answers, by the beginning of the request, such as `POST /containers/1/start`. */
  readonly answers: Map<string, Answer> = new Map();
  /** Called for every request, before the engine's own answer. */
  onAsk: ((ask: string) => void) | undefined;
  /** Requests for containers whose client did not wait for the answer. */
  readonly hungUp: string[] = [];
  /** Replaces running a script. */
  play: ((container: MadeContainer) => void) | undefined;
  /** Whether it upgrades connections to streams. */
  upgrades = true;
  readonly #names = new Map<string, string>();
  #server: Server | undefined;
  readonly #sockets = new Set<Duplex>();

  listensAt: string = join(this.folder, "engine.sock");

  async start(): Promise<string> {
    mkdirSync(dirname(this.listensAt), { recursive: true });
    const server = createServer((request, response) => void this.#take(request, response));
    server.on("upgrade", (request, socket) => this.#attach(request, socket));
    server.on("connection", (socket) => this.#sockets.add(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.listensAt, resolve));
    return `unix://${this.listensAt}`;
  }

  async stop(): Promise<void> {
    for (const { child } of this.containers.values()) child?.kill("SIGKILL");
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The requests, without the first look at the engine and its image. */
  asked(from = "POST /containers/create"): string[] {
    const all = this.requests.map(({ ask }) => ask);
    return all.slice(all.findIndex((ask) => ask.startsWith(from)));
  }

  specs(): ContainerSpec[] {
    return this.requests
      .filter(({ ask }) => ask.startsWith("POST /containers/create"))
      .flatMap(({ json }) => json ?? []);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ask = this.#note(request);
    const answer = [...this.answers].find(([start]) => ask.startsWith(start))?.[1];
    const chunks: Buffer[] = [];
    if (answer !== undefined) {
      this.requests.push({ ask, version: versionOf(request), json: undefined });
      answer(response, request, this);
      return;
    }
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isJson = request.headers["content-type"] === "application/json";
    const json = isJson ? JSON.parse(body.toString()) : undefined;
    this.requests.push({ ask, version: versionOf(request), json });
    await this.#reply(ask, { json, body }, response);
  }

  async #reply(
    ask: string,
    { json, body }: { readonly json: unknown; readonly body: Buffer },
    response: ServerResponse,
  ): Promise<void> {
    const say = (status: number, value?: object): void => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(value === undefined ? undefined : JSON.stringify(value));
    };
    const [, name = "", act = ""] = /^\S+ \/containers\/([\w-]+)(?:\/(\w+))?/.exec(ask) ?? [];
    const container = [...this.containers.values()].find((one) => this.#names.get(one.name) === name);
    if (ask === "GET /_ping") {
      response.writeHead(200, this.headers);
      response.end("OK");
    } else if (ask === "GET /info") say(200, this.info);
    else if (ask.startsWith("GET /images/"))
      this.image === undefined ? say(404, { message: "No such image" }) : say(200, this.image);
    else if (ask.startsWith("GET /containers/json")) say(200, this.left);
    else if (ask.startsWith("POST /containers/create")) {
      // Time to notice that the client is gone, which does not keep a real engine from making the container.
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      if (response.destroyed) this.hungUp.push(ask);
      this.#create(ask, json as ContainerSpec, say);
    } else if (ask.startsWith("DELETE /containers/")) this.#remove(container, say);
    else if (container === undefined) say(404, { message: "No such container" });
    else if (act === "archive") {
      execFileSync("tar", ["-x", "-C", container.volume], { input: body });
      say(200);
    } else if (act === "start") {
      say(204);
      this.#run(container);
    } else if (act === "wait") {
      await container.ended;
      say(200, { StatusCode: container.state.ExitCode });
    } else say(200, { State: container.state });
  }

  #create(ask: string, spec: ContainerSpec, say: (status: number, value: object) => void): void {
    const name = this.#fullName(ask);
    const from = spec.HostConfig.VolumesFrom?.[0]?.replace(/:ro$/, "");
    const volume = this.containers.get(from ?? "")?.volume ?? mkdtempSync(join(this.folder, "volume-"));
    let resolve: () => void = () => undefined;
    const ended = new Promise<void>((end) => {
      resolve = end;
    });
    const container: MadeContainer = {
      name,
      spec,
      volume,
      ended,
      state: { Status: "created", ExitCode: 0, OOMKilled: false },
      end: (exitCode) => {
        container.state = { ...container.state, Status: "exited", ExitCode: exitCode };
        container.streams?.end();
        resolve();
      },
    };
    this.containers.set(name, container);
    say(201, { Id: name, Warnings: null });
  }

  #remove(container: MadeContainer | undefined, say: (status: number, value?: object) => void): void {
    container?.child?.kill("SIGKILL");
    if (container !== undefined) container.end(137);
    this.containers.delete(container?.name ?? "");
    say(container === undefined ? 404 : 204);
  }

  #run(container: MadeContainer): void {
    const { spec } = container;
    if (spec.Cmd[0] === "/skill/survey.sh" && this.survey !== undefined) {
      container.streams?.write(frame(1, `${this.survey.join("\n")}\n`));
      container.end(0);
    } else if (this.play !== undefined) this.play(container);
    else this.#startProcess(container);
  }

  #startProcess(container: MadeContainer): void {
    const { spec, volume } = container;
    const here = (text: string): string =>
      text.replace(/^\/skill(?=\/|$)/, volume).replace(/^\/run\/skillet(?=\/)/, join(this.folder, "private"));
    const cwd = here(spec.WorkingDir);
    mkdirSync(cwd, { recursive: true });
    const [program = "", ...args] = [...this.wrapper, ...[...spec.Entrypoint, ...spec.Cmd].map(here)];
    const env = Object.fromEntries(
      spec.Env.map((variable) => /^([^=]+)=(.*)$/s.exec(variable)?.slice(1) ?? []),
    );
    const child = spawn(program, args, { cwd, env: { ...env, SKILL_DIR: volume } });
    container.child = child;
    container.state.Status = "running";
    child.stdout.on("data", (bytes) => container.streams?.write(frame(1, bytes)));
    child.stderr.on("data", (bytes) => container.streams?.write(frame(2, bytes)));
    if (spec.OpenStdin) container.streams?.pipe(child.stdin);
    else child.stdin.end();
    child.once("close", (code, signal) => container.end(code ?? (signal === "SIGKILL" ? 137 : 143)));
  }

  #attach(request: IncomingMessage, socket: Duplex): void {
    const ask = this.#note(request);
    this.requests.push({ ask, version: versionOf(request), json: undefined });
    socket.on("error", () => undefined);
    if (!this.upgrades) {
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const container = [...this.containers.values()].find(({ name }) => request.url?.includes(`/${name}/`));
    socket.write(
      "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n",
    );
    if (container !== undefined) container.streams = socket;
  }

  /** Replaces the random names with numbers, for tests. */
  #note(request: IncomingMessage): string {
    const path = (request.url ?? "").replace(/^\/v[\d.]+(?=\/)/, "");
    const shown = path.replace(/skillet-[0-9a-f]{24}(-files)?/g, (name, files = "") => {
      const base = name.replace(/-files$/, "");
      const number = this.#names.get(base) ?? String(new Set(this.#names.values()).size / 2 + 1);
      this.#names.set(base, number);
      this.#names.set(`${base}-files`, `${number}-files`);
      return `${number}${files}`;
    });
    this.onAsk?.(`${request.method} ${shown}`);
    return `${request.method} ${shown}`;
  }

  #fullName(ask: string): string {
    const [, shown] = /name=([\w-]+)/.exec(ask) ?? [];
    return [...this.#names].find(([, number]) => number === shown)?.[0] ?? "";
  }
}

function versionOf({ url = "" }: IncomingMessage): string {
  return /^\/v([\d.]+)\//.exec(url)?.[1] ?? "";
}
