/** Who can ask for an activation. */
export const ACTIVATION_SOURCES = ["preload", "model", "user", "parent"] as const;

/** Who asked for an activation. */
export type ActivationSource = (typeof ACTIVATION_SOURCES)[number];
