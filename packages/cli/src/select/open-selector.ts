import type { Selector, Skills } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import { createCountLine } from "../eval/count-line.ts";

/** Opens the selector of a registry; who waits at a terminal sees how far its index is. */
export async function openSelector(context: CommandContext, skills: Skills): Promise<Selector> {
  const line = createCountLine(context, "Reading skills for the index");
  try {
    return await skills.selector({ onProgress: line.show });
  } finally {
    line.clear();
  }
}
