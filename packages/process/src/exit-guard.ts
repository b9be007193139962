import type { ProcessTree } from "./process-tree.ts";

const running = new Set<ProcessTree>();

/** Ends a tree if this process ends first, by `process.exit` or an uncaught error; returns the way to stop guarding. */
export function guardAtExit(tree: ProcessTree): () => void {
  if (running.size === 0) process.on("exit", killRunning);
  running.add(tree);
  return () => {
    running.delete(tree);
    if (running.size === 0) process.off("exit", killRunning);
  };
}

function killRunning(): void {
  for (const tree of running) tree.kill();
}
