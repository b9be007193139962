import { list, type ProgramTraits, subcommands } from "./program-traits.ts";

const COMPILER: ProgramTraits = { words: ["-specs", "-wrapper"], short: "B", pattern: /^@|^-fplugin/ };
// Their configuration is code.
const SCRIPTED: ProgramTraits = {
  long: list("config plugin parser rulesdir format formatter resolve-plugins-relative-to"),
  short: "cf",
};

/** Programs that build and check code. What their own files make them do is their work; these change which files. */
export const BUILD_PROGRAMS: Readonly<Record<string, ProgramTraits>> = {
  make: {
    long: list("file makefile directory include-dir eval environment-overrides"),
    short: "fCIeE",
    // `SHELL=…`, `CC=…`
    pattern: /^(?!-).*=/,
  },
  just: { long: list("shell shell-arg justfile working-directory command set chooser"), short: "fdc" },
  cmake: { words: ["-P", "-E", "-C"] },
  ninja: { short: "fCt" },
  gradle: { long: list("init-script build-file project-dir settings-file"), short: "IbpcD" },
  mvn: { long: list("file settings global-settings"), short: "fsD", pattern: /^[\w.:-]*exec/ },
  rake: { long: list("rakefile require execute"), short: "fereEpR" },
  bazel: { long: ["run_under", "override_repository", "bazelrc", "output_base"], words: ["run"] },
  cargo: {
    long: ["config", "manifest-path"],
    short: "ZC",
    subcommands: {
      globals: /^(?:-[qv]+|--(?:quiet|verbose|locked|offline|frozen))$/,
      known: subcommands(
        "add bench build b check c clean clippy doc d fetch fix fmt info metadata new owner remove rm run r search " +
          "test t tree update version vendor",
      ),
    },
  },
  rustc: { long: ["codegen", "sysroot"], short: "C", pattern: /^@/ },
  go: {
    words: list(
      "-exec -toolexec -overlay -vettool -modfile -o -C -ldflags -gcflags -asmflags generate tool env",
    ),
  },
  cc: COMPILER,
  gcc: COMPILER,
  "g++": COMPILER,
  clang: COMPILER,
  "clang++": COMPILER,
  java: { pattern: /^-(?:javaagent|agent|XX:On)|^@/ },
  javac: { words: ["-processor", "-processorpath", "-J"], pattern: /^-J|^@|^-Xplugin/ },
  eslint: SCRIPTED,
  prettier: SCRIPTED,
  stylelint: SCRIPTED,
  jest: SCRIPTED,
  vitest: SCRIPTED,
  hg: { long: list("config cwd repository debugger"), short: "R" },
  svn: { long: ["config-option", "config-dir"] },
};
