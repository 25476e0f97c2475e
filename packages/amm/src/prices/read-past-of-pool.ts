import type { Chain } from '@svc/wallet/core'
import type { BlockReads } from '../rpc/create-block-reads.ts'
import type { PoolPlace } from './named-tokens.ts'
import type { PastTimes } from './past-times.ts'
import { snapshotQuery } from './pool-query.ts'
import type { PoolSnapshot } from './band/pool-reading.ts'

/** A pool at the older blocks whose state the endpoint has. */
export async function readPastOfPool(
  chain: Chain,
  reads: BlockReads,
  { row }: Pick<PoolPlace, 'row'>,
  { forSums, forMoments }: PastTimes,
): Promise<readonly PoolSnapshot[]> {
  const numbers = row.version === 'v2' ? forSums : forMoments
  const snapshot = snapshotQuery(chain, { row })
  const found = await Promise.all(numbers.map((number) => reads.past(snapshot, number)))
  return found.flatMap((one) => one ?? [])
}
