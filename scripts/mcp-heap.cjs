"use strict";
// Loaded into the server of `npm run try:mcp`: tells the soak how much memory is in use after a collection.
let rejections = 0;
process.on("unhandledRejection", () => {
  rejections += 1;
});
process.on("message", () => {
  global.gc();
  global.gc();
  process.send({ heapBytes: process.memoryUsage().heapUsed, rejections });
});
process.channel?.unref();
