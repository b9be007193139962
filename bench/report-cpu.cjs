"use strict";
const { writeSync } = require("node:fs");

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, String((user + system) / 1e3));
});
