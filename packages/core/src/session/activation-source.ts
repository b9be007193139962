/** Who asked for an activation. */
export type ActivationSource = "preload" | "model" | "user" | "parent";
