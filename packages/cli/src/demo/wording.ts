/** A decimal amount for people: two decimals from a thousand on, else six significant digits. */
export function amount(decimal: string, symbol: string): string {
  return `${number(Number(decimal))} ${symbol}`
}

/** Dollars for people; what has no price is said to have none. */
export function dollars(usd: number | null): string {
  if (usd === null) return 'no price'
  if (Math.abs(usd) >= 1_000_000) return `$${(usd / 1_000_000).toFixed(1)} million`
  const cents = Math.abs(usd) < 0.01 && usd !== 0 ? 4 : 2
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: cents, maximumFractionDigits: cents })}`
}

export function number(value: number): string {
  const options = Math.abs(value) >= 1_000 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 6 }
  return value.toLocaleString('en-US', options)
}

/** Units of a basis point and of a fee tier are hundredths of a percent, and hundredths of those. */
export const percent = (value: number): string => `${value.toLocaleString('en-US', { maximumSignificantDigits: 4 })} %`

/** A hash or an address by its ends. */
export const brief = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`

/** Breaks a text at blanks so that no line is longer than `width`; a word that is longer stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
