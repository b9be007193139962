import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScriptOutcome, ScriptRefusal } from "@skillet/core";
import { bundleSource } from "../../../../kit/src/testing/bundle-source.ts";
import type { EscapeRequest } from "./escape-driver.ts";
import type { RaceRequest, RaceResult } from "./race-driver.ts";

/** Whoever runs the attack: root, or somebody without rights. */
export type Identity = "root" | "an ordinary user";

const ORDINARY = 1001;

/** A place to attack from: a workspace, and beside it a secret that the script was not given. */
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
    // Not below the tests' own folder, which an ordinary user may not be able to enter.
    const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-escape-")));
    const attacker = new Attacker(root, identity);
    for (const folder of ["workspace", "home", "outside", "driver"])
      mkdirSync(join(root, folder), { mode: 0o755 });
    writeFileSync(attacker.secretFile, "TOP-SECRET\n", { mode: 0o644 });
    // Bundled, since an ordinary user may not be able to read the repository.
    await bundleSource(
      join(root, "driver"),
      "run/src/escape/testing/escape-driver.ts",
      "run/src/escape/testing/race-driver.ts",
    );
    spawnSync("chmod", ["-R", "a+rX", root]);
    attacker.own(root);
    for (const folder of ["workspace", "home", "outside"]) attacker.own(join(root, folder));
    return attacker;
  }

  /** Gives a file to the identity. */
  own(path: string): void {
    if (this.#uid !== undefined) chownSync(path, this.#uid, this.#uid);
  }

  /** A process of the identity that the attack may try to read, end or trace; it holds a secret. */
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

  /** Runs a Python program as a skill's script and gives what came of it. */
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
    const text = await this.#run("escape-driver", request);
    const outcome: ScriptOutcome | ScriptRefusal = JSON.parse(text);
    if (outcome.status === "refused") throw new Error(`${outcome.code}: ${outcome.message}`);
    return outcome;
  }

  /** Runs a script over and over while somebody swaps one of its files, and counts what came of it. */
  async race(request: Omit<RaceRequest, "home" | "workspace">): Promise<RaceResult> {
    const { home, workspace } = this;
    return JSON.parse(await this.#run("race-driver", { home, workspace, ...request }));
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #as(): { uid?: number; gid?: number } {
    return this.#uid === undefined ? {} : { uid: this.#uid, gid: this.#uid };
  }

  #run(driver: string, request: object): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(this.root, "driver", `${driver}.js`)], {
        cwd: this.root,
        stdio: ["pipe", "pipe", "pipe"],
        env: { PATH: "/usr/bin:/bin", HOME: this.home, DRIVER_SECRET: "DRIVER-SECRET" },
        ...this.#as(),
      });
      const out: Buffer[] = [];
      const problems: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => problems.push(chunk));
      child.once("error", reject);
      child.once("close", (code, signal) => {
        if (code === 0) resolve(Buffer.concat(out).toString());
        else reject(new Error(`The driver ended with ${code ?? signal}: ${Buffer.concat(problems)}`));
      });
      child.stdin.end(JSON.stringify(request));
    });
  }
}
