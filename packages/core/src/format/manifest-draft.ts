import { EMPTY_LIST, NO_GATING, NO_TRIGGERS, NO_UI } from "./default-manifest.ts";
import { GatingDraft } from "./gating-draft.ts";
import type { Gating, InstallSpec, Triggers, Ui } from "./manifest.ts";

/** What dialects other than the specification's own fields say, while they are read; the first to say it wins. */
export class ManifestDraft {
  license: string | undefined = undefined;
  version: string | undefined = undefined;
  author: string | undefined = undefined;
  homepage: string | undefined = undefined;
  tags: readonly string[] = EMPTY_LIST;
  relatedSkills: readonly string[] = EMPTY_LIST;
  triggers: Triggers = NO_TRIGGERS;
  toolsets: readonly string[] = EMPTY_LIST;
  install: readonly InstallSpec[] = EMPTY_LIST;
  internal = false;
  displayName: string | undefined = undefined;
  shortDescription: string | undefined = undefined;
  emoji: string | undefined = undefined;
  private gatingDraft: GatingDraft | undefined = undefined;

  get gating(): GatingDraft {
    this.gatingDraft ??= new GatingDraft();
    return this.gatingDraft;
  }

  addTags(tags: readonly string[]): void {
    if (tags.length > 0) this.tags = this.tags.length === 0 ? tags : [...new Set([...this.tags, ...tags])];
  }

  finishGating(): Gating {
    return this.gatingDraft === undefined ? NO_GATING : this.gatingDraft.finish();
  }

  finishUi(): Ui {
    const { displayName, shortDescription, emoji } = this;
    if (displayName === undefined && shortDescription === undefined) {
      return emoji === undefined ? NO_UI : { emoji };
    }
    return {
      ...(displayName !== undefined && { displayName }),
      ...(shortDescription !== undefined && { shortDescription }),
      ...(emoji !== undefined && { emoji }),
    };
  }
}
