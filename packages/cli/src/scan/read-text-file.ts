import { basename, dirname } from "node:path";
import { LocalSource } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";

/** The text of a file that a command line names, through the file gate; throws where it is longer than the bound. */
export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  const { bytes, truncated } = await new LocalSource(dirname(path)).read(basename(path), { maxBytes });
  if (truncated)
    throw new SkilletError("file-too-large", `${path} has more than ${maxBytes} bytes.`, {
      data: { path, maxBytes },
    });
  return new TextDecoder().decode(bytes);
}
