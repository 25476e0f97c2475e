import type { ViewedCrossChain, ViewedOrder } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import type { ReadContext } from '../tool-context.ts'
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

/** What has become of a cross-chain order at both ends, in whole tokens. */
export async function crossChainResult(
  viewed: ViewedCrossChain,
  { chains, tokens }: Pick<ReadContext, 'chains' | 'tokens'>,
): Promise<CrossChainResult> {
  const { chainId, orderId, order, status, isFinal, openTxHash, fill, refund } = viewed
  const [chain, destination] = [chains.get(`${chainId}`), chains.get(`${order.destinationChainId}`)]
  const [tokenIn, tokenOut] = await Promise.all([
    tokens.byAddress(chain, order.inputToken),
    tokens.byAddress(destination, order.outputToken),
  ])
  const linkTo = (hash: Hash | null, at: Chain) => (hash === null ? null : explorerUrl(at, hash))
  return {
    orderId,
    status,
    isFinal,
    fillDeadline: new Date(order.fillDeadline * 1_000).toISOString(),
    origin: {
      chain: { id: chain.id, name: chain.name },
      tokenIn: { address: tokenIn.address, symbol: tokenIn.symbol },
      amountIn: tokenAmount(order.inputAmount, tokenIn),
      txHash: openTxHash,
      explorerUrl: linkTo(openTxHash, chain),
      refundedAmount: refund === null ? null : tokenAmount(refund.amountIn, tokenIn),
      refundTxHash: refund?.txHash ?? null,
    },
    destination: {
      chain: { id: destination.id, name: destination.name },
      tokenOut: { address: tokenOut.address, symbol: tokenOut.symbol },
      minAmountOut: tokenAmount(order.outputAmount, tokenOut),
      amountOut: fill === null ? null : tokenAmount(fill.amountOut, tokenOut),
      recipient: order.recipient,
      txHash: fill?.txHash ?? null,
      filler: fill?.filler ?? null,
      explorerUrl: linkTo(fill?.txHash ?? null, destination),
    },
  }
}

export type CrossChainResult = {
  readonly orderId: string
  readonly status: ViewedCrossChain['status']
  /** Whether no later block changes that, so that nothing is reserved for it any more. */
  readonly isFinal: boolean
  readonly fillDeadline: string
  readonly origin: {
    readonly chain: { readonly id: number; readonly name: string }
    readonly tokenIn: { readonly address: string; readonly symbol: string }
    readonly amountIn: string
    readonly txHash: string | null
    readonly explorerUrl: string | null
    /** `null` unless it came back. */
    readonly refundedAmount: string | null
    readonly refundTxHash: string | null
  }
  readonly destination: {
    readonly chain: { readonly id: number; readonly name: string }
    readonly tokenOut: { readonly address: string; readonly symbol: string }
    readonly minAmountOut: string
    /** `null` unless it is filled, as are the three that say by what. */
    readonly amountOut: string | null
    readonly recipient: string
    readonly txHash: string | null
    readonly filler: string | null
    readonly explorerUrl: string | null
  }
}
