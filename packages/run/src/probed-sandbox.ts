import { defaultSandbox } from "./default-sandbox.ts";
import type { Sandbox, SandboxProbe } from "./sandbox/sandbox.ts";

/** A sandbox that has proved itself before anything runs in it. */
export class ProbedSandbox {
  readonly #given: Sandbox | undefined;
  #ready: Promise<{ readonly sandbox?: Sandbox; readonly probe: SandboxProbe }> | undefined;

  readonly #distrusted: readonly string[];

  /** `distrusted` are the folders that scripts may write: nothing from there is started for the proof. */
  constructor(given: Sandbox | undefined, distrusted: readonly string[] = []) {
    this.#given = given;
    this.#distrusted = distrusted;
  }

  async probe(): Promise<SandboxProbe> {
    return (await this.open()).probe;
  }

  /** The sandbox and its proof; without a sandbox, why there is none. */
  async open(): Promise<{ readonly sandbox?: Sandbox; readonly probe: SandboxProbe }> {
    this.#ready ??= this.#open();
    const ready = this.#ready;
    try {
      const opened = await ready;
      // Asked again the next time: somebody may have installed what was missing.
      if (!opened.probe.ok) this.#forget(ready);
      return opened;
    } catch (error) {
      this.#forget(ready);
      throw error;
    }
  }

  #forget(ready: Promise<unknown>): void {
    if (this.#ready === ready) this.#ready = undefined;
  }

  async #open(): Promise<{ readonly sandbox?: Sandbox; readonly probe: SandboxProbe }> {
    const sandbox = this.#given ?? (await defaultSandbox());
    if (sandbox === undefined)
      return { probe: { ok: false, reason: `there is no sandbox for ${process.platform} yet` } };
    const probe = await sandbox.probe(this.#distrusted);
    return probe.ok ? { sandbox, probe } : { probe };
  }
}
