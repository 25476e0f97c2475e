import type { Chain } from '@svc/wallet/core'
import { decodeFunctionResult, encodeFunctionData, type Address, type Hex } from 'viem'
import type { Ports } from '../ports.ts'
import { type Token, tokenLabel, ToolError } from '@svc/amm'
import { erc20Abi } from '@svc/amm/abis'
import { findHolder } from '@svc/amm/liquidity'

/**
 * What a token keeps back on a transfer, in basis points, found by simulating one out of a pool that holds it; null when no
 * pool does or the endpoint cannot simulate. Nothing is sent.
 */
export async function detectTransferFee(ports: Pick<Ports, 'rpc'>, chain: Chain, token: Token): Promise<number | null> {
  if (token.isNative) return 0
  const holder = await findHolder(ports, chain, token)
  const sent = (holder?.units ?? 0n) / 1000n
  if (holder === null || sent === 0n) return null
  try {
    const [block] = await ports.rpc.client(chain).simulateBlocks({
      blocks: [{ calls: [balanceCall(token), transferCall(token, holder.address, sent), balanceCall(token)] }],
      blockNumber: holder.at.number,
    })
    const [before, transfer, after] = block?.calls ?? []
    if (before === undefined || after === undefined || transfer?.status !== 'success') return null
    const received = balanceOf(after.data) - balanceOf(before.data)
    // To the nearest: a token rounds what it keeps down.
    return Number(((sent - received) * 10_000n + sent / 2n) / sent)
  } catch {
    return null
  }
}

/** Which of these tokens keep a part of each transfer. Only unlisted ones are looked at: of listed ones it is known that they do not. */
export async function keepingTokens(
  ports: Pick<Ports, 'rpc'>,
  chain: Chain,
  tokens: readonly Token[],
): Promise<readonly KeepingToken[]> {
  const unlisted = tokens.filter(({ listed }) => !listed)
  const fees = await Promise.all(unlisted.map((token) => detectTransferFee(ports, chain, token)))
  return unlisted.flatMap((token, index) => {
    const feeBps = fees[index] ?? 0
    const says = `${tokenLabel(token)} keeps ${feeBps / 100} % of each transfer`
    return feeBps > 0 ? [{ token, feeBps, says }] : []
  })
}

/** The slippage, in basis points, that a trade of tokens which keep a part of each transfer takes, beside that of its price. */
export function slippageWithFees(keeping: readonly KeepingToken[], priceBps: number): number {
  return keeping.reduce((sum, { feeBps }) => sum + feeBps, priceBps)
}

/** No router promises an exact output of such a token, or for it: they count what the pool pays, not what arrives. */
export function exactOutRefusal(keeping: readonly KeepingToken[], cause?: unknown): ToolError {
  const message = `${keeping.map(({ says }) => says).join(', ')}: no exact amount of it can be promised.`
  return new ToolError('VALIDATION_FAILED', message, {
    details: [{ field: 'type', message, accepted: 'exact_in' }],
    cause,
  })
}

export type KeepingToken = { readonly token: Token; readonly feeBps: number; readonly says: string }

/** An address without a key or code. */
const probe: Address = '0x000000000000000000000000000000000000f0fe'

function balanceCall(token: Token): { to: Address; data: Hex } {
  return {
    to: token.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [probe] }),
  }
}

function transferCall(token: Token, from: Address, amount: bigint): { from: Address; to: Address; data: Hex } {
  return {
    from,
    to: token.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [probe, amount] }),
  }
}

function balanceOf(data: Hex): bigint {
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data })
}
