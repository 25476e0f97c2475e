import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chains } from '@svc/wallet/core'
import {
  BaseError,
  encodeErrorResult,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  RpcRequestError,
  toFunctionSelector,
} from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { ToolError } from '../tool-error.ts'
import { yieldToEventLoop } from '@svc/runtime'
import { createRpcPool } from './create-rpc-pool.ts'

const base = chains.find((chain) => chain.name === 'base')!
const nowSeconds = 1_800_000_000
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

describe('head', () => {
  it('reads the newest block and the chain id in one request', async () => {
    const node = await startNode()
    const head = await poolOver(node).head(base)
    expect(head).toEqual({
      number: 100n,
      timestamp: BigInt(nowSeconds),
      hash: keccak256('0x01'),
      baseFeePerGas: 7n,
    })
    expect(node.exchanges).toHaveLength(1)
    expect(node.exchanges[0]).toContain('eth_chainId')
  })

  it('is read once for all who ask in the same turn, and anew after it', async () => {
    const node = await startNode()
    const pool = poolOver(node)
    await pool.head(base)
    const heads = await Promise.all([pool.head(base), pool.head(base), pool.head(base)])
    expect(new Set(heads.map(({ number }) => number))).toEqual(new Set([100n]))
    expect(node.exchanges.at(-1)?.match(/eth_getBlockByNumber/g)).toHaveLength(1)
    await pool.head(base)
    expect(node.exchanges).toHaveLength(3)
  })

  it('is read anew by who asks later, however many still wait for their round of the event loop', async () => {
    const node = await startNode()
    const pool = poolOver(node)
    const others = Array.from({ length: 30 }, () => yieldToEventLoop())
    const early = pool.head(base)
    await new Promise((resolve) => setImmediate(resolve))
    const late = pool.head(base)
    await Promise.all([early, late, ...others])
    expect(node.exchanges.join().match(/eth_getBlockByNumber/g)).toHaveLength(2)
  })

  it('refuses an endpoint of another chain, each time', async () => {
    const node = await startNode({ chainId: 1 })
    const pool = poolOver(node)
    await expectCode(pool.head(base), 'RPC_CHAIN_MISMATCH')
    await expectCode(pool.head(base), 'RPC_CHAIN_MISMATCH')
  })

  it('notices when an endpoint that was right serves another chain later', async () => {
    const node = await startNode()
    const pool = poolOver(node)
    await pool.head(base)
    node.chainId = 10
    await expectCode(pool.head(base), 'RPC_CHAIN_MISMATCH')
  })

  it('refuses a head older than the chain allows, and takes any age where blocks come only with transactions', async () => {
    const node = await startNode({ timestamp: nowSeconds - 61 })
    await expectCode(poolOver(node).head(base), 'RPC_STALE')
    node.timestamp = nowSeconds - 60
    await expect(poolOver(node).head(base)).resolves.toMatchObject({ number: 100n })
    node.timestamp = nowSeconds - 1_000_000
    await expect(poolOver(node).head({ ...base, maxHeadAgeSeconds: null })).resolves.toMatchObject({ number: 100n })
  })

  it('passes over a stale or foreign endpoint to a sound one, and keeps the order of the operator', async () => {
    const stale = await startNode({ timestamp: nowSeconds - 600 })
    const foreign = await startNode({ chainId: 1 })
    const sound = await startNode()
    const pool = poolOver(stale, foreign, sound)
    await expect(pool.head(base)).resolves.toMatchObject({ number: 100n })
    const before = stale.exchanges.length + foreign.exchanges.length
    await pool.head(base)
    expect(stale.exchanges.length + foreign.exchanges.length).toBe(before)
  })
})

