import type { Chain } from '@svc/wallet/core'
import { type PublicClient, type Address, type Hex, parseAbi } from 'viem'
import { type ContractRead, contractFunction } from './contract-function.ts'
import { readAll, type ReadResults, ethCall, everyResult, readOnce, readNewest } from './read-all.ts'
import { ToolError } from '../tool-error.ts'
import type { RpcPool, BlockTime } from '../ports.ts'

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

/**
 * One read without Multicall3, at the newest block where none is named. As in `readAll`, one that reverts or answers with other
 * bytes than its ABI says is `null`, and a failing endpoint is never taken for that.
 *
 * @throws ToolError `RPC_*`
 */
export async function readOne<Result>(
  client: PublicClient,
  read: ContractRead<Result>,
  blockNumber?: bigint,
): Promise<Result | null> {
  const answer = await callAnswer(client, read, blockNumber)
  if (answer === '0x') return null
  try {
    return read.decode(answer)
  } catch {
    return null
  }
}

/** The bytes that a contract answers with; `0x` where it reverts. @throws ToolError `RPC_*` */
export async function callAnswer(
  client: PublicClient,
  { to, data }: { readonly to: Address; readonly data: Hex },
  blockNumber?: bigint,
): Promise<Hex> {
  try {
    return await ethCall(client, { to, data }, blockNumber)
  } catch (error) {
    if (error instanceof ToolError) throw error
    return '0x'
  }
}

/**
 * Like `readOne`, for a read that cannot revert.
 *
 * @throws ToolError `RPC_*`, `RPC_REFUSED` where it did, or was answered with other bytes.
 */
export async function readSurely<Result>(
  client: PublicClient,
  read: ContractRead<Result>,
  blockNumber?: bigint,
): Promise<Result> {
  const [result] = everyResult([await readOne(client, read, blockNumber)])
  return result as Result
}

/** What is made of older state, which depends on the time of its block. */
export type PastQuery<Result> = Query<(atSeconds: number) => Result>

/**
 * Carries a query out at an older block and gives it the time of that block, which Multicall3 tells in the same call. `null`
 * where the endpoint does not have that state, or cannot be read: what is gone is no error. Nothing is asked twice.
 */
export async function readPast<Result>(
  rpc: Pick<RpcPool, 'past'>,
  chain: Chain,
  past: PastQuery<Result>,
  blockNumber: bigint,
): Promise<Result | null> {
  const timed = mapQuery(joinQueries([timeQuery(chain), past] as const), ([atSeconds, reported]) =>
    atSeconds === null ? null : reported(atSeconds),
  )
  const results = await readOnce(rpc.past(chain), chain, timed.reads, blockNumber)
  return results === null ? null : timed.finish(results)
}

function timeQuery({ multicall3 }: Chain): Query<number | null> {
  return query([readTime(multicall3, [])], ([seconds]) => (seconds === null ? null : Number(seconds)))
}

const multicall3Abi = parseAbi(['function getCurrentBlockTimestamp() view returns (uint256 timestamp)'])
/** The time of a block, by Multicall3. */
export const readTime = contractFunction(multicall3Abi, 'getCurrentBlockTimestamp')

/** Reads of a chain at one block and before it; whatever is asked for at once travels as one call for each block. */
export type BlockReads = {
  readonly head: BlockTime
  /** @throws ToolError `RPC_*` */
  now<Result>(query: Query<Result>): Promise<Result>
  /** `null` where the endpoint does not have the state of that block. */
  past<Result>(query: PastQuery<Result>, blockNumber: bigint): Promise<Result | null>
}

export function createBlockReads(rpc: Pick<RpcPool, 'client' | 'past'>, chain: Chain, head: BlockTime): BlockReads {
  const client = rpc.client(chain)
  const now = gather((queries: readonly Query<unknown>[]) =>
    readQuery(client, chain, joinQueries(queries), head.number),
  )
  const blocks = new Map<bigint, ReturnType<typeof gatherAt>>()

  function gatherAt(blockNumber: bigint) {
    return gather(async (queries: readonly PastQuery<unknown>[]) => {
      const joined = mapQuery(
        joinQueries(queries),
        (reported) => (atSeconds: number) => reported.map((one) => one(atSeconds)),
      )
      return (await readPast(rpc, chain, joined, blockNumber)) ?? queries.map(() => null)
    })
  }

  return {
    head,
    now: <Result>(query: Query<Result>) => now(query) as Promise<Result>,
    past: <Result>(query: PastQuery<Result>, blockNumber: bigint) => {
      const ask = blocks.get(blockNumber) ?? gatherAt(blockNumber)
      blocks.set(blockNumber, ask)
      return ask(query) as Promise<Result | null>
    },
  }
}

/**
 * Carries a query out at the newest block, in the exchange that finds out which one that is. The answer says of which block it is; where that
 * is another than the head (the chain went on in between, or another endpoint answered), it is asked for again at the head.
 *
 * @throws ToolError `RPC_*`
 */
export async function readAtHead<Result>(
  rpc: Pick<RpcPool, 'client' | 'head' | 'seenHead'>,
  chain: Chain,
  asked: Query<Result>,
): Promise<{ readonly head: BlockTime; readonly result: Result }> {
  const client = rpc.client(chain)
  if ((rpc.seenHead?.(chain) ?? null) !== null) {
    const head = await rpc.head(chain)
    return { head, result: await readQuery(client, chain, asked, head.number) }
  }
  const [head, newest] = await Promise.all([rpc.head(chain), readNewest(client, chain, asked.reads)])
  if (newest?.blockNumber === head.number) return { head, result: asked.finish(newest.results) }
  return { head, result: await readQuery(client, chain, asked, head.number) }
}

/**
 * Carries items out together: those that come before the event loop goes on are one list, whoever brings them. A list that
 * fails fails for each of them.
 *
 * @param carryOut answers every item of a list, in order
 */
export function gather<Item, Answer>(
  carryOut: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = []

  async function flush(): Promise<void> {
    const list = waiting
    waiting = []
    try {
      const answers = await carryOut(list.map(({ item }) => item))
      for (const [index, { resolve }] of list.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of list) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // After everything that follows from what has been answered, and before the loop sends anything.
      if (waiting.length === 0) process.nextTick(() => void flush())
      waiting.push({ item, resolve, reject })
    })
}

type Waiting<Item, Answer> = {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
