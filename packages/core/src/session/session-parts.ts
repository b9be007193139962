import type { Config } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector } from "../select/selector.ts";
import type { SkillVetter } from "../vetting/skill-vetter.ts";
import type { SkillReader } from "./skill-reader.ts";

/** What a session is made of besides its options; a registry brings it. */
export interface SessionParts {
  readonly snapshot: Snapshot;
  readonly reader: SkillReader;
  readonly config: Config;
  /** The layers of the config: rules combine over them by the strictest. */
  readonly layers: readonly ConfigLayer[];
  /** What `~` means in rules for paths. */
  readonly userHome: string;
  /** The folder that scripts start in: canonical, and on this machine. */
  readonly workspace: string;
  /** Judges skills before they are offered; without it none is judged. */
  readonly vetter: SkillVetter | undefined;
  /** The selector over everything that a session could have, made when it is first asked for. */
  readonly openSelector: () => Promise<Selector>;
}