describe('failures of an endpoint', () => {
  it('down: RPC_UNAVAILABLE, and no URL in what leaves', async () => {
    const node = await startNode()
    await node.close()
    const error = await expectCode(poolOver(node).client(base).getBlockNumber(), 'RPC_UNAVAILABLE')
    expect(JSON.stringify(error)).not.toContain('127.0.0.1')
  })

  it('slow to answer: RPC_TIMEOUT within the limit', async () => {
    const node = await startNode({ respond: () => {} })
    await expectCode(hastyPoolOver(node).head(base), 'RPC_TIMEOUT')
  })

  it('headers at once and a body that never ends: RPC_TIMEOUT as well', async () => {
    const node = await startNode({
      respond: (_calls, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('['),
    })
    await expectCode(hastyPoolOver(node).head(base), 'RPC_TIMEOUT')
  })

  it.each([
    ['an HTML page', 200, 'text/html', '<!doctype html><title>Sign in</title>'],
    ['truncated JSON', 200, 'application/json', '[{"jsonrpc":"2.0","id":1,"resu'],
    ['JSON that is not JSON-RPC', 200, 'application/json', '{"hello":"world"}'],
    ['an empty batch', 200, 'application/json', '[]'],
    ['null', 200, 'application/json', 'null'],
    ['a bad gateway', 502, 'text/html', '<h1>502</h1>'],
    ['nothing at that path', 404, 'text/plain', 'not found'],
  ])('%s: RPC_UNAVAILABLE, and none of its text in the answer', async (_, status, type, body) => {
    const node = await startNode({ respond: (_calls, response) => reply(response, status, type, body) })
    const pool = poolOver(node)
    await expectCode(pool.head(base), 'RPC_UNAVAILABLE')
    const error = await expectCode(pool.client(base).getBalance({ address: addressOf(1) }), 'RPC_UNAVAILABLE')
    expect(JSON.stringify(error)).not.toMatch(/hello|Sign in|502|resu/)
    await expectCode(pool.client(base).call({ to: addressOf(1), data: '0x' }), 'RPC_UNAVAILABLE')
  })

  it.each([
    ['too many requests', 429, '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"daily cap"}}'],
    ['unauthorised', 401, 'no key'],
    ['forbidden', 403, '{"error":"plan"}'],
    ['a limit in a good status', 200, '{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"slow down"}}'],
  ])('%s: RPC_REFUSED', async (_, status, body) => {
    const node = await startNode({ respond: (_calls, response) => reply(response, status, 'application/json', body) })
    const pool = poolOver(node)
    await expectCode(pool.head(base), 'RPC_REFUSED')
    await expectCode(pool.client(base).getBalance({ address: addressOf(1) }), 'RPC_REFUSED')
  })

  it('refuses to follow a redirect', async () => {
    const target = await startNode()
    const node = await startNode({
      respond: (_calls, response) => void response.writeHead(307, { location: target.url }).end(),
    })
    await expectCode(poolOver(node).head(base), 'RPC_UNAVAILABLE')
    expect(target.exchanges).toHaveLength(0)
  })

  it('cuts off an answer without end in size', async () => {
    const node = await startNode({
      respond: (_calls, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const chunk = `"${'x'.repeat(1 << 20)}",`
        const pour = (left: number): unknown =>
          left > 0 && !response.destroyed && response.write(chunk, () => pour(left - 1))
        pour(64)
      },
    })
    await expectCode(poolOver(node).client(base).getBlockNumber(), 'RPC_REFUSED')
  })

  it('a batch that lacks one answer is an error, never the answer of a neighbour', async () => {
    const node = await startNode({
      respond: (calls, response, self) => {
        const answers = calls.map((call) => self.answer(call)).filter((answer) => answer.id !== calls.at(-1)!.id)
        reply(response, 200, 'application/json', JSON.stringify(answers))
      },
    })
    const client = poolOver(node).client(base)
    const both = await Promise.allSettled([client.getBlockNumber(), client.getBalance({ address: addressOf(5) })])
    for (const outcome of both)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'RPC_UNAVAILABLE' } })
  })

  it('matches answers to calls by id, whatever their order', async () => {
    const node = await startNode({
      respond: (calls, response, self) =>
        reply(response, 200, 'application/json', JSON.stringify(calls.map((call) => self.answer(call)).reverse())),
    })
    const client = poolOver(node).client(base)
    const [block, balance] = await Promise.all([client.getBlockNumber(), client.getBalance({ address: addressOf(5) })])
    expect([block, balance]).toEqual([100n, 5n])
  })

  it('goes call by call where batches are refused', async () => {
    const node = await startNode({
      respond: (calls, response, self) =>
        self.exchanges.at(-1)!.startsWith('[')
          ? reply(response, 400, 'application/json', '{"error":"batches are not supported"}')
          : reply(response, 200, 'application/json', JSON.stringify(self.answer(calls[0]!))),
    })
    const pool = poolOver(node)
    await expect(pool.head(base)).resolves.toMatchObject({ number: 100n })
    const before = node.exchanges.length
    await pool.head(base)
    expect(node.exchanges.slice(before).every((body) => body.startsWith('{'))).toBe(true)
  })

  it('tries again once after a passing failure, and reads from the next endpoint', async () => {
    let failures = 2
    const node = await startNode({
      respond: (calls, response, self) => {
        if (failures-- > 0) reply(response, 503, 'text/plain', 'restarting')
        else self.serve(calls, response)
      },
    })
    await expectCode(poolOver(node).client(base).getBlockNumber(), 'RPC_UNAVAILABLE')
    await expect(poolOver(node).client(base).getBlockNumber()).resolves.toBe(100n)
    failures = 1
    await expect(poolOver(node).client(base).getBlockNumber()).resolves.toBe(100n)
    failures = Number.POSITIVE_INFINITY
    await expect(
      poolOver(node, await startNode())
        .client(base)
        .getBlockNumber(),
    ).resolves.toBe(100n)
  })

  it('reads from no endpoint of another chain', async () => {
    const node = await startNode({ chainId: 1 })
    const client = poolOver(node).client(base)
    await expectCode(client.getBalance({ address: addressOf(5) }), 'RPC_CHAIN_MISMATCH')
    await expectCode(client.call({ to: addressOf(1), data: '0x' }), 'RPC_CHAIN_MISMATCH')
  })

  it('says RPC_STALE when a node does not know the block yet', async () => {
    const node = await startNode({ errors: { eth_call: { code: -32000, message: 'header not found' } } })
    await expectCode(
      poolOver(node)
        .client(base)
        .call({ to: addressOf(1), data: '0x' }),
      'RPC_STALE',
    )
  })

  it('says RPC_REFUSED when a range of logs is too wide', async () => {
    const node = await startNode({ errors: { eth_getLogs: { code: -32000, message: 'range exceeds 2000 blocks' } } })
    await expectCode(poolOver(node).client(base).getLogs({ fromBlock: 1n, toBlock: 9n }), 'RPC_REFUSED')
  })

  it('says RPC_REFUSED when a method is unknown', async () => {
    const node = await startNode({ errors: { eth_call: { code: -32601, message: 'no such method' } } })
    await expectCode(
      poolOver(node)
        .client(base)
        .call({ to: addressOf(1), data: '0x' }),
      'RPC_REFUSED',
    )
  })

  it('leaves a revert to the caller, asked once', async () => {
    const node = await startNode({ errors: { eth_call: { code: 3, message: 'execution reverted: STF', data: '0x' } } })
    const error = await poolOver(node)
      .client(base)
      .call({ to: addressOf(1), data: '0x' })
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(BaseError)
    expect((error as BaseError).walk((cause) => cause instanceof RpcRequestError)).toMatchObject({ code: 3 })
    expect(node.exchanges.filter((body) => body.includes('eth_call'))).toHaveLength(1)
  })

  it('never follows an off-chain lookup', async () => {
    const lure = await startNode()
    // OffchainLookup(address,string[],bytes,bytes4,bytes) with the lure's URL would make viem fetch it.
    const node = await startNode({
      errors: { eth_call: { code: 3, message: 'execution reverted', data: lookup(lure.url) } },
    })
    await poolOver(node)
      .client(base)
      .call({ to: addressOf(1), data: '0x' })
      .catch(() => null)
    expect(lure.exchanges).toHaveLength(0)
  })
})

