/** Whether a file is there to be run, by what it is called and where it lies. */
export function isProgramPath(path: string): boolean {
  const parts = path.toLowerCase().split("/");
  const name = parts.pop() ?? "";
  const dot = name.lastIndexOf(".");
  return (
    PROGRAM_NAMES.has(name) ||
    parts.some((part) => PROGRAM_FOLDERS.has(part)) ||
    (dot >= 0 && PROGRAM_SUFFIXES.has(name.slice(dot + 1)))
  );
}

const PROGRAM_FOLDERS: ReadonlySet<string> = new Set(["scripts", "bin"]);

// What a tool runs that finds it in the folder where it is called.
const PROGRAM_NAMES: ReadonlySet<string> = new Set(
  "makefile gnumakefile justfile rakefile dockerfile vagrantfile package.json .envrc taskfile.yml taskfile.yaml".split(
    " ",
  ),
);

// Whatever an interpreter, a shell, a build tool, a notebook or an operating system runs as it lies there.
const PROGRAM_SUFFIXES: ReadonlySet<string> = new Set(
  `
  sh bash zsh fish ksh csh command ps1 psm1 psd1 bat cmd vbs vbe wsf wsh hta scpt applescript
  py pyw pyc pyz ipynb pth js mjs cjs jsx ts mts cts tsx rb pl pm php phar lua tcl r rmd jl groovy kts
  go rs c cc cpp java kt scala swift cs fs clj cljs ex exs erl hs ml nim zig dart awk sed mk
  jar war class wasm exe com dll msi scr so dylib bin run appimage deb rpm apk pkg app elf node
  xpi crx vsix whl egg gem nix reg lnk desktop service plist workflow url
  `
    .trim()
    .split(/\s+/),
);
