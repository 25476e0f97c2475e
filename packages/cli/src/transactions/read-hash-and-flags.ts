import { parseFlags } from '../parse-flags.ts'
import { UsageError } from '../usage-error.ts'

/** Splits the words after a subcommand into the hash of a transaction and its flags. Throws `UsageError`. */
export function readHashAndFlags<const Name extends string, const Switch extends string>(
  subcommand: string,
  argv: readonly string[],
  flags: { readonly values: readonly Name[]; readonly switches: readonly Switch[] },
): { readonly hash: `0x${string}`; readonly flags: ReturnType<typeof parseFlags<Name, Switch>> } {
  const [word = '', ...rest] = argv
  if (!isHash(word)) {
    throw new UsageError(
      `svc transactions ${subcommand} takes the hash of a transaction first: 0x and 64 hex digits; svc transactions list shows them`,
    )
  }
  return { hash: word, flags: parseFlags(rest, flags) }
}

function isHash(word: string): word is `0x${string}` {
  return /^0x[0-9a-f]{64}$/.test(word)
}
