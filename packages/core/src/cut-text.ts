/** The beginning of a text, at most so many UTF-16 units, that ends with no half of a character. */
export function cutText(text: string, maxCharacters: number): string {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, isHalf && text.length > maxCharacters ? maxCharacters - 1 : maxCharacters);
}
