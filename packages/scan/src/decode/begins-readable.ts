/** Whether the first characters of base64 decode to what text, a packing or a program begins with. Identifiers and hashes fail here, before anything is decoded. */
export function beginsReadable(body: string): boolean {
  if (PACKED_OR_BINARY.test(body)) return true;
  let continuations = 0;
  let buffer = 0;
  let bits = 0;
  for (let index = 0; index < HEAD_CHARACTERS && index < body.length; index++) {
    const value = VALUES[body.charCodeAt(index)] ?? 0;
    buffer = ((buffer << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const byte = (buffer >> bits) & 0xff;
    if (byte < 32 && byte !== 0 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 27) return false;
    if (byte === 127) return false;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (isContinuation !== continuations > 0) return false;
    if (isContinuation) continuations--;
    else if (byte >= 0xc2) continuations = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
  return true;
}

const HEAD_CHARACTERS = 20;
// gzip, zlib, ELF, PE, zip, PDF, Mach-O, WebAssembly, pyc, UTF-16 with its mark.
const PACKED_OR_BINARY =
  /^(?:H4sI|eJ|eN|eA|eF|f0VM|T[VW][opqr]|UEsD|JVBERi|z\/rt|yv66|AGFzb|[A-Za-z0-9+/]{2}0NCg|\/\/4|\/v8)/;

const VALUES: Uint8Array = valuesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128);
  for (let index = 0; index < alphabet.length; index++) values[alphabet.charCodeAt(index)] = index;
  values["-".charCodeAt(0)] = 62;
  values["_".charCodeAt(0)] = 63;
  return values;
}
