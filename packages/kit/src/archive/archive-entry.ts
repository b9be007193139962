/** One entry of an archive, with its path as written: it has not been checked for safety. */
export interface ArchiveEntry {
  /** A link's content is its target. Devices, FIFOs and unknown types are files, each after a fault. */
  readonly kind: "file" | "folder" | "link";
  readonly path: string;
  readonly mode: "644" | "755";
  readonly size: number;
  /** Unpacks the content up to a bound; stored content costs nothing and is returned whole. */
  read(maxBytes: number): ArchiveContent;
}

export interface ArchiveContent {
  readonly bytes?: Uint8Array;
  readonly fault?: string;
  readonly isBomb?: boolean;
}

/** One fault of an archive; reading continues as far as possible. */
export interface ArchiveFault {
  /**
   * `damaged`: part of it cannot be read. `unlisted`: it contains entries that its list omits. `unsafe`:
   * links, devices, setuid, and everything that programs are known to interpret differently, so that each may
   * unpack another tree; ordinary programs produce some of it.
   */
  readonly fault: "damaged" | "encrypted" | "two-names" | "unlisted" | "unsafe";
  /** The end of a sentence about the archive, or about `entry` if it is given. */
  readonly reason: string;
  readonly entry?: string;
}

export type ArchiveItem = ArchiveEntry | ArchiveFault;

export function faultOf(fault: ArchiveFault["fault"], reason: string, entry?: string): ArchiveFault {
  return { fault, reason, ...(entry !== undefined && { entry }) };
}

export function decodeName(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  return { text, isUtf8: Buffer.from(text).equals(buffer) };
}
