/** Attributes whose value is words for a reader, or may pass for such. */
export const TEXT_ATTRIBUTE: RegExp =
  /^(?:alt|title|aria-label|aria-description|placeholder|content|summary|value|data-[\w-]{1,40})$/;
