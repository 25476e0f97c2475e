import type { Writable } from 'node:stream'

/** Writes the story for a terminal of at least a hundred columns, in colours if asked. */
export function createTranscript(out: Writable, options: { readonly colours: boolean }): Transcript {
  const [strong, call, quiet] = options.colours ? [ansi(1), ansi(36), ansi(2)] : [plain, plain, plain]
  let chapters = 0
  /** The first line begins with `head`, the others below its end. */
  const block = (head: string, text: string, style: Style = plain) => {
    const [first = '', ...others] = wrap(text, width - head.length)
    out.write(`${style(`${head}${first}`)}\n`)
    for (const line of others) out.write(`${style(`${' '.repeat(head.length)}${line}`)}\n`)
  }
  return {
    title(text, what) {
      block('', text, strong)
      block('', what)
      out.write('\n')
    },
    chapter(title, why) {
      chapters += 1
      out.write('\n')
      block('', `${chapters}. ${title}`, strong)
      block('   ', why, quiet)
    },
    asked(tool, input) {
      const words = Object.entries(input).map(([name, value]) => `${name}=${String(value)}`)
      out.write('\n')
      block('   agent > ', [tool, ...words].join(' '), call)
    },
    said: (text) => block('     ', text),
    row: (name, text) => block(`     ${name.padEnd(12)} `, text),
    line: (text) => void out.write(text === '' ? '\n' : `     ${text}\n`),
    aside: (text) => block('   ', text, quiet),
    end(text) {
      out.write('\n')
      block('', text, strong)
    },
  }
}

export type Transcript = {
  title(text: string, what: string): void
  /** Opens a chapter, with a sentence on why it matters. */
  chapter(title: string, why: string): void
  /** The agent calls a tool. */
  asked(tool: string, input: Readonly<Record<string, unknown>>): void
  /** What came of it, in a sentence. */
  said(text: string): void
  /** What came of it, under a name. */
  row(name: string, text: string): void
  /** What came of it, as it stands: a line of a table. */
  line(text: string): void
  /** What the narrator adds. */
  aside(text: string): void
  end(text: string): void
}

const width = 100

type Style = (text: string) => string

const plain: Style = (text) => text

/** Select Graphic Rendition (ECMA-48, 8.3.117): 1 bold, 2 faint, 36 cyan. */
function ansi(rendition: number): Style {
  return (text) => `\u001B[${rendition}m${text}\u001B[0m`
}

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
