/** The version of the lock that is written; newer ones are refused untouched. */
export const LOCK_VERSION = 1;
