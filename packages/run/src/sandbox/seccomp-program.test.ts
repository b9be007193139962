import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  AUDIT_ARCHITECTURES,
  LAST_KNOWN_CALL,
  SECCOMP_ALLOW,
  SECCOMP_ERRNO,
  SECCOMP_KILL,
  seccompProgram,
  X32_CALLS,
} from "./seccomp-program.ts";
import {
  type ArgumentTest,
  ENOSYS,
  type FilteredArchitecture,
  REFUSED_CALLS,
  SYSTEM_CALL_NUMBERS,
} from "./system-calls.ts";

interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly args: readonly bigint[];
}

const ARCHITECTURES: readonly FilteredArchitecture[] = ["x64", "arm64"];

/** The answer of the kernel's interpreter of classic BPF. */
function interpret(program: Uint8Array, call: Call): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  for (const [index, value] of call.args.entries()) data.setBigUint64(16 + index * 8, value, true);
  const text = new DataView(program.buffer);
  let accumulator = 0;
  for (let at = 0; at < program.length; ) {
    const [code, operand] = [text.getUint16(at, true), text.getUint32(at + 4, true)];
    let skip = 0;
    if (code === 0x20) accumulator = data.getUint32(operand, true);
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0;
    else if (code === 0x06) return operand;
    else {
      const holds =
        code === 0x15
          ? accumulator === operand
          : code === 0x35
            ? accumulator >= operand
            : (accumulator & operand) !== 0;
      skip = text.getUint8(at + (holds ? 2 : 3));
    }
    at += 8 * (1 + skip);
  }
  throw new Error("the program ran off its end");
}

/** The answer of the table, read on its own. */
function expected(architecture: FilteredArchitecture, call: Call): number {
  if (call.architecture !== AUDIT_ARCHITECTURES[architecture]) return SECCOMP_KILL;
  if (call.number >= X32_CALLS) return SECCOMP_KILL;
  if (call.number > LAST_KNOWN_CALL) return SECCOMP_ERRNO | ENOSYS;
  const refused = REFUSED_CALLS.find(
    ({ call: name, when = [] }) =>
      SYSTEM_CALL_NUMBERS[architecture].get(name) === call.number &&
      when.every((look) => holds(look, call.args)),
  );
  return refused === undefined ? SECCOMP_ALLOW : SECCOMP_ERRNO | refused.errno;
}

function holds(
  { argument, mask = 0xffffffff, is, values = [] }: ArgumentTest,
  args: readonly bigint[],
): boolean {
  const value = Number(args[argument]! & BigInt(mask));
  if (is === "bits") return value !== 0;
  return values.includes(value) === (is === "in");
}

// Small numbers, single bits and anything, each with rubbish in the half that the kernel ignores.
const argument = fc
  .tuple(
    fc.oneof(
      fc.nat(32),
      fc.integer({ min: 0, max: 31 }).map((bit) => 2 ** bit),
      fc.constantFrom(0o4755, 0o100644, 0o20644, 0x5412, 0x541c, 0xffffffff, 0x80801),
      fc.nat(0xffffffff),
    ),
    fc.nat(0xffffffff),
  )
  .map(([low, high]) => (BigInt(high) << 32n) | BigInt(low));
const args = fc.array(argument, { minLength: 6, maxLength: 6 });

test.each(ARCHITECTURES)(
  "on %s every call is answered as the table says, whatever its arguments",
  (architecture) => {
    const program = seccompProgram(architecture)!;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.nat(LAST_KNOWN_CALL + 10),
          fc.constantFrom(...SYSTEM_CALL_NUMBERS[architecture].values()),
        ),
        args,
        (number, values) => {
          const call = { number, architecture: AUDIT_ARCHITECTURES[architecture], args: values };
          expect(interpret(program, call)).toBe(expected(architecture, call));
        },
      ),
      { numRuns: 5000 },
    );
  },
);

