import type { Chain } from '@svc/wallet/core'
import type { BlockTime, RpcPool } from '../ports.ts'
import { joinQueries, mapQuery, type Query, readQuery } from './query.ts'
import { readNewest } from './read-all.ts'
import { type PastQuery, readPast } from './read-one.ts'

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
