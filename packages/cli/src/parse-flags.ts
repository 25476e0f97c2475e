import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

/**
 * Reads the flags of a command: `value` flags take a text, `boolean` ones none. Strict and without positionals. Throws
 * `UsageError` naming the flag.
 */
export function parseFlags<const Name extends string, const Switch extends string = never>(
  argv: readonly string[],
  flags: { readonly values: readonly Name[]; readonly switches?: readonly Switch[] },
): Readonly<Partial<Record<Name, string>> & Record<Switch, boolean>> {
  const { values, switches = [] } = flags
  const options = Object.fromEntries([
    ...values.map((name) => [name, { type: 'string' as const }]),
    ...switches.map((name) => [name, { type: 'boolean' as const, default: false }]),
  ])
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values as Partial<
      Record<Name, string>
    > &
      Record<Switch, boolean>
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nSee: svc help`)
  }
}
