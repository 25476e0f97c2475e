/** A text of unknown origin for a terminal: everything but printable ASCII is escaped, and what is endless is cut. */
export function printable(text: string): string {
  const cut = text.length > mostShown ? `${text.slice(0, mostShown)}...` : text
  return cut.replaceAll(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const mostShown = 2_000
