import { parseArgs } from 'node:util'
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
  try {
    const read = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true })
    return { words: read.positionals, flags: read.values as Flags<Name, Switch> }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nSee: svc help`)
  }
}

export type FlagNames<Name extends string, Switch extends string> = {
  readonly values: readonly Name[]
  readonly switches?: readonly Switch[]
}

export type Flags<Name extends string, Switch extends string> = Readonly<
  Partial<Record<Name, string>> & Record<Switch, boolean>
>
