#!/usr/bin/env node
"use strict";
const [first, second] = process.argv.slice(2);

// Answered before anything is loaded: people and scripts ask for it all the time.
if (first === "--version" || first === "-V" || first === "-v") {
  process.stdout.write(`${require("../package.json").version}\n`);
} else if (first === "__complete") {
  require("./complete.cjs").complete(process.argv.slice(3));
} else if (first === "hook" && second === "run") {
  // An agent waits for it before every tool call.
  require("./load-bundle.cjs").answerHook(process.argv.slice(4));
} else {
  const { version } = require("../package.json");
  const { loadBundle } = require("./load-bundle.cjs");
  let main;
  try {
    main = loadBundle("main.cjs");
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    process.stderr.write("error: skillet is not built yet.\nRun: npm run build\n");
    process.exitCode = 2;
  }
  main?.main({ version });
}
