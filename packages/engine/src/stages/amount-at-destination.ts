import { formatAmount } from '@svc/lp-math'
import type { PlannedAmount } from '@svc/amm'
import { getAddress } from 'viem'
import { assetKey } from '../call/amounts.ts'
import { usdOf } from '../value/spend-value.ts'
import type { Reserved } from './reserve-spend.ts'

/** What a cross-chain order brings on its destination, in the words of the token there. */
export function amountAtDestination({ intent: { crossChain }, priced }: Reserved): PlannedAmount {
  if (crossChain === undefined) throw new TypeError('nothing of the intent arrives on another chain')
  const { destinationChainId: chainId, outputToken, outputAmount } = crossChain
  const key = assetKey(chainId, outputToken)
  const known = priced.get(key)?.token
  return {
    token: getAddress(outputToken),
    chainId,
    symbol: known?.symbol ?? 'unknown',
    amount: known === undefined ? `${outputAmount}` : formatAmount(outputAmount, known.decimals),
    usd: usdOf(key, outputAmount, priced),
    raw: `${outputAmount}`,
    decimals: known?.decimals ?? null,
    isListed: known?.listed ?? false,
  }
}
