/**
 * Makes text that others wrote fit to stand before a person: printable ASCII, everything else as \u escapes, at most
 * `maxLength` characters, so that no symbol can turn a line round, hide a part of it or pass for one of ours.
 */
export function printable(text: string, maxLength = 64): string {
  const capped = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text
  return capped.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
