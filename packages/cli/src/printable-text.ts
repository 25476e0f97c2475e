/**
 * A text for a terminal that may hold names of files and words of others: whatever steers a terminal, hides letters or turns their
 * order round is escaped, lines and letters of all scripts stay. JSON stays the same JSON.
 */
export function printableText(text: string): string {
  return text.replaceAll(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (letter) =>
    letter
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
