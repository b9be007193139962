import { SkilletError } from "@skillet/kit/errors";
import type { HubLimits } from "../hub-limits.ts";

/** Counts what is read from one source against its limits. */
export class ReadBudget {
  readonly #limits: HubLimits;
  #bytes = 0;

  constructor(limits: HubLimits) {
    this.#limits = limits;
  }

  /** Takes the bytes of one file, or throws the limit that they exceed. */
  take(path: string, bytes: number): void {
    const { maxFileBytes, maxUnpackedBytes } = this.#limits;
    if (bytes > maxFileBytes)
      throw tooLarge(
        `${JSON.stringify(path)} has ${bytes} bytes; at most ${maxFileBytes} are read of a file.`,
        {
          limit: "maxFileBytes",
          path,
        },
      );
    this.#bytes += bytes;
    if (this.#bytes > maxUnpackedBytes)
      throw tooLarge(`More than ${maxUnpackedBytes} bytes would be read from one source.`, {
        limit: "maxUnpackedBytes",
        path,
      });
  }
}

/** What a source throws that has more than its limits let through. */
export function tooLarge(
  message: string,
  data: { readonly limit: string; readonly path?: string },
): SkilletError {
  return new SkilletError("source-too-large", `${message} Name a smaller source or a folder of it.`, {
    data: { ...data },
  });
}
