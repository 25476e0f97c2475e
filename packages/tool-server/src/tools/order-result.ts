import type { ViewedOrder } from '@svc/engine'
import type { ReadContext } from '../tool.ts'
import { explorerUrl, tokenAmount } from './results.ts'

/** What has become of a signed order, in whole tokens; figures of its fill are those of the transaction that filled it. */
export async function orderResult(
  { chainId, orderId, order, status, state, fill, isFinal }: ViewedOrder,
  { chains, tokens }: Pick<ReadContext, 'chains' | 'tokens'>,
): Promise<OrderResult> {
  const chain = chains.get(`${chainId}`)
  const [tokenIn, tokenOut] = await Promise.all([
    tokens.byAddress(chain, order.tokenIn),
    tokens.byAddress(chain, order.tokenOut),
  ])
  return {
    orderId,
    status,
    isFinal,
    isAccepted: state !== 'signed',
    tokenIn: { address: tokenIn.address, symbol: tokenIn.symbol },
    tokenOut: { address: tokenOut.address, symbol: tokenOut.symbol },
    amountIn: tokenAmount(fill?.amountIn ?? order.amountIn, tokenIn),
    amountOut: fill === null ? null : tokenAmount(fill.amountOut, tokenOut),
    startAmountOut: tokenAmount(order.startAmountOut, tokenOut),
    minAmountOut: tokenAmount(order.endAmountOut, tokenOut),
    txHash: fill?.txHash ?? null,
    filler: fill?.filler ?? null,
    explorerUrl: fill === null ? null : explorerUrl(chain, fill.txHash),
  }
}

export type OrderResult = {
  readonly orderId: string
  readonly status: ViewedOrder['status']
  /** Whether no later block changes that, so that nothing is reserved for it any more. */
  readonly isFinal: boolean
  /** Whether its fillers took it. */
  readonly isAccepted: boolean
  readonly tokenIn: { readonly address: string; readonly symbol: string }
  readonly tokenOut: { readonly address: string; readonly symbol: string }
  readonly amountIn: string
  /** `null` unless it is filled, as are the three that say by what. */
  readonly amountOut: string | null
  readonly startAmountOut: string
  readonly minAmountOut: string
  readonly txHash: string | null
  readonly filler: string | null
  readonly explorerUrl: string | null
}
