/**
 * Quotes text that came from a caller so that it can stand in a message of ours: at most 64 characters, and nothing but
 * printable ASCII (others as \u escapes).
 */
export function quoteUntrusted(text: string): string {
  const capped = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text
  return JSON.stringify(capped).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const maxLength = 64
