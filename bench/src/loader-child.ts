import { OWN_LOADERS } from "./loaders/own-loaders.ts";
import { PEERS } from "./loaders/peers.ts";
import type { Turn } from "./measure/loader-process.ts";

const [name, root, workDirectory, build] = process.argv.slice(2);
const loader = [...OWN_LOADERS, ...PEERS].find((candidate) => candidate.name === name);
if (loader === undefined || root === undefined || workDirectory === undefined || build === undefined)
  throw new TypeError("Usage: loader-child NAME LIBRARY WORK_DIRECTORY CHECKOUT");

const run = await loader.open({ root, workDirectory, build });

process.on("message", async () => {
  if (loader.runsTwice) await run();
  const turn: Turn = { ...(await run()), peakBytes: process.resourceUsage().maxRSS * 1024 };
  process.send?.(turn);
});
