#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";

// Answered before anything is loaded: people and scripts ask for it all the time.
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [first] = process.argv.slice(2);

if (first === "--version" || first === "-V") {
  process.stdout.write(`${version}\n`);
} else {
  const entry = new URL("../dist/main.js", import.meta.url);
  if (existsSync(entry)) {
    const { main } = await import(entry.href);
    await main({ version });
  } else {
    process.stderr.write("error: skillet is not built yet.\nRun: npm run build\n");
    process.exitCode = 2;
  }
}
