import type { Chain } from '@svc/wallet/core'
import type { Ports } from '../ports.ts'
import { valueUsd } from './value-usd.ts'

/**
 * What gas costs now: the base fee of the newest block, the priority fees (wei per gas) that the lowest tenth, the half and
 * the highest tenth of the last blocks' gas paid at most (EIP-1559, eth_feeHistory), and the dollar cost of gas units at
 * the normal one. Fees that a rollup charges for its data on another chain are not counted.
 */
export async function readGasPrice(ports: Pick<Ports, 'rpc' | 'tokens' | 'prices'>, chain: Chain): Promise<GasPrice> {
  const client = ports.rpc.client(chain)
  const native = ports.tokens.wrapped(chain)
  const [head, history, price] = await Promise.all([
    ports.rpc.head(chain),
    client.getFeeHistory({ blockCount: historyBlocks, rewardPercentiles: [10, 50, 90] }),
    ports.prices.usd(chain, native),
  ])
  const rewards = history.reward ?? []
  const normal = median(rewards.map((row) => row[1] ?? 0n))
  const perGasWei = head.baseFeePerGas + normal
  return {
    blockNumber: head.number,
    baseFeeWei: head.baseFeePerGas,
    priorityFeeWei: {
      slow: median(rewards.map((row) => row[0] ?? 0n)),
      normal,
      fast: median(rewards.map((row) => row[2] ?? 0n)),
    },
    nativeUsd: price?.usd ?? null,
    costUsd: (gas) => valueUsd(gas * perGasWei, native, price),
  }
}

export type GasPrice = {
  readonly blockNumber: bigint
  readonly baseFeeWei: bigint
  readonly priorityFeeWei: { readonly slow: bigint; readonly normal: bigint; readonly fast: bigint }
  readonly nativeUsd: number | null
  /** US dollars for so many units of gas at the normal price; null without a price of the native currency. */
  costUsd(gas: bigint): number | null
}

const historyBlocks = 20

function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}

/** Units of gas of one v3 operation, measured on the local chain with the real contracts; decrease collects as well. */
export const typicalGas = { swap: 126_000n, mint: 450_000n, decrease: 188_000n, collect: 202_000n } as const
