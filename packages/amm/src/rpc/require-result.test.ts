import { isRecord } from '@svc/runtime'
import { describe, expect, it } from 'vitest'
import { requireResult } from './ring-client.ts'

const hash = `0x${'ab'.repeat(32)}`
const address = `0x${'cd'.repeat(20)}`
const log = {
  address,
  topics: [hash, hash],
  data: hash,
  blockNumber: '0x7',
  blockHash: hash,
  transactionHash: hash,
  transactionIndex: '0x0',
  logIndex: '0x1',
  blockTimestamp: '0x5f5e100',
  removed: false,
}
const transaction = {
  hash,
  blockHash: hash,
  blockNumber: '0x7',
  transactionIndex: '0x0',
  from: address,
  to: null,
  input: '0x',
  value: '0x0',
  nonce: '0x3',
  gas: '0x5208',
  gasPrice: '0x3b9aca00',
  type: '0x2',
}
const receipt = {
  transactionHash: hash,
  blockHash: hash,
  blockNumber: '0x7',
  transactionIndex: '0x0',
  from: address,
  to: address,
  contractAddress: null,
  status: '0x1',
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  effectiveGasPrice: '0x3b9aca00',
  logs: [log],
}
const block = { number: '0x7', hash, timestamp: '0x5f5e100', baseFeePerGas: '0x7', transactions: [hash] }
const history = { oldestBlock: '0x1', baseFeePerGas: ['0x7', '0x8'], gasUsedRatio: [0.5], reward: [['0x1', '0x2']] }

/** Answers that chains give, by method. */
const honest: Readonly<Record<string, readonly unknown[]>> = {
  eth_blockNumber: ['0x0', '0x1F'],
  eth_call: ['0x', '0xAb', hash],
  eth_chainId: ['0x2105'],
  eth_estimateGas: ['0x5208'],
  eth_feeHistory: [history, { ...history, reward: null }, { oldestBlock: '0x0', baseFeePerGas: [] }],
  eth_gasPrice: ['0x0'],
  eth_getBalance: ['0x0', `0x${'f'.repeat(64)}`],
  eth_getBlockByHash: [null, block],
  eth_getBlockByNumber: [
    block,
    { ...block, number: null, hash: null },
    { ...block, transactions: [transaction, { ...transaction, to: address }] },
    { timestamp: '0x1' },
  ],
  eth_getCode: ['0x', `0xef0100${'cd'.repeat(20)}`],
  eth_getLogs: [[], [log, { ...log, topics: [], data: '0x', blockTimestamp: undefined }]],
  eth_getStorageAt: ['0x0', hash],
  eth_getTransactionByHash: [null, transaction, { ...transaction, blockNumber: null, blockHash: null }],
  eth_getTransactionCount: ['0x0'],
  eth_getTransactionReceipt: [null, receipt, { ...receipt, status: '0x0', logs: [] }],
  eth_maxPriorityFeePerGas: ['0x1'],
}

describe.each(Object.entries(honest))('%s', (method, answers) => {
  const asked = (result: unknown, params: unknown = ['latest']) => requireResult(method, params, result)
  const isBroken = { name: 'EndpointError', reason: method === 'eth_getTransactionReceipt' ? 'unreadable' : 'broken' }

  it('is taken for what it is', async () => {
    for (const answer of answers) await expect(asked(answer)).resolves.toBeUndefined()
  })

  it('is nothing else', async () => {
    const kinds = [null, [], true, 5, '', '0', '0xzz', 'garbage', '{}', [null], ['0x1'], [[]], {}, { result: '0x1' }]
    const garbage = kinds.filter((kind) => !answers.some((answer) => JSON.stringify(answer) === JSON.stringify(kind)))
    for (const answer of garbage) await expect(asked(answer)).rejects.toMatchObject(isBroken)
  })

  it('has no member of another type', async () => {
    const records = answers.flatMap((answer) => (Array.isArray(answer) ? answer : [answer])).filter(isRecord)
    for (const record of records) {
      const isMember = (name: string) => !['removed', 'type', 'gasUsedRatio'].includes(name)
      for (const name of Object.keys(record).filter(isMember)) {
        for (const value of [true, 7, 'garbage', '0xzz', { a: 1 }, [[['0x']]]]) {
          const lie = { ...record, [name]: value }
          await expect(asked(method === 'eth_getLogs' ? [log, lie] : lie)).rejects.toMatchObject(isBroken)
        }
      }
    }
  })
})

it.each(['blockNumber', 'gasUsed', 'transactionIndex'])('a receipt whose %s no column holds is none', async (name) => {
  const asked = (value: string) => requireResult('eth_getTransactionReceipt', [hash], { ...receipt, [name]: value })
  await expect(asked(`0x${'f'.repeat(15)}`)).resolves.toBeUndefined()
  for (const digits of [16, 64])
    await expect(asked(`0x${'f'.repeat(digits)}`)).rejects.toMatchObject({ reason: 'unreadable' })
})

it('a number is read to its end', async () => {
  for (const more of [`0x${'f'.repeat(65)}`, '0x1 ', '0x1g', '0x1.5'])
    await expect(requireResult('eth_getBalance', [address], more)).rejects.toMatchObject({ reason: 'broken' })
})

it('a numbered block that is not there has not come yet, or is gone', async () => {
  const asked = (params: unknown) => requireResult('eth_getBlockByNumber', params, null)
  await expect(asked(['0x7', false])).rejects.toMatchObject({ reason: 'stale' })
  await expect(asked(['latest', false])).rejects.toMatchObject({ reason: 'broken' })
})

it('what is checked where it is read, and what is never read, is let through', async () => {
  for (const method of ['eth_simulateV1', 'debug_traceCall', 'eth_sendRawTransaction', 'eth_sendTransaction']) {
    await expect(requireResult(method, [], null)).resolves.toBeUndefined()
  }
})
