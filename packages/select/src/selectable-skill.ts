/** The fields of a skill that selection reads. Callers pass their own objects and get them back. */
export interface SelectableSkill {
  readonly name: string;
  /** Unique among the skills that are selected from. */
  readonly qualifiedName: string;
  /** The skill's origin; see `distanceOf`. */
  readonly origin: string;
  readonly plugin?: string | undefined;
  readonly path: string;
  readonly directory: string;
  /** Equal digests mean equal texts; with equal settings digests, also equal settings. */
  readonly digest: string;
  readonly settingsDigest?: string | undefined;
  readonly manifest: {
    readonly description: string;
    readonly whenToUse?: string | undefined;
    readonly tags: readonly string[];
    readonly triggers: {
      readonly keywords: readonly string[];
      readonly verbs: readonly string[];
      readonly patterns: readonly string[];
    };
    readonly invocation: { readonly model: boolean; readonly paths: readonly string[] };
  };
}
