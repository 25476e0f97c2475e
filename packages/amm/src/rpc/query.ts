import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { ContractRead } from './contract-function.ts'
import { readAll, type ReadResults } from './read-all.ts'

/** Reads that belong together and what their results mean; queries combine, so that many travel in one request. */
export type Query<Result> = {
  readonly reads: readonly ContractRead<unknown>[]
  finish(results: readonly unknown[]): Result
}

/** A query over reads; `finish` gets a result for each, `null` where a read reverted. */
export function query<const TReads extends readonly ContractRead<unknown>[], Result>(
  reads: TReads,
  finish: (results: ReadResults<TReads>) => Result,
): Query<Result> {
  return { reads, finish: (results) => finish(results as ReadResults<TReads>) }
}

/** Several queries as one, with their results in order. */
export function joinQueries<const TQueries extends readonly Query<unknown>[]>(
  queries: TQueries,
): Query<{ readonly [Key in keyof TQueries]: TQueries[Key] extends Query<infer Result> ? Result : never }> {
  return {
    reads: queries.flatMap(({ reads }) => reads),
    finish(results) {
      let start = 0
      return queries.map((query) => query.finish(results.slice(start, (start += query.reads.length)))) as never
    },
  }
}

/** A query that reads nothing and knows its result. */
export function knownQuery<Result>(result: Result): Query<Result> {
  return { reads: [], finish: () => result }
}

/** A query with its result turned into another. */
export function mapQuery<From, To>(from: Query<From>, turn: (result: From) => To): Query<To> {
  return { reads: from.reads, finish: (results) => turn(from.finish(results)) }
}

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
