import { mkdir } from "node:fs/promises";
import { errorCode, SkilletError } from "../errors.ts";

/** Creates Skillet's home for its owner alone; only writers call it, so that reading never creates anything. */
export async function ensureHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    const message = `Skillet's home ${home} could not be created (${code}); set SKILLET_HOME to a folder you can write.`;
    throw new SkilletError("home-unwritable", message, { data: { home, errno: code }, cause: error });
  }
}
