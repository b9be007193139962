"use strict";
const { readFileSync } = require("node:fs");
const { createRequire, wrap } = require("node:module");
const { dirname, join } = require("node:path");
const { constants, Script } = require("node:vm");

/** What was loaded, by name, so that the build can keep what V8 compiled of each. */
exports.loaded = new Map();

/**
 * Runs a built file as a module, compiled from the code cache that the build left beside it.
 *
 * Compiling takes longer than everything that `skillet show` does. V8 refuses a cache of another version or of other
 * source, and then compiles as usual. It is never written at run time: it is code, and lies where the code lies.
 */
exports.loadBundle = (name) => {
  const file = join(__dirname, `../dist/${name}.cjs`);
  const source = readIfThere(file, "latin1");
  if (source === undefined) return undefined;
  const script = new Script(wrap(source), {
    filename: file,
    cachedData: readIfThere(exports.codeCache(name)),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  const bundle = { exports: module.exports, script };
  exports.loaded.set(name, bundle);
  return bundle;
};

exports.codeCache = (name) => join(__dirname, `../dist/${name}.code-cache`);

function readIfThere(path, encoding) {
  try {
    return readFileSync(path, encoding);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
