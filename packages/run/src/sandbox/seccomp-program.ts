import {
  type ArgumentTest,
  ENOSYS,
  type FilteredArchitecture,
  REFUSED_CALLS,
  type RefusedCall,
  SYSTEM_CALL_NUMBERS,
} from "./system-calls.ts";

export const SECCOMP_ALLOW = 0x7fff0000;
export const SECCOMP_KILL = 0x80000000;
export const SECCOMP_ERRNO = 0x00050000;

export const AUDIT_ARCHITECTURES: Readonly<Record<FilteredArchitecture, number>> = {
  x64: 0xc000003e,
  arm64: 0xc00000b7,
};

/** From here on: a second interface of x86-64 (x32), with the same calls under other numbers. */
export const X32_CALLS = 0x40000000;

/** The last call that this filter knows; calls of newer kernels are answered as if they did not exist. */
export const LAST_KNOWN_CALL = 466;

const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;
const ARGUMENT_BYTES = 8;
const EVERY_BIT = 0xffffffff;

/** The filter for an architecture, ready for `bwrap --seccomp`; undefined if its call numbers are unknown. */
export function seccompProgram(architecture: string): Uint8Array | undefined {
  if (architecture !== "x64" && architecture !== "arm64") return undefined;
  const numbers = SYSTEM_CALL_NUMBERS[architecture];
  const refusals = REFUSED_CALLS.flatMap((refused) => {
    const number = numbers.get(refused.call);
    return number === undefined ? [] : refuse(number, refused);
  });
  return encodeProgram([
    // On another architecture the numbers mean other calls.
    instruction(BPF.load, ARCHITECTURE_OFFSET),
    instruction(BPF.jumpIfEqual, AUDIT_ARCHITECTURES[architecture], { ifTrue: 1 }),
    instruction(BPF.answer, SECCOMP_KILL),
    instruction(BPF.load, NUMBER_OFFSET),
    instruction(BPF.jumpIfAtLeast, X32_CALLS, { ifFalse: 1 }),
    instruction(BPF.answer, SECCOMP_KILL),
    instruction(BPF.jumpIfAtLeast, LAST_KNOWN_CALL + 1, { ifFalse: 1 }),
    instruction(BPF.answer, SECCOMP_ERRNO | ENOSYS),
    ...refusals,
    instruction(BPF.answer, SECCOMP_ALLOW),
  ]);
}

// The call's number is loaded before and after each of these, so their order does not matter.
function refuse(number: number, { errno, when = [] }: RefusedCall): Instruction[] {
  const answer = instruction(BPF.answer, SECCOMP_ERRNO | errno);
  if (when.length === 0) return [instruction(BPF.jumpIfEqual, number, { ifFalse: 1 }), answer];
  const tests = [answer];
  for (const test of when.toReversed()) tests.unshift(...examine(test, tests.length));
  return [
    instruction(BPF.jumpIfEqual, number, { ifFalse: tests.length + 1 }),
    ...tests,
    instruction(BPF.load, NUMBER_OFFSET),
  ];
}

/** Falls through if the test holds, otherwise skips `rest` instructions. */
function examine(test: ArgumentTest, rest: number): Instruction[] {
  const { argument, mask = EVERY_BIT, values = [] } = test;
  const load = instruction(BPF.load, ARGUMENTS_OFFSET + argument * ARGUMENT_BYTES);
  if (test.is === "bits") return [load, instruction(BPF.jumpIfAnyBit, mask, { ifFalse: rest })];
  const found = test.is === "in" ? 0 : rest;
  const missed = test.is === "in" ? rest : 0;
  const comparisons = values.map((value, index) => {
    const left = values.length - 1 - index;
    const jumps = left === 0 ? { ifTrue: found, ifFalse: missed } : { ifTrue: left + found };
    return instruction(BPF.jumpIfEqual, value, jumps);
  });
  return [load, ...(mask === EVERY_BIT ? [] : [instruction(BPF.and, mask)]), ...comparisons];
}

/** One instruction of classic BPF, the kernel's `sock_filter`; jumps are numbers of instructions to skip. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const BPF = {
  /** Loads 32 bits of `seccomp_data` at an offset. */
  load: 0x20,
  and: 0x54,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  jumpIfAnyBit: 0x45,
  answer: 0x06,
} as const;

// The kernel stores a jump in one byte; a longer one would wrap around and land elsewhere.
const MAX_JUMP = 255;
const INSTRUCTION_BYTES = 8;

function instruction(
  code: number,
  operand: number,
  { ifTrue = 0, ifFalse = 0 }: { readonly ifTrue?: number; readonly ifFalse?: number } = {},
): Instruction {
  if (Math.max(ifTrue, ifFalse) > MAX_JUMP) throw new RangeError(`a BPF jump of more than ${MAX_JUMP}`);
  return [code, ifTrue, ifFalse, operand >>> 0];
}

function encodeProgram(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  let at = 0;
  for (const [code, ifTrue, ifFalse, operand] of program) {
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    at = bytes.writeUInt32LE(operand, at + 4);
  }
  return new Uint8Array(bytes);
}
