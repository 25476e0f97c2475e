import { parseArgs } from 'node:util'
import { nearestName } from './nearest-name.ts'
import { printableText } from './printable-text.ts'
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
  if (value === undefined || (inlineValue === false && /^-./.test(value))) {
    throw refuse(`${said} takes a value behind it; one that begins with - is written ${said}=-1`)
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