describe('transactions', () => {
  const raw = '0x02' as Hex

  it('go to one endpoint, once, outside of any batch', async () => {
    const node = await startNode({ respond: (_calls, response) => void response.destroy() })
    const second = await startNode()
    await node.close()
    const pool = poolOver(node, second)
    await expectCode(pool.client(base).sendRawTransaction({ serializedTransaction: raw }), 'RPC_UNAVAILABLE')
    expect(second.exchanges.filter((body) => body.includes('eth_send'))).toHaveLength(0)
    const client = pool.client(base)
    await client.getBlockNumber()
    await Promise.all([client.getBlockNumber(), client.sendRawTransaction({ serializedTransaction: raw })])
    const sends = second.exchanges.filter((body) => body.includes('eth_send'))
    expect(sends).toHaveLength(1)
    expect(sends[0]).toMatch(/^\{/)
  })

  it('G3: that are offered again for two minutes go to the other endpoints in turn, and new ones to the first', async () => {
    const [swallows, honest] = [await startNode(), await startNode()]
    const clock = { now: nowSeconds * 1000 }
    const pool = poolAt(clock, [swallows, honest])
    const sends = (node: typeof honest) => node.exchanges.filter((body) => body.includes('eth_send')).length
    const offer = (bytes: Hex) => pool.client(base).sendRawTransaction({ serializedTransaction: bytes })
    const offered = () => [sends(swallows), sends(honest)]
    await offer(raw)
    clock.now += 119_999
    await offer(raw)
    expect(offered()).toEqual([2, 0])
    clock.now += 1
    await offer(raw)
    expect(offered()).toEqual([2, 1])
    await offer('0x03')
    expect(offered()).toEqual([3, 1])
    await offer(raw)
    await offer(raw)
    expect(offered()).toEqual([4, 2])
  })

  it('never reach an endpoint of another chain', async () => {
    const node = await startNode({ chainId: 1 })
    const client = poolOver(node).client(base)
    await expectCode(client.sendRawTransaction({ serializedTransaction: raw }), 'RPC_CHAIN_MISMATCH')
    expect(node.exchanges.some((body) => body.includes('eth_send'))).toBe(false)
  })

  it('leave the words of a refusal to the sender', async () => {
    const node = await startNode({ errors: { eth_sendRawTransaction: { code: -32000, message: 'nonce too low' } } })
    const sent = poolOver(node).client(base).sendRawTransaction({ serializedTransaction: raw })
    await expect(sent).rejects.toThrow(/nonce too low/)
    await expect(sent).rejects.not.toBeInstanceOf(ToolError)
  })
})

describe('past', () => {
  it('asks one endpoint once, and next time one that may have what that one lacked', async () => {
    const pruned = await startNode({ errors: { eth_call: { code: -32_000, message: 'missing trie node' } } })
    const archive = await startNode()
    const pool = poolOver(pruned, archive)
    const read = () => pool.past(base).call({ to: addressOf(1), data: '0x12', blockNumber: 3n })
    const calls = () => [pruned, archive].map(({ exchanges }) => exchanges.join().split('eth_call').length - 1)
    await expectCode(read(), 'RPC_STALE')
    expect(calls()).toEqual([1, 0])
    await expect(read()).resolves.toEqual({ data: undefined })
    await read()
    expect(calls()).toEqual([1, 2])
    // What is asked of the head goes to the first as before.
    await pool.client(base).getBalance({ address: addressOf(1) })
    expect(pruned.exchanges.at(-1)).toContain('eth_getBalance')
  })

  it('asks one that lacks older state for younger state all the same', async () => {
    const pruned = await startNode({
      respond: (calls, response, self) => {
        const answers = calls.map((call) =>
          JSON.stringify(call.params).includes('"0x3"')
            ? { jsonrpc: '2.0', id: call.id, error: { code: -32_000, message: 'missing trie node' } }
            : self.answer(call),
        )
        reply(response, 200, 'application/json', JSON.stringify(answers.length === 1 ? answers[0] : answers))
      },
    })
    const archive = await startNode()
    const pool = poolOver(pruned, archive)
    const read = (blockNumber: bigint) => pool.past(base).call({ to: addressOf(1), data: '0x12', blockNumber })
    const calls = () => [pruned, archive].map(({ exchanges }) => exchanges.join().split('eth_call').length - 1)
    await expectCode(read(3n), 'RPC_STALE')
    await Promise.all([read(4n), read(2n)])
    expect(calls()).toEqual([2, 1])
    await read(3n)
    expect(calls()).toEqual([2, 2])
  })

  it('takes a revert for an answer from older state, and asks the same one again', async () => {
    const reverts = await startNode({ errors: { eth_call: { code: 3, message: 'execution reverted' } } })
    const other = await startNode()
    const pool = poolOver(reverts, other)
    const read = () => pool.past(base).call({ to: addressOf(1), data: '0x12', blockNumber: 3n })
    await expect(read()).rejects.toThrow('execution reverted')
    await expect(read()).rejects.toThrow('execution reverted')
    expect(other.exchanges).toEqual([])
  })

  it('asks the first again where all lack it', async () => {
    const pruned = await startNode({ errors: { eth_call: { code: -32_000, message: 'historical state is gone' } } })
    const pool = poolOver(pruned)
    const read = () => pool.past(base).call({ to: addressOf(1), data: '0x12', blockNumber: 3n })
    await expect(read()).rejects.toThrow('historical state is gone')
    await expect(read()).rejects.toThrow('historical state is gone')
    expect(pruned.exchanges.join().split('eth_call')).toHaveLength(3)
    await expectCode(
      poolOver()
        .past(base)
        .getBalance({ address: addressOf(1) }),
      'RPC_UNAVAILABLE',
    )
  })
})

describe('transactionCounts', () => {
  const counting = (count: number): NodeOptions => ({
    respond: (calls, response, self) => {
      const answers = calls.map((call) =>
        call.method === 'eth_getTransactionCount'
          ? { jsonrpc: '2.0', id: call.id, result: numberToHex(count) }
          : self.answer(call),
      )
      reply(response, 200, 'application/json', JSON.stringify(answers))
    },
  })

  it('asks every endpoint, and leaves out those that fail or serve another chain', async () => {
    const dead = await startNode()
    await dead.close()
    const nodes = [counting(5), counting(7), { ...counting(9), chainId: 1 }].map((options) => startNode(options))
    const pool = poolOver(dead, ...(await Promise.all(nodes)))
    await expect(pool.transactionCounts(base, addressOf(5))).resolves.toEqual([5, 7])
  })

  it('says so when none answers', async () => {
    const dead = await startNode()
    await dead.close()
    await expectCode(poolOver(dead).transactionCounts(base, addressOf(5)), 'RPC_UNAVAILABLE')
    await expectCode(poolOver().transactionCounts(base, addressOf(5)), 'RPC_UNAVAILABLE')
  })
})

describe('probe', () => {
  it('reports health, age and latency', async () => {
    const node = await startNode({ timestamp: nowSeconds - 5 })
    await expect(poolOver(node).probe(base)).resolves.toEqual({
      healthy: true,
      headAgeSeconds: 5,
      latencyMs: expect.any(Number),
      problem: null,
      at: nowSeconds * 1000,
    })
  })

  it('reports a stale head and a dead endpoint in our own words', async () => {
    const node = await startNode({ timestamp: nowSeconds - 500 })
    await expect(poolOver(node).probe(base)).resolves.toMatchObject({ healthy: false, headAgeSeconds: 500 })
    await node.close()
    const report = await poolOver(node).probe(base)
    expect(report).toMatchObject({ healthy: false, headAgeSeconds: null, latencyMs: null })
    expect(report.problem).toContain('could not be reached')
  })

  it('calls no endpoint healthy that calls no contracts, or on which Multicall3 does not stand', async () => {
    const refusing = await startNode({ errors: { eth_call: { code: -32_601, message: 'no such method' } } })
    const empty = await startNode({
      respond(calls, response, self) {
        const answers = calls.map((call) =>
          call.method === 'eth_call' ? { ...self.answer(call), result: '0x' } : self.answer(call),
        )
        reply(response, 200, 'application/json', JSON.stringify(answers))
      },
    })
    for (const node of [refusing, empty]) {
      expect(await poolOver(node).probe(base)).toEqual({
        healthy: false,
        headAgeSeconds: 0,
        latencyMs: null,
        problem: expect.stringContaining('calls no contracts (eth_call of Multicall3)'),
        at: nowSeconds * 1000,
      })
      expect(node.exchanges).toHaveLength(1)
    }
    expect(await poolOver(refusing, await startNode()).probe(base)).toMatchObject({ healthy: true })
  })

  it('asks once in half a minute', async () => {
    const node = await startNode()
    const clock = { ms: nowSeconds * 1000 }
    const pool = createRpcPool({ urls: () => [node.url], now: () => clock.ms, probePatienceMs: 60_000 })
    const together = await Promise.all([pool.probe(base), pool.probe(base)])
    clock.ms += 29_999
    expect([...together, await pool.probe(base)].map(({ headAgeSeconds }) => headAgeSeconds)).toEqual([0, 0, 0])
    expect((await pool.probe(base)).at).toBe(nowSeconds * 1000)
    expect(node.exchanges).toHaveLength(1)
    clock.ms += 1
    expect(await pool.probe(base)).toMatchObject({ headAgeSeconds: 30, at: clock.ms })
    expect(node.exchanges).toHaveLength(2)
  })

  it('does not wait for an endpoint that hangs, and tells of its answer once that is there', async () => {
    const held: (() => void)[] = []
    const node = await startNode({
      respond: (calls, response, self) => void held.push(() => self.serve(calls, response)),
    })
    const pool = createRpcPool({
      urls: () => [node.url],
      now: () => nowSeconds * 1000,
      timeoutMs: 60_000,
      probePatienceMs: 50,
    })
    await expect(pool.probe(base)).resolves.toEqual({
      healthy: false,
      headAgeSeconds: null,
      latencyMs: null,
      problem: 'The endpoint of the chain did not answer in time.',
      at: nowSeconds * 1000,
    })
    await expect.poll(() => held).toHaveLength(1)
    for (const answer of held) answer()
    await expect.poll(() => pool.probe(base)).toMatchObject({ healthy: true, headAgeSeconds: 0 })
    expect(node.exchanges).toHaveLength(1)
  })

  it('says so when no endpoint is configured', async () => {
    await expect(poolOver().probe(base)).resolves.toMatchObject({ healthy: false, problem: expect.any(String) })
    await expectCode(poolOver().head(base), 'RPC_UNAVAILABLE')
  })
})

type Call = { id: number; method: string; params: unknown[] }
type Answer = { jsonrpc: '2.0'; id: number; result?: unknown; error?: unknown }
type Node = {
  readonly url: string
  readonly exchanges: string[]
  chainId: number
  timestamp: number
  answer(call: Call): Answer
  serve(calls: Call[], response: ServerResponse): void
  close(): Promise<void>
}
type NodeOptions = {
  chainId?: number
  timestamp?: number
  errors?: Record<string, { code: number; message: string; data?: string }>
  respond?(calls: Call[], response: ServerResponse, self: Node): void
}

/** A tiny JSON-RPC node that answers right unless told otherwise. */
async function startNode(options: NodeOptions = {}): Promise<Node> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    node.exchanges.push(body)
    const parsed: Call | Call[] = JSON.parse(body)
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    if (options.respond) options.respond(calls, response, node)
    else node.serve(calls, response)
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const node: Node = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-in-path`,
    exchanges: [],
    chainId: options.chainId ?? base.id,
    timestamp: options.timestamp ?? nowSeconds,
    answer(call) {
      const error = options.errors?.[call.method]
      if (error) return { jsonrpc: '2.0', id: call.id, error }
      return { jsonrpc: '2.0', id: call.id, result: results(node)[call.method]?.(call) ?? null }
    },
    serve(calls, response) {
      const answers = calls.map((call) => node.answer(call))
      const batch = node.exchanges.at(-1)!.startsWith('[')
      reply(response, 200, 'application/json', JSON.stringify(batch ? answers : answers[0]))
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  closers.push(() => node.close())
  return node
}

function results(node: Node): Record<string, ((call: Call) => unknown) | undefined> {
  return {
    eth_chainId: () => numberToHex(node.chainId),
    eth_blockNumber: () => '0x64',
    eth_getBlockByNumber: () => ({
      number: '0x64',
      timestamp: numberToHex(node.timestamp),
      hash: keccak256('0x01'),
      baseFeePerGas: '0x7',
    }),
    eth_getBalance: (call) => numberToHex(BigInt(String(call.params[0]))),
    eth_call: ({ params: [call] }) =>
      (call as { data: Hex }).data === blockTimeCall ? numberToHex(node.timestamp, { size: 32 }) : '0x',
    eth_sendRawTransaction: () => keccak256('0x02'),
  }
}

/** What a probe asks Multicall3. */
const blockTimeCall = toFunctionSelector('function getCurrentBlockTimestamp()')

function poolOver(...nodes: Node[]) {
  return poolAt({ now: nowSeconds * 1000 }, nodes)
}

function poolAt(clock: { readonly now: number }, nodes: readonly Node[]) {
  return createRpcPool({
    urls: () => nodes.map(({ url }) => url),
    now: () => clock.now,
    timeoutMs: 60_000,
    slowTimeoutMs: 60_000,
    probePatienceMs: 60_000,
    retryPauseMs: 10,
  })
}

/** Gives up soon, over an endpoint that never answers whole. */
function hastyPoolOver(node: Node) {
  return createRpcPool({ urls: () => [node.url], now: () => nowSeconds * 1000, timeoutMs: 50, slowTimeoutMs: 50 })
}

function reply(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type }).end(body)
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}

async function expectCode(promise: Promise<unknown>, code: ToolError['code']): Promise<ToolError> {
  const error = await promise.then(
    () => 'it resolved',
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ToolError)
  expect(error).toMatchObject({ code })
  return error as ToolError
}

function addressOf(n: number): Hex {
  return `0x${n.toString(16).padStart(40, '0')}`
}

function lookup(url: string): Hex {
  return encodeErrorResult({
    abi: parseAbi([
      'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
    ]),
    args: [addressOf(1), [url], '0x1234', '0x12345678', '0x'],
  })
}
