import { chains, findChain } from '@svc/wallet/core'
import { encodeAbiParameters, getAbiItem, numberToHex, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import { createRpcPool } from '../../rpc/create-rpc-pool.ts'
import { v3PoolAbi } from '../abis/v3-pool.ts'
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

/** What is read of an endpoint that gives such an answer to `eth_getLogs`. */
function readOf(result: unknown) {
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const told = [JSON.parse(typeof init?.body === 'string' ? init.body : '') as { id: number; method: string }].flat()
    const answers = told.map(({ id, method }) => ({
      jsonrpc: '2.0',
      id,
      result: method === 'eth_getLogs' ? result : numberToHex(base.id),
    }))
    return Response.json(answers.length === 1 ? answers[0] : answers)
  }
  const rpc = createRpcPool({ urls: () => ['http://node.invalid'], now: () => 0, fetch })
  const asked = { address, events, topics: [[topic]], fromBlock: 5n, toBlock: 9n } as const
  return readEventLogs(rpc.client(base), asked)
}

test('logs are told whole, over many portions', async () => {
  const told = Array.from({ length: 95 }, (_, index) => ({ ...log, logIndex: `0x${index.toString(16)}` }))
  const logs = await readOf(told)
  expect(logs.map(({ logIndex }) => logIndex)).toEqual(told.map((_, index) => index))
  expect(logs[0]).toMatchObject({ blockNumber: 7n, args: { sqrtPriceX96: 2n ** 96n } })
  expect(await readOf([])).toEqual([])
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
])('answer %# is no list of logs, and says which endpoint to change', async (told) => {
  await expect(readOf(told)).rejects.toMatchObject({
    code: 'RPC_UNAVAILABLE',
    details: [{ field: 'chain', message: expect.stringContaining('cannot be in its logs') }],
  })
})
