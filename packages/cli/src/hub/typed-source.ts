import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext } from "../command-context.ts";
import { shellQuote } from "../ui/shell-quote.ts";

/**
 * What somebody typed as a source: the name of an archive that lies here means that file.
 *
 * Only a bare name, which is no source otherwise: with a slash it could be a repository, and a folder of a clone must not
 * come before that.
 */
export function typedSource(text: string, { workspace }: Pick<CommandContext, "workspace">): string {
  const isBare = /^[^/\\:@~.-][^/\\:@]*\.(?:skill|zip|tar\.gz|tgz)$/i.test(text);
  if (!isBare) return text;
  const isFile = statSync(resolve(workspace, text), { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? `./${text}` : text;
}

/** Adds how a skill of an address is picked, where its name was written behind `@` alone and nothing was found there. */
export async function withPickHint<T>(source: string, plan: () => Promise<T>): Promise<T> {
  try {
    return await plan();
  } catch (error) {
    const written = PICKED_ADDRESS.exec(source);
    // Only where something was looked for: an address that was refused before may hold a password, and is not repeated.
    const isLookedFor = SkilletError.isInstance(error) && /^(?:git|http|index)-/.test(error.code);
    if (!isLookedFor || written === null) throw error;
    const [, place = "", name = ""] = written;
    const message = `${error.message} To pick ${name} of an address, write ${shellQuote(`${place}#@${name}`)}, or pass --skill ${name}.`;
    throw new SkilletError(error.code, message, { data: error.data, cause: error });
  }
}

const PICKED_ADDRESS = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^#@]*\/[^#@]*)@([\p{L}\p{N}_][\p{L}\p{N}._:-]*)$/u;
