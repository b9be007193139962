import type { ScriptRunner } from "@skillet/core";
import type { ReadInput } from "../command-context.ts";

/**
 * A runner whose scripts get what is piped into the command.
 *
 * It is read once nothing stands against a script any more: whoever is refused must not wait for the end of an input.
 */
export function withPipedInput(
  runner: ScriptRunner,
  { read, onWait }: { readonly read: ReadInput; readonly onWait: (notice: string) => void },
): ScriptRunner {
  return {
    allow: runner.allow,
    prepare: async (...given) => {
      const prepared = await runner.prepare(...given);
      if ("status" in prepared) return prepared;
      return {
        ...prepared,
        run: async (call) => {
          const { signal } = call;
          const stdin = await read({ onWait, ...(signal && { signal }) });
          return prepared.run({ ...call, ...(stdin !== undefined && stdin.length > 0 && { stdin }) });
        },
      };
    },
  };
}
