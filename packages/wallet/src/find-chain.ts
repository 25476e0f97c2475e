import type { Chain } from './chain.ts'

/**
 * Finds a chain by its decimal id, name or alias, ASCII letters in either case. Look-alikes from other alphabets,
 * padded numbers and blanks find nothing.
 */
export function findChain(chains: readonly Chain[], nameOrId: string): Chain | undefined {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(nameOrId)) return undefined
  const wanted = nameOrId.toLowerCase()
  return chains.find((chain) => String(chain.id) === wanted || chain.name === wanted || chain.aliases.includes(wanted))
}
