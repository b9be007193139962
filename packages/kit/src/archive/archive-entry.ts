/** One entry of an archive, its path as it is written there: nothing has checked that it is safe. */
export interface ArchiveEntry {
  /** A link's content is its target. Devices, FIFOs and unknown types are files here, each with a fault before it. */
  readonly kind: "file" | "folder" | "link";
  readonly path: string;
  readonly mode: "644" | "755";
  readonly size: number;
  /** Unpacks the content up to a bound; what is stored as it is costs nothing and is given whole. */
  read(maxBytes: number): ArchiveContent;
}

export interface ArchiveContent {
  readonly bytes?: Uint8Array;
  readonly fault?: string;
  readonly isBomb?: boolean;
}

/** One thing that is wrong with an archive; reading goes on as far as it can. */
export interface ArchiveFault {
  /**
   * `damaged`: some of it cannot be read. `unlisted`: it holds entries that its list leaves out. `unsafe`: links,
   * devices, setuid, and everything that programs are known to understand differently, so that each may unpack another
   * tree; ordinary programs write some of it.
   */
  readonly fault: "damaged" | "encrypted" | "two-names" | "unlisted" | "unsafe";
  /** The end of a sentence about the archive, or about the entry where one is named. */
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
