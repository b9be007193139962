import { bunDefaults, denoDefaults } from "./runtime-of-command.ts";
import type { RuntimeCandidate, RuntimePlan } from "./runtime-plan.ts";

const SHELLS = ["sh", "bash", "ksh", "zsh"];
const JAVASCRIPT = ["node", "deno", "bun"];

const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map([
  [".sh", SHELLS],
  [".bash", ["bash"]],
  [".py", ["python", "uv"]],
  [".js", JAVASCRIPT],
  [".mjs", JAVASCRIPT],
  [".cjs", JAVASCRIPT],
  [".ts", JAVASCRIPT],
  [".mts", JAVASCRIPT],
  [".cts", JAVASCRIPT],
  [".rb", ["ruby"]],
  [".pl", ["perl"]],
]);

/** What follows the last dot of a file's name, with the dot. */
export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot).toLowerCase();
}

/** The runtimes that an ending stands for. */
export function familyOfEnding(path: string): readonly string[] | undefined {
  return FAMILIES.get(endingOf(path));
}

/** What a script without a first line is run with. */
export function candidatesByEnding(
  path: string,
  network: "granted" | "none",
): RuntimePlan["candidates"] | undefined {
  const plain = (runtime: string, interpreter: string = runtime): RuntimeCandidate => ({
    runtime,
    interpreter,
    flags: [],
  });
  switch (endingOf(path)) {
    // Most were written for bash, and what was written for sh runs there too.
    case ".sh":
      return [plain("bash"), plain("sh")];
    case ".bash":
      return [plain("bash")];
    case ".py":
      return [plain("python", "python3"), plain("python", "python")];
    case ".js":
    case ".mjs":
    case ".cjs":
      return [plain("node")];
    case ".ts":
    case ".mts":
    case ".cts":
      return [
        { ...plain("node"), needs: "type-stripping" },
        // The others know no permissions; the sandbox is what holds any of the three.
        { runtime: "deno", interpreter: "deno", flags: [...denoDefaults(network), "--allow-all"] },
        // Last, because it can be used in the skill's folder alone.
        { runtime: "bun", interpreter: "bun", flags: bunDefaults(network), onlyIn: "skill" },
      ];
    case ".rb":
      return [plain("ruby")];
    case ".pl":
      return [plain("perl")];
    default:
      return undefined;
  }
}
