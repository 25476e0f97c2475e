/**
 * Whether what an endpoint tells holds a decimal number of more digits than a word of a chain has (78). Quantities are hexadecimal, but
 * what reads them takes decimals too, and of a text of millions of digits that takes many seconds.
 */
export function holdsLongNumber(reported: unknown): boolean {
  const left = [reported]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') {
      if (longNumber.test(value)) return true
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) left.push(member)
    }
  }
  return false
}

const longNumber = /^\s*[+-]?\d{79}/
