import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ScriptOutcome, ScriptRefusal } from "@skillet/core";
import { bundleSource } from "../../../../kit/src/testing/bundle-source.ts";
import type { EscapeRequest } from "./escape-driver.ts";
import type { RaceRequest, RaceResult } from "./race-driver.ts";

/** The user who runs the attack. */
export type Identity = "root" | "an ordinary user";

const ORDINARY = 1001;

/** A place to attack from: a workspace, and next to it a secret that the script was not given. */
export class Attacker {
  readonly root: string;
  readonly workspace: string;
  readonly secretFile: string;
  readonly home: string;
  readonly #uid: number | undefined;

  private constructor(root: string, identity: Identity) {
    this.root = root;
    this.workspace = join(root, "workspace");
    this.home = join(root, "home");
    this.secretFile = join(root, "outside", "secret.txt");
    this.#uid = identity === "root" || process.getuid?.() !== 0 ? undefined : ORDINARY;
  }

  static async open(identity: Identity): Promise<Attacker> {
    // Not inside the tests' own folder, which an ordinary user may not be able to enter.
    const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-escape-")));
    const attacker = new Attacker(root, identity);
    chmodSync(root, 0o755);
    for (const folder of ["workspace", "home", "outside"]) mkdirSync(join(root, folder), { mode: 0o755 });
    writeFileSync(attacker.secretFile, "TOP-SECRET\n", { mode: 0o644 });
    attacker.own(root);
    for (const folder of ["workspace", "home", "outside"]) attacker.own(join(root, folder));
    return attacker;
  }

  own(path: string): void {
    if (this.#uid !== undefined) chownSync(path, this.#uid, this.#uid);
  }

  /** Starts a process of the same user that the attack may try to read, kill or trace; it holds a secret. */
  startVictim(): { readonly pid: number; isAlive(): boolean; end(): void } {
    const child = spawn("sleep", ["300"], {
      stdio: "ignore",
      env: { PATH: "/usr/bin:/bin", VICTIM: "VICTIM-SECRET" },
      ...this.#as(),
    });
    return {
      pid: child.pid ?? -1,
      isAlive: () => child.exitCode === null && child.signalCode === null,
      end: () => child.kill("SIGKILL"),
    };
  }

  async attack(
    program: string,
    options: Partial<Omit<EscapeRequest, "files" | "workspace">> = {},
  ): Promise<ScriptOutcome> {
    const request: EscapeRequest = {
      sandbox: "bubblewrap",
      home: this.home,
      workspace: this.workspace,
      writable: [],
      network: [],
      limits: {},
      timeoutMs: 60_000,
      args: [],
      ...options,
      files: [
        ["scripts/attack.py", program],
        ["SKILL.md", "---\nname: attack\ndescription: Attacks.\n---\n"],
      ],
    };
    // Concurrent attacks come from different processes.
    const driver = idle.get(this.#uid)?.pop() ?? (await startDriver("escape-driver", this.home, this.#uid));
    const outcome: ScriptOutcome | ScriptRefusal = JSON.parse(await driver.ask(request));
    idle.set(this.#uid, [...(idle.get(this.#uid) ?? []), driver]);
    if (outcome.status === "refused") throw new Error(`${outcome.code}: ${outcome.message}`);
    return outcome;
  }

  /** Runs a script over and over while one of its files is swapped, and counts the results. */
  async race(request: Omit<RaceRequest, "home" | "workspace">): Promise<RaceResult> {
    const { home, workspace } = this;
    const driver = await startDriver("race-driver", home, this.#uid);
    const result = JSON.parse(await driver.ask({ home, workspace, ...request }));
    driver.end();
    return result;
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #as(): { uid?: number; gid?: number } {
    return this.#uid === undefined ? {} : { uid: this.#uid, gid: this.#uid };
  }
}

/** A process of one user that answers each request with one line. */
interface Driver {
  ask(request: object): Promise<string>;
  end(): void;
}

// Shared by all test files of a worker; a driver exits and removes its folder when the worker, which holds
// its standard input, exits.
const idle = new Map<number | undefined, Driver[]>();

async function startDriver(name: string, home: string, uid: number | undefined): Promise<Driver> {
  const folder = mkdtempSync(join(tmpdir(), "skillet-driver-"));
  await bundleDrivers(folder);
  if (uid !== undefined) chownSync(folder, uid, uid);
  const child = spawn(process.execPath, [join(folder, `${name}.js`), folder], {
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: "/usr/bin:/bin", HOME: home, DRIVER_SECRET: "DRIVER-SECRET" },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const problems: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => problems.push(chunk));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "close");
  return {
    ask: async (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await answers.next();
      if (done !== true) return value;
      const [code, signal] = await ended;
      throw new Error(`The driver ended with ${code ?? signal}: ${Buffer.concat(problems)}`);
    },
    end: () => child.stdin.end(),
  };
}

/** Bundles the drivers into a folder, since an ordinary user may not be able to read the repository. */
export async function bundleDrivers(folder: string): Promise<void> {
  const drivers = "run/src/escape/testing";
  await bundleSource(folder, `${drivers}/escape-driver.ts`, `${drivers}/race-driver.ts`);
  spawnSync("chmod", ["-R", "a+rX", folder]);
}
