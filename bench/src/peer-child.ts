import { PEERS } from "./peers/peers.ts";

const [name, root, workDirectory, runs] = process.argv.slice(2);
const peer = PEERS.find((candidate) => candidate.name === name);
if (peer === undefined || root === undefined || workDirectory === undefined) {
  throw new TypeError("Usage: peer-child NAME LIBRARY WORK_DIRECTORY RUNS");
}

const open = await peer.open({ root, workDirectory });
for (let run = 0; run < Number(runs); run++) process.send?.(await open.run());
// Some peers leave timers and handles behind that would keep the process alive.
process.disconnect();
process.exit(0);
