import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Why no server can run here; undefined if one can. */
export function httpBackendMissing(): string | undefined {
  const path = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
  return existsSync(path) ? undefined : `${path} is not installed`;
}

/** May answer a request itself; returns true to keep it from git. */
export type Interceptor = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Serves the repositories of a folder on loopback with git's own backend. */
export class GitHttpServer {
  readonly port: number;
  /** Method, path and login of each request. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[] = [];
  intercept: Interceptor = () => false;
  readonly #server: Server;
  readonly #children = new Set<ChildProcess>();

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(root: string): Promise<GitHttpServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const own = new GitHttpServer(server);
    server.on("request", (request, response) => own.#serve(root, request, response));
    return own;
  }

  url(name: string): string {
    return `http://127.0.0.1:${this.port}/${name}`;
  }

  async stop(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(root: string, request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://localhost");
    this.requests.push({
      line: `${request.method} ${url.pathname}${url.search}`,
      authorization: request.headers.authorization,
    });
    if (this.intercept(request, response)) return;
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_CONFIG_NOSYSTEM: "1",
        HOME: "/nonexistent",
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: request.headers["git-protocol"] as string | undefined,
        REMOTE_ADDR: "127.0.0.1",
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#children.add(child);
    child.on("exit", () => this.#children.delete(child));
    child.stdin?.on("error", () => request.unpipe());
    request.pipe(child.stdin as NodeJS.WritableStream);
    relay(child, response);
  }
}

/** Turns the response of a CGI program into an HTTP response. */
function relay(child: ChildProcess, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  let hasHead = false;
  child.stdout?.on("data", (chunk: Buffer) => {
    if (hasHead) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    hasHead = true;
    for (const line of head.subarray(0, end).toString("latin1").split("\r\n")) {
      const [name = "", value = ""] = line.split(/: (.*)/s);
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.stdout?.on("end", () => response.end());
}
