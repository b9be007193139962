/** Words that say nothing about a topic; kept as terms, but left out of character n-grams and of reasons. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can could did do does doing " +
    "don for from get give go had has have he her here him his how i if im in into is it its just let like ll make me " +
    "more my need no not now of off on one only or our out over please re s she should so some such t than that the " +
    "their them then there these they thing this those to too under up us use used user using ve very want was we were " +
    "what when where which while who why will with would you your yes skill"
  ).split(" "),
);
