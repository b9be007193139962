"use strict";
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

/** What was loaded, by file name, so that the build can keep what V8 compiled of each. */
exports.loaded = new Map();

/**
 * Runs a built file as a module, compiled from the code cache that the build left beside it; each once.
 *
 * Compiling takes longer than everything that `skillet show` does. V8 refuses a cache of another version or of other
 * source, and then compiles as usual. It is never written at run time: it is code, and lies where the code lies.
 */
exports.loadBundle = (name) => {
  const known = exports.loaded.get(name);
  if (known !== undefined) return known.module.exports;
  const file = join(__dirname, "../dist", name);
  const source = readIfThere(file, "latin1");
  if (source === undefined)
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "ERR_MODULE_NOT_FOUND" });
  const script = new Script(source, {
    // Not the path: it is in the code cache, and would be that of the machine that built the package.
    filename: `skillet/dist/${name}`,
    cachedData: readIfThere(exports.codeCache(name)),
  });
  const module = { exports: {} };
  exports.loaded.set(name, { module, script });
  script.runInThisContext()(module.exports, requireBeside, module, file, dirname(file));
  return module.exports;
};

exports.codeCache = (name) => join(__dirname, "../dist", `${name}.code-cache`);

/** The build's files require each other by name, and modules of Node; everything else is in them. */
function requireBeside(id) {
  return id.startsWith("./") ? exports.loadBundle(id.slice("./".length)) : require(id);
}

function readIfThere(path, encoding) {
  try {
    return readFileSync(path, encoding);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Answers an event of an agent, which waits for it. */
exports.answerHook = (argv) =>
  exports.loadBundle("answer-hook.cjs").runHook(argv, {
    environment: process.env,
    loadMaking: () => exports.loadBundle("hooking.cjs"),
  });

// The command of hooks starts this file itself: a file that requires another one waits for a look into package.json. It ends
// at once, since an agent waits: everything is written by then, and clearing up memory takes a millisecond.
if (require.main === module) exports.answerHook(process.argv.slice(2)).then(() => process.exit());
