import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The user that test registries know. */
export const PUBLISHER = { username: "publisher", password: "correct horse" } as const;
const HTPASSWD = "publisher:$2y$05$D369L7g14AhvwszPXT3TNO/GZIRQLwwZ8VEzhMPgvA6mulCt4Pwgm";

/** Why no test registry can run here; undefined if one can. */
export function dockerRegistryMissing(): string | undefined {
  const { error } = spawnSync("docker-registry", ["--version"], { stdio: "ignore" });
  return error === undefined ? undefined : "docker-registry is not installed";
}

/** A real registry on loopback, with a folder of its own. */
export class DockerRegistry {
  readonly host: string;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(host: string, folder: string, process: ChildProcess) {
    this.host = host;
    this.#folder = folder;
    this.#process = process;
  }

  static async start(
    access: "open" | "password" | { readonly realm: string; readonly certificate: string } = "open",
  ): Promise<DockerRegistry> {
    const folder = mkdtempSync(join(tmpdir(), "skillet-registry-"));
    writeFileSync(join(folder, "users"), `${HTPASSWD}\n`);
    const config = {
      version: "0.1",
      log: { accesslog: { disabled: true }, level: "info", formatter: "json" },
      storage: { filesystem: { rootdirectory: join(folder, "data") } },
      http: { addr: "127.0.0.1:0", secret: "for tests" },
      ...(access === "password" && { auth: { htpasswd: { realm: "tests", path: join(folder, "users") } } }),
      ...(typeof access === "object" && {
        auth: {
          token: {
            realm: access.realm,
            service: "tests",
            issuer: "tests",
            rootcertbundle: access.certificate,
          },
        },
      }),
    };
    // JSON is YAML.
    writeFileSync(join(folder, "config.yml"), JSON.stringify(config));
    const registry = spawn("docker-registry", ["serve", join(folder, "config.yml")], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const port = await Promise.race([portOf(registry.stdout), portOf(registry.stderr)]);
    return new DockerRegistry(`127.0.0.1:${port}`, folder, registry);
  }

  stop(): void {
    this.#process.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function portOf(stream: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = [];
  const lines = createInterface({ input: stream });
  const port = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      said.push(line);
      const [, found] = /listening on 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    lines.once("close", () => reject(new Error(`docker-registry ended: ${said.join("\n")}`)));
  });
  return port;
}
