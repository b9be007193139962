/** One instruction of classic BPF: the kernel's `sock_filter`. */
export interface Instruction {
  readonly code: number;
  /** How many instructions are skipped when a comparison holds, and when it does not. */
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly operand: number;
}

/** Codes of the instructions that a filter of system calls needs. */
export const BPF = {
  /** Loads 32 bits of `seccomp_data` at an offset. */
  load: 0x20,
  and: 0x54,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  jumpIfAnyBit: 0x45,
  answer: 0x06,
} as const;

// The kernel has one byte for a jump; a longer one would wrap round and land somewhere else.
const MAX_JUMP = 255;
const INSTRUCTION_BYTES = 8;

/** One instruction; jumps default to the next one. */
export function instruction(
  code: number,
  operand: number,
  jumps: { readonly ifTrue?: number; readonly ifFalse?: number } = {},
): Instruction {
  const { ifTrue = 0, ifFalse = 0 } = jumps;
  if (Math.max(ifTrue, ifFalse) > MAX_JUMP) throw new RangeError(`a BPF jump of more than ${MAX_JUMP}`);
  return { code, jumpTrue: ifTrue, jumpFalse: ifFalse, operand: operand >>> 0 };
}

/** A program as the kernel reads it on a little-endian machine. */
export function encodeProgram(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * INSTRUCTION_BYTES));
  for (const [index, { code, jumpTrue, jumpFalse, operand }] of program.entries()) {
    const offset = index * INSTRUCTION_BYTES;
    bytes.setUint16(offset, code, true);
    bytes.setUint8(offset + 2, jumpTrue);
    bytes.setUint8(offset + 3, jumpFalse);
    bytes.setUint32(offset + 4, operand, true);
  }
  return new Uint8Array(bytes.buffer);
}
