import { WalletError } from './wallet-error.ts'
import { optional, shape, type Check, type RefusedField } from './shape.ts'

/**
 * Refuses options that are no object, lack a member that is needed, have one that is not known, or one of another type
 * than it should have; `undefined` counts as missing. Throws `VALIDATION_CONFIG_INVALID`, which names each field and what
 * is accepted there.
 */
export function requireOptions(
  options: unknown,
  members: Readonly<Record<string, Check>>,
  { needed = [], name = 'options' }: { readonly needed?: readonly string[]; readonly name?: string } = {},
): void {
  const fields: RefusedField[] = []
  const always = Object.entries(members).filter(([member]) => needed.includes(member))
  shape({ ...optional(members), ...Object.fromEntries(always) }, name)(options, '', fields)
  if (fields.length === 0) return
  const named = fields.slice(0, mostNamed)
  const sentences = named.map(({ field, accepted }) => `${field} is not valid; accepted: ${accepted}.`)
  throw new WalletError('VALIDATION_CONFIG_INVALID', sentences.join(' '), { details: { fields: named } })
}

/** A check for every member that a type of options has. */
export type ChecksOf<Options> = Readonly<Record<keyof Options, Check>>

const mostNamed = 20

/** Refuses what is no wallet, which callers without types may give. Throws `VALIDATION_CONFIG_INVALID`. */
export function requireWallet(wallet: unknown): void {
  const isWallet = typeof wallet === 'object' && wallet !== null && 'getAddress' in wallet
  if (!isWallet) throw new WalletError('VALIDATION_CONFIG_INVALID', 'wallet is not valid; accepted: a ServiceWallet.')
}
