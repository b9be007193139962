import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";

const HEAD = "version https://git-lfs.github.com/spec/v1\n";
const MAX_POINTER_BYTES = 1_024;

/** Says that a file is the stand-in for one that lies elsewhere; undefined for any other. */
export function reportLfsPointer({ path, bytes }: TreeFile): Diagnostic | undefined {
  if (
    bytes.length > MAX_POINTER_BYTES ||
    Buffer.from(bytes.subarray(0, HEAD.length)).toString("latin1") !== HEAD
  )
    return undefined;
  return {
    code: "git-lfs-pointer",
    severity: "warning",
    message: "It is a pointer of Git LFS; the file that it stands for is not fetched.",
    file: path,
    hint: "Keep the file in the repository itself, or publish the skill as an archive.",
  };
}
