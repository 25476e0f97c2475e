import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chains } from '@svc/wallet/core'
import { keccak256, numberToHex, parseAbi, toHex, zeroAddress } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import type { RpcPool } from '../ports.ts'
import { contractFunction } from './contract-function.ts'
import { readAtHead, query } from './query.ts'
import { createRpcPool } from './create-rpc-pool.ts'

const base = chains.find((chain) => chain.name === 'base')!
const nowMs = 1_800_000_000_000
const servers: Server[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => closed(server)))
})

/** What the endpoint that answers says: each has a balance of its own. */
const teller = (pool: RpcPool) => pool.client(base).getBalance({ address: zeroAddress })
const tellerOfPast = (pool: RpcPool) => pool.past(base).getBalance({ address: zeroAddress, blockNumber: 3n })

describe('an answer', () => {
  it('reads from the endpoint that gave its head, although one before it is well again', async () => {
    const [first, second] = [await startNode(1), await startNode(2)]
    const { pool, clock } = poolOver(first, second)
    first.isDown = true
    const told = await pool.atOneBlock!(async () => {
      await pool.head(base)
      first.isDown = false
      clock.now += 30_000 - 1
      const before = await teller(pool)
      clock.now += 1
      return [before, await teller(pool)]
    })
    expect(told).toEqual([2n, 2n])
    expect(await teller(pool)).toBe(1n)
  })

  it('goes on with another endpoint that shows the same block, which is asked for it once', async () => {
    const [first, second] = [await startNode(1), await startNode(2, { head: 103 })]
    const { pool } = poolOver(first, second)
    const told = await pool.atOneBlock!(async () => {
      const { number } = await pool.head(base)
      first.isDown = true
      return [number, await teller(pool), await teller(pool), (await pool.head(base)).number]
    })
    expect(told).toEqual([100n, 2n, 2n, 100n])
    expect(second.asked('eth_getBlockByNumber')).toBe(1)
  })

  it.each([
    ['some blocks behind', { head: 97 }],
    ['on another fork', { head: 103, fork: 'other' }],
  ])('ends with an error that can be retried rather than go on with one %s', async (_, other) => {
    const [first, second] = [await startNode(1), await startNode(2, other)]
    const { pool } = poolOver(first, second)
    const asking = pool.atOneBlock!(async () => {
      await pool.head(base)
      first.isDown = true
      return teller(pool)
    })
    await expect(asking).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('No other endpoint shows block 100 of this answer'),
    })
    expect(second.asked('eth_getBalance')).toBe(0)
    expect(await pool.atOneBlock!(() => teller(pool))).toBe(2n)
  })

  it('whose head another endpoint gives takes nothing that was read meanwhile from the first', async () => {
    const [first, second] = [await startNode(1, { refuses: 'eth_getBlockByNumber' }), await startNode(2)]
    const { pool } = poolOver(first, second)
    const both = () => Promise.all([teller(pool), pool.head(base)])
    expect((await pool.atOneBlock!(both))[0]).toBe(2n)
    expect(first.asked('eth_getBalance')).toBe(1)
    // Nor when the read comes before anyone asks for the head.
    const later = async () => [await teller(pool), (await pool.head(base)).number]
    expect(await pool.atOneBlock!(later)).toEqual([2n, 100n])
  })

  it('rests after ten seconds on a newer head of an endpoint that shows the one before', async () => {
    const [first, second] = [await startNode(1), await startNode(2, { head: 120, fork: 'other' })]
    const { pool, clock } = poolOver(first, second)
    const numbers = await pool.atOneBlock!(async () => {
      const before = await pool.head(base)
      first.head = 105
      clock.now += 10_000
      const after = await pool.head(base)
      first.isDown = true
      clock.now += 10_000
      await expect(pool.head(base)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
      return [before.number, after.number]
    })
    expect(numbers).toEqual([100n, 105n])
  })

  it('takes older state from an endpoint that keeps it, if that shows the head, asked once', async () => {
    const pruned = await startNode(1, { refuses: 'eth_getBalance' })
    const forked = await startNode(2, { fork: 'other' })
    const archive = await startNode(3)
    const { pool } = poolOver(pruned, forked, archive)
    const told = await pool.atOneBlock!(async () => {
      await pool.head(base)
      await expect(tellerOfPast(pool)).rejects.toMatchObject({ code: 'RPC_REFUSED' })
      return Promise.all([tellerOfPast(pool), tellerOfPast(pool)])
    })
    expect(told).toEqual([3n, 3n])
    expect([forked, archive].map((node) => [node.asked('eth_getBlockByNumber'), node.asked('eth_getBalance')])).toEqual(
      [
        [1, 0],
        [1, 2],
      ],
    )
  })

  it('asks for its head with its first read, in one exchange', async () => {
    const node = await startNode(1)
    const { pool } = poolOver(node)
    const chainTime = contractFunction(parseAbi(['function time() view returns (uint256)']), 'time')
    await pool.atOneBlock!(async () => {
      await teller(pool)
      expect(node.exchanges).toHaveLength(1)
      const asked = query([chainTime(zeroAddress, [])], (answers) => answers)
      await readAtHead(pool, base, asked).catch(() => null)
    })
    expect(node.asked('eth_getBlockByNumber')).toBe(1)
  })

  it('shares what it sees with answers of the same head and endpoint alone', async () => {
    const [first, second] = [await startNode(1), await startNode(2)]
    const { pool } = poolOver(first, second)
    const name = () =>
      pool.atOneBlock!(async () => [pool.nameOfView!(base), await pool.head(base), pool.nameOfView!(base)])
    const [[early, , one], [, , other]] = [await name(), await name()] as const
    first.isDown = true
    const [, , elsewhere] = await name()
    expect([one === other, one === elsewhere, one === early, pool.nameOfView!(base)]).toEqual([
      true,
      false,
      false,
      'newest',
    ])
  })
})

