import { chains, findChain } from '@svc/wallet/core'
import { encodeAbiParameters, getAbiItem, numberToHex, toEventSelector, type PublicClient } from 'viem'
import { expect, test } from 'vitest'
import { clientAnswered } from '../../rpc/answering-endpoint.fixture.ts'
import { createRpcPool } from '../../rpc/create-rpc-pool.ts'
import { turnsTaken } from '../../../../runtime/src/turns-taken.fixture.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { readEventLogs } from './read-event-logs.ts'

const base = findChain(chains, 'base')!
const address = '0x00000000000000000000000000000000000000aa'
const events = [getAbiItem({ abi: v3PoolAbi, name: 'Initialize' })] as const
const topic = toEventSelector(events[0])
const log = {
  address,
  topics: [topic],
  data: encodeAbiParameters(events[0].inputs, [2n ** 96n, 0]),
  blockNumber: '0x7',
  logIndex: '0x0',
  transactionHash: `0x${'1'.repeat(64)}`,
  removed: false,
}

const asked = { address, events, topics: [[topic]], fromBlock: 5n, toBlock: 9n } as const

/** What is read of an endpoint that gives such an answer to `eth_getLogs`. */
function readOf(result: unknown) {
  return readEventLogs(clientAnswered('eth_getLogs', result), asked)
}

test('logs are told whole, over many portions', async () => {
  const reported = Array.from({ length: 95 }, (_, index) => ({ ...log, logIndex: `0x${index.toString(16)}` }))
  const logs = await readOf(reported)
  expect(logs.map(({ logIndex }) => logIndex)).toEqual(reported.map((_, index) => index))
  expect(logs[0]).toMatchObject({ blockNumber: 7n, args: { sqrtPriceX96: 2n ** 96n } })
  expect(await readOf([])).toEqual([])
})

test('others come in once the answer is there, and while its logs are decoded', async () => {
  const client = { request: async () => Array.from({ length: 251 }, () => log) } as object as PublicClient
  const { turns } = await turnsTaken(() => readEventLogs(client, asked))
  expect(turns).toBeGreaterThanOrEqual(Math.floor(251 / 32))
})

test.each<[unknown]>([
  [{}],
  [''],
  [0],
  [true],
  [null],
  ['x'],
  [[null]],
  [['x']],
  [[{}]],
  [[{ ...log, topics: null }]],
  [[{ ...log, topics: [] }]],
  [[{ ...log, topics: [log.transactionHash] }]],
  [[{ ...log, data: '0x' }]],
  [[{ ...log, address: 5 }]],
  [[{ ...log, blockNumber: 'zz' }]],
  [[{ ...log, logIndex: 'zz' }]],
  [[{ ...log, transactionHash: 5 }]],
  [[log, { ...log, blockTimestamp: {} }]],
  [[{ ...log, address: `${address}00` }]],
  [[{ ...log, blockNumber: '7' }]],
  [[{ ...log, logIndex: `0x${'0'.repeat(17)}` }]],
  [[{ ...log, transactionIndex: `0x${'f'.repeat(17)}` }]],
  [[{ ...log, blockTimestamp: '9'.repeat(20) }]],
  [[{ ...log, topics: topic }]],
  [[{ ...log, topics: [`${topic}00`] }]],
  [[{ ...log, data: `${log.data}${'0'.repeat(64)}` }]],
  [[{ ...log, data: 5 }]],
])('answer %# is no list of logs, and says which endpoint to change', async (reported) => {
  await expect(readOf(reported)).rejects.toMatchObject({
    code: 'RPC_UNAVAILABLE',
    details: [{ field: 'chain', message: expect.any(String), accepted: expect.stringContaining('endpoint') }],
  })
})

test('a caller who leaves ends the request that was sent, and none is sent after it', async () => {
  const leaving = new AbortController()
  const asked: (AbortSignal | null | undefined)[] = []
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((resolve, reject) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      const { id, method } = JSON.parse(body) as { id: number; method: string }
      if (method !== 'eth_getLogs') return resolve(Response.json({ jsonrpc: '2.0', id, result: numberToHex(base.id) }))
      asked.push(init?.signal)
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
      leaving.abort()
    })
  const urls = () => ['http://node.invalid', 'http://other.invalid']
  const client = createRpcPool({ urls, now: () => 0, fetch, retryPauseMs: 1 }).client(base)
  const { signal } = leaving
  const range = { fromBlock: 5n, toBlock: 9n }
  const read = readEventLogs(client, { address, events, topics: [[topic]], ...range, signal })
  await expect(read).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect.poll(() => asked.map((one) => one?.aborted)).toEqual([true])
})
