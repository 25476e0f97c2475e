import type { Address, PublicClient } from 'viem'

/**
 * Knows whether an account's code is delegated (EIP-7702: 0xef0100 and an address), read at most every half minute and
 * once for all who ask together. An endpoint that does not answer counts as "no": then the node's own refusal tells.
 */
export function createDelegation(client: PublicClient, address: Address): Delegation {
  let known: { readonly answer: Promise<boolean>; readonly until: number } | null = null
  const remember = (answer: Promise<boolean>): Promise<boolean> => {
    known = { answer, until: performance.now() + freshForMs }
    return answer
  }
  const read = async (): Promise<boolean> => {
    try {
      return (await client.getCode({ address }))?.toLowerCase().startsWith('0xef0100') ?? false
    } catch {
      known = null
      return false
    }
  }
  return {
    stands: () => (known !== null && performance.now() < known.until ? known.answer : remember(read())),
    note: () => void remember(Promise.resolve(true)),
  }
}

export type Delegation = {
  /** Never rejects. */
  stands(): Promise<boolean>
  /** Believes in a delegation because a node spoke of one. */
  note(): void
}

const freshForMs = 30_000