test.each(ARCHITECTURES)("on %s calls of another architecture and of x32 end the process", (architecture) => {
  const program = seccompProgram(architecture)!;
  const own = AUDIT_ARCHITECTURES[architecture];
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.nat(0xffffffff), args, (number, other, values) => {
      const foreign = { number, architecture: other === own ? 0 : other, args: values };
      expect(interpret(program, foreign)).toBe(SECCOMP_KILL);
      const x32 = { number: (number | X32_CALLS) >>> 0, architecture: own, args: values };
      expect(interpret(program, x32)).toBe(SECCOMP_KILL);
    }),
  );
});

test("the calls that matter most are refused by number", () => {
  const answer = (number: number, ...low: number[]): number =>
    interpret(seccompProgram("x64")!, {
      number,
      architecture: AUDIT_ARCHITECTURES.x64,
      args: [...low.map(BigInt), 0n, 0n, 0n, 0n, 0n, 0n].slice(0, 6),
    });
  const refused = (errno: number): number => SECCOMP_ERRNO | errno;
  expect({
    read: answer(0),
    ptrace: answer(101),
    mount: answer(165),
    unshare: answer(272),
    "a thread": answer(56, 0x3d0f00),
    "clone into a user namespace": answer(56, 0x10000011),
    clone3: answer(435),
    "tcp socket": answer(41, 2, 0x80801, 6),
    "local socket": answer(41, 1, 1, 0),
    "vsock socket": answer(41, 40, 1, 0),
    "netlink socket": answer(41, 16, 3, 0),
    "stream pair": answer(53, 1, 0x80801, 0),
    "datagram pair": answer(53, 1, 2, 0),
    "chmod 755": answer(90, 0, 0o755),
    "chmod 4755": answer(90, 0, 0o4755),
    "creating 4755": answer(2, 0, 0o101, 0o4755),
    "reading with rubbish for a mode": answer(2, 0, 0, 0o4755),
    "a device": answer(133, 0, 0o20666),
    "a pipe": answer(133, 0, 0o10666),
    TIOCSTI: answer(16, 0, 0x5412),
    TCGETS: answer(16, 0, 0x5401),
    "a call from the future": answer(600),
  }).toEqual({
    read: SECCOMP_ALLOW,
    ptrace: refused(1),
    mount: refused(1),
    unshare: refused(1),
    "a thread": SECCOMP_ALLOW,
    "clone into a user namespace": refused(1),
    clone3: refused(38),
    "tcp socket": SECCOMP_ALLOW,
    "local socket": refused(1),
    "vsock socket": refused(97),
    "netlink socket": refused(97),
    "stream pair": SECCOMP_ALLOW,
    "datagram pair": refused(1),
    "chmod 755": SECCOMP_ALLOW,
    "chmod 4755": refused(1),
    "creating 4755": refused(1),
    "reading with rubbish for a mode": SECCOMP_ALLOW,
    "a device": refused(1),
    "a pipe": SECCOMP_ALLOW,
    TIOCSTI: refused(1),
    TCGETS: SECCOMP_ALLOW,
    "a call from the future": refused(38),
  });
});

test("an architecture without a table has no filter", () => {
  expect(["riscv64", "ia32", "constructor"].map(seccompProgram)).toEqual([undefined, undefined, undefined]);
});

const HEADERS = {
  x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  arm64: "/usr/include/asm-generic/unistd.h",
};

test.each(ARCHITECTURES.filter((architecture) => existsSync(HEADERS[architecture])))(
  "the numbers for %s are those of the kernel's headers",
  (architecture) => {
    const header = readFileSync(HEADERS[architecture], "utf8");
    const real = new Map(
      Array.from(header.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm), ([, name, number]) => [
        name,
        Number(number),
      ]),
    );
    const ours = [...SYSTEM_CALL_NUMBERS[architecture]].filter(([name]) => real.has(name));
    expect(ours.length).toBeGreaterThan(50);
    expect(ours.filter(([name, number]) => real.get(name) !== number)).toEqual([]);
    const named = new Set(REFUSED_CALLS.map(({ call }) => call));
    expect(
      [...named].filter((name) => real.has(name) && !SYSTEM_CALL_NUMBERS[architecture].has(name)),
    ).toEqual([]);
  },
);