it('what is known of ranges of logs is that of the endpoint that is asked', async () => {
  const [first, second] = [await startNode(1), await startNode(2)]
  const { pool } = poolOver(first, second)
  const spans = () =>
    pool.atOneBlock!(async () => {
      await pool.head(base)
      return pool.nextEndpoint!(base)!.logSpans
    })
  const ofFirst = await spans()
  ofFirst.keep('a pool', { blocks: 500n, isWidest: true }, 2_000n)
  expect((await spans()).of('a pool', 2_000n).blocks).toBe(500n)
  first.isDown = true
  expect((await spans()).of('a pool', 2_000n).blocks).toBe(2_000n)
})

describe('what belongs to no answer', () => {
  it('goes to whichever endpoint answers, as writes do, on another fork too', async () => {
    const [first, second] = [await startNode(1), await startNode(2, { head: 97, fork: 'other' })]
    const { pool } = poolOver(first, second)
    await pool.head(base)
    first.isDown = true
    expect([await teller(pool), pool.seenHead!(base)]).toEqual([2n, null])
    expect(second.asked('eth_getBlockByNumber')).toBe(0)
  })

  it('so does a transaction that is sent while one is underway, and what goes on a minute after its end', async () => {
    const [first, second] = [await startNode(1), await startNode(2, { fork: 'other' })]
    const { pool, clock } = poolOver(first, second)
    const later: Promise<bigint>[] = []
    let begin = () => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    await pool.atOneBlock!(async () => {
      await pool.head(base)
      first.isDown = true
      await teller(pool).catch(() => null)
      await pool.client(base).sendRawTransaction({ serializedTransaction: '0x02' })
      later.push(begun.then(() => teller(pool)))
    })
    expect(second.asked('eth_sendRawTransaction')).toBe(1)
    clock.now += 60_000
    begin()
    expect(await Promise.all(later)).toEqual([2n])
  })
})

type Node = {
  readonly url: string
  readonly exchanges: string[]
  head: number
  isDown: boolean
  asked(method: string): number
}

/** A node that tells `balance` of every account, whose blocks are those of its fork, and which closes the connection while it is down. */
async function startNode(balance: number, { head = 100, fork = 'main', refuses = '' } = {}): Promise<Node> {
  const blockOf = (number: number) =>
    number > node.head
      ? null
      : {
          number: numberToHex(number),
          timestamp: numberToHex(nowMs / 1_000),
          hash: keccak256(toHex(`${fork} ${number}`)),
        }
  const results: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => numberToHex(base.id),
    eth_getBlockByNumber: ([asked]) => blockOf(asked === 'latest' ? node.head : Number(asked)),
    eth_getBalance: () => numberToHex(balance),
    eth_sendRawTransaction: () => keccak256('0x02'),
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      if (node.isDown) {
        response.destroy()
        return
      }
      node.exchanges.push(body)
      const calls = JSON.parse(body) as Call | readonly Call[]
      const answer = ({ id, method, params }: Call) =>
        method === refuses
          ? { jsonrpc: '2.0', id, error: { code: -32_601, message: 'not here' } }
          : { jsonrpc: '2.0', id, result: results[method]?.(params) ?? null }
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls as Call)))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const node: Node = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges: [],
    head,
    isDown: false,
    asked: (method) => node.exchanges.join().split(`"${method}"`).length - 1,
  }
  return node
}

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

function poolOver(...nodes: readonly Node[]) {
  const clock = { now: nowMs }
  const urls = () => nodes.map(({ url }) => url)
  const patience = { timeoutMs: 60_000, slowTimeoutMs: 60_000, probePatienceMs: 60_000, retryPauseMs: 1 }
  return { clock, pool: createRpcPool({ urls, now: () => clock.now, ...patience }) }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
