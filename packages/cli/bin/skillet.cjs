#!/usr/bin/env node
"use strict";
const { version } = require("../package.json");

const [first] = process.argv.slice(2);

// Answered before anything is loaded: people and scripts ask for it all the time.
if (first === "--version" || first === "-V") {
  process.stdout.write(`${version}\n`);
} else {
  const { loadBundle } = require("./load-bundle.cjs");
  const bundle = loadBundle("main");
  if (bundle !== undefined) {
    bundle.exports.main({ version });
  } else {
    process.stderr.write("error: skillet is not built yet.\nRun: npm run build\n");
    process.exitCode = 2;
  }
}
