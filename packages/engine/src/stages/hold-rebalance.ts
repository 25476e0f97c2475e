import type { BlockTime } from '@svc/amm'
import { vaultAbi } from '@svc/amm/abis'
import { getAddress } from 'viem'
import type { VaultRebalanceBounds } from '../calldata/call-bounds.ts'
import type { Reserved } from './reserve-spend.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'

/**
 * Opens the breaker where the shares of a vault that the wallet has rebalanced are worth less in the block that did it than in the one it was
 * checked at, by more than the policy lets a call lose. What its calldata asks for, the vault has made sure of; what came in the same block
 * behind that, as where a strategy is made cheap again, this alone sees. Those who want out may go.
 */
export async function holdRebalance(context: Reserved, minedIn: BlockTime | null): Promise<void> {
  const { engine, call, chain, value, callBounds } = context
  const { maxLossBps } = value.bounds
  for (const bounds of callBounds.flatMap(({ rebalances }) => rebalances)) {
    const [before, after] = await worthAround(context, bounds, minedIn)
    if (after * 10_000n >= before * BigInt(10_000 - maxLossBps)) continue
    const cause = `shares of the vault ${getAddress(bounds.vault)} that request ${call.requestId} on ${chain.name} has rebalanced are worth over ${maxLossBps} bps less`
    await openBreaker(engine, cause, 'shortfall')
  }
}

/** In the asset, as the vault says itself. Throws `RPC_*`. */
async function worthAround(
  { client, snapshotTaken }: Pick<Reserved, 'client' | 'snapshotTaken'>,
  { vault, shares }: VaultRebalanceBounds,
  minedIn: BlockTime | null,
): Promise<readonly [bigint, bigint]> {
  const read = { address: getAddress(vault), abi: vaultAbi, functionName: 'convertToAssets', args: [shares] } as const
  return await Promise.all([
    client.readContract({ ...read, blockNumber: snapshotTaken.block.number }),
    client.readContract({ ...read, ...(minedIn === null ? {} : { blockNumber: minedIn.number }) }),
  ])
}
