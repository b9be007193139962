// The beginning of every attack: it records which attempts got through, and prints the record at the end.
const PRELUDE = `
import ctypes, errno, glob, json, os, signal, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
found = {}
def held(problem):
    return "held"
def attempt(name, act):
    try:
        act()
        found[name] = "through"
    except OSError as problem:
        found[name] = held(problem)
        print(name, errno.errorcode.get(problem.errno, problem), file=sys.stderr)
    except MemoryError:
        found[name] = "held"
def must(condition):
    if not condition:
        raise OSError(errno.ENOENT, "nothing there")
def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
    return result
def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
    return result
def write(path, text="x"):
    with open(path, "w") as file:
        file.write(text)
def read(path):
    with open(path, "rb") as file:
        return file.read(1000000)
`;

/** Set-up for a program: records a blocked attempt with the kernel's error, which shows what blocked it. */
export const NAME_ERRORS = `
def held(problem):
    return errno.errorcode.get(problem.errno, str(problem))
`;

/** A Python program that makes these attempts; each is a name with one or more lines of Python. */
export function attackProgram(attempts: Readonly<Record<string, string>>, setUp = ""): string {
  const steps = Object.entries(attempts).map(([name, lines], index) => {
    const body = lines
      .trim()
      .split("\n")
      .map((line) => `    ${line}`)
      .join("\n");
    return `def attempt_${index}():\n${body}\nattempt(${JSON.stringify(name)}, attempt_${index})\n`;
  });
  return `${PRELUDE}\n${setUp}\n${steps.join("")}\nprint(json.dumps(found))\n`;
}

/** The record of a program in which every attempt had the same result. */
export function all(
  attempts: Readonly<Record<string, string>>,
  word: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(attempts).map((name) => [name, word]));
}
