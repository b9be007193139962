import { SkilletError } from "@skillet/kit/errors";
import { unpackArchive } from "../fetch/archive/unpack-archive.ts";
import { DEFAULT_HUB_LIMITS } from "../hub-limits.ts";
import { treeDigestOf } from "../tree-digest-of.ts";
import { packTarGz } from "./pack-tar-gz.ts";
import { publishRefused, type SkillToPublish } from "./skill-to-publish.ts";

/** Packs a skill and unpacks it again as clients will: what could not be installed is not published. */
export async function packChecked({ name, files }: SkillToPublish): Promise<Uint8Array> {
  const bytes = packTarGz(files);
  if (bytes.length > DEFAULT_HUB_LIMITS.maxDownloadBytes)
    throw publishRefused(
      name,
      `packed it has ${bytes.length} bytes, and clients take ${DEFAULT_HUB_LIMITS.maxDownloadBytes}`,
      "move large files elsewhere",
    );
  const unpacked = await unpackArchive(bytes, { name: `${name}.tar.gz`, limits: DEFAULT_HUB_LIMITS });
  const [expected, found] = [treeDigestOf(files), treeDigestOf(unpacked)];
  if (expected === found) return bytes;
  const message = `${name} was packed and unpacked again, and came out as ${found} instead of ${expected}; nothing was published. Please report this.`;
  throw new SkilletError("pack-damaged", message, { data: { expected, found } });
}
