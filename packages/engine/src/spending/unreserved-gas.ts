import type { Ledger, Outflow } from '@svc/store'
import type { Journal } from '@svc/wallet/core'
import { type Address, type Hash, isAddressEqual, parseTransaction } from 'viem'
import { gasWorth } from './gas-worth.ts'
import type { PricedTokens } from './spend-value.ts'

/**
 * Gas that may have left a wallet and stands in no row of the ledger yet, at its worst: of transactions that draw on no
 * reservation (allowances taken back, nonces used up, calls cancelled) and are out, or mined and not counted. Of several
 * attempts at a nonce the dearest. Nothing where native currency has no price. Ask it before `outflows`: what is counted
 * in between is then counted twice, never left out.
 */
export async function unreservedGas(parts: UnreservedGasParts, priced: PricedTokens): Promise<readonly Outflow[]> {
  const { journal, ledger, chainId, wallet } = parts
  const out = [...(await journal.open(chainId, wallet)), ...(await journal.refused(chainId, wallet))]
  const uncounted = await ledger.uncountedGas(chainId)
  const mined = await Promise.all(uncounted.map(({ hash }) => journal.byHash(hash as Hash)))
  const dearest = new Map<number, bigint>()
  for (const entry of [...out.filter(({ reservationId }) => reservationId === null), ...mined]) {
    if (entry === null || !isAddressEqual(entry.from, wallet)) continue
    const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(entry.rawTransaction)
    const worst = gas * maxFeePerGas
    if (worst >= (dearest.get(entry.nonce) ?? 0n)) dearest.set(entry.nonce, worst)
  }
  return [...dearest.values()].flatMap((wei) => {
    const usdMicros = gasWorth(wei, priced)
    return usdMicros === null ? [] : [{ usdMicros, amounts: null, settledAt: null }]
  })
}

export type UnreservedGasParts = {
  readonly journal: Pick<Journal, 'open' | 'refused' | 'byHash'>
  readonly ledger: Pick<Ledger, 'uncountedGas'>
  readonly chainId: number
  readonly wallet: Address
}
