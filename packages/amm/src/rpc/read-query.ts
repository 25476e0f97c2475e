import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { Query } from './query.ts'
import { readAll } from './read-all.ts'

/** Carries a query out at one block. @throws ToolError `RPC_*` */
export async function readQuery<Result>(
  client: PublicClient,
  chain: Chain,
  query: Query<Result>,
  blockNumber: bigint,
  readsPerCall?: number,
): Promise<Result> {
  if (query.reads.length === 0) return query.finish([])
  return query.finish(await readAll(client, chain, query.reads, blockNumber, readsPerCall))
}
