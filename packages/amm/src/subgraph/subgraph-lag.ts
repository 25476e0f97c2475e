import type { Chain } from '@svc/wallet/core'
import type * as z from 'zod'
import type { metaField } from './fields.ts'
import { SubgraphError } from './subgraph-error.ts'

/**
 * How many seconds the block of an answer is behind the head of its chain. Throws `SubgraphError` `stale` for a subgraph that has
 * stopped at an error, that lacks more than a quarter of an hour of what was asked for, up to `neededUntil` (Unix seconds), or that is
 * as much ahead of the head.
 */
export function subgraphLag(
  meta: z.output<typeof metaField>,
  head: { readonly number: bigint; readonly timestamp: bigint },
  chain: Pick<Chain, 'blockTimeSeconds'>,
  neededUntil: number,
): number {
  if (meta.hasIndexingErrors) throw new SubgraphError('stale', 'has stopped at an error of its own')
  const headTime = Number(head.timestamp)
  const lagOfBlocks = (Number(head.number) - meta.block.number) * chain.blockTimeSeconds
  const lag = meta.block.timestamp === null ? lagOfBlocks : headTime - meta.block.timestamp
  if (Math.min(lag, lagOfBlocks) < -mostMissingSeconds) throw new SubgraphError('stale', 'is ahead of its chain')
  const missing = Math.min(neededUntil, headTime) - (headTime - lag)
  if (missing > mostMissingSeconds) throw new SubgraphError('stale', `is ${Math.round(lag)} seconds behind its chain`)
  return Math.max(0, Math.round(lag))
}

const mostMissingSeconds = 900
