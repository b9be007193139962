export const TEXT_ATTRIBUTE: RegExp =
  /^(?:alt|title|aria-label|aria-description|placeholder|content|summary|value|data-[\w-]{1,40})$/;
