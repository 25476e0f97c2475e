import { parseArgs } from 'node:util'
import { nearestName } from '@svc/runtime/nearest-name'
import { printableText } from './terminal-text.ts'
import { UsageError } from './usage-error.ts'

/** As `parseFlags`, for a command that takes words as well: they may stand before, between and behind the flags. */
export function parseWordsAndFlags<const Name extends string, const Switch extends string = never>(
  argv: readonly string[],
  { values, switches = [] }: FlagNames<Name, Switch>,
): { readonly words: readonly string[]; readonly flags: Flags<Name, Switch> } {
  const options = Object.fromEntries([
    ...values.map((name) => [name, { type: 'string' as const }]),
    ...switches.map((name) => [name, { type: 'boolean' as const, default: false }]),
  ])
  const read = parseArgs({ args: [...argv], options, strict: false, tokens: true, allowPositionals: true })
  for (const token of read.tokens) if (token.kind === 'option') requireFlag(token, values, switches)
  return { words: read.positionals, flags: read.values as Flags<Name, Switch> }
}

/** Throws `UsageError` for a flag that there is not, one that lacks its value, and a switch that was given one. */
function requireFlag({ name, rawName, value, inlineValue }: FlagToken, values: Names, switches: Names): void {
  const said = printableText(rawName.slice(0, 40))
  const refuse = (reason: string) => new UsageError(reason, { seeHelp: true })
  if (switches.includes(name) && rawName.startsWith('--')) {
    if (value !== undefined) throw refuse(`${said} stands alone: it takes no value`)
    return
  }
  if (!values.includes(name) || !rawName.startsWith('--')) {
    const known = [...values, ...switches]
    const nearest = nearestName(name, known)
    const meant = nearest === null ? '' : ` Did you mean --${nearest}?`
    const taken = known.length === 0 ? '' : ` It takes: ${known.map((flag) => `--${flag}`).join(', ')}.`
    throw refuse(`there is no flag ${said} here.${meant}${taken}`)
  }
  // What was forgotten is not the flag behind it.
  if (value === undefined) throw refuse(`${said} takes a value behind it`)
  if (inlineValue === false && /^-./.test(value)) {
    const own = printableText(value.slice(0, 40))
    throw refuse(`${said} takes a value behind it; one that begins with - is written ${said}=${own}`)
  }
}

type FlagToken = {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}
type Names = readonly string[]

export type FlagNames<Name extends string, Switch extends string> = {
  readonly values: readonly Name[]
  readonly switches?: readonly Switch[]
}

export type Flags<Name extends string, Switch extends string> = Readonly<
  Partial<Record<Name, string>> & Record<Switch, boolean>
>

/**
 * Reads the flags of a command: `value` flags take a text, `boolean` ones none. Strict and without positionals. Throws
 * `UsageError` naming the flag.
 */
export function parseFlags<const Name extends string, const Switch extends string = never>(
  argv: readonly string[],
  flags: FlagNames<Name, Switch>,
): Flags<Name, Switch> {
  const { words, flags: read } = parseWordsAndFlags(argv, flags)
  const [word] = words
  if (word !== undefined) throw new UsageError(`there is no place for "${word.slice(0, 80)}" here`, { seeHelp: true })
  return read
}

/** A whole number in [min, max] out of a flag's text; `undefined` stays. Throws `UsageError` naming the flag. */
export function parseWholeNumber(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value) || value < min || value > max) {
    throw new UsageError(`${flag} takes a whole number from ${min} to ${max}, not "${text.slice(0, 40)}"`)
  }
  return value
}

/** A plain decimal number in [min, max] out of a flag's text; `undefined` stays. Throws `UsageError` naming the flag. */
export function parseNumber(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,15}(\.\d{1,18})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new UsageError(`${flag} takes a number from ${min} to ${max}, not "${text.slice(0, 40)}"`)
  }
  return value
}

/** The fee of a pool in millionths, written so or in percent: 500 or 0.05%. Throws `UsageError`; `undefined` stays. */
export function parseFee(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, whole, percent] = /^(?:(\d{1,7})|(\d{1,2}(?:\.\d{1,4})?) ?%)$/.exec(text) ?? []
  const pips = whole === undefined ? Math.round(Number(percent ?? Number.NaN) * 10_000) : Number(whole)
  if (!(pips >= 1 && pips <= 999_999)) {
    throw new UsageError(
      `--fee takes millionths from 1 to 999999, or percent such as 0.05%, not "${text.slice(0, 40)}"`,
    )
  }
  return pips
}
