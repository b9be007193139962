/** Whether folded words say that something is done behind the user's back. */
export function isCovert(text: string): boolean {
  return COVERT.test(text);
}

const COVERT =
  /\b(?:silently|secretly|covertly|quietly|without (?:telling|asking|informing|notifying|mentioning|alerting)|(?:do not|don't|never) (?:tell|mention|inform|reveal|disclose|notify|show)[^.\n]{0,40}(?:user|human|operator|anyone|this|it)\b|hide (?:this|it) from)/;
