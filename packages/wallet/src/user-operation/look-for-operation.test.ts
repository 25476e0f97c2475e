import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, pad, type TransactionReceipt } from 'viem'
import { entryPoint08Abi, entryPoint08Address } from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import { operationInReceipt } from './look-for-operation.ts'

const userOperationHash = pad('0x01')
const entryPoint: Address = entryPoint08Address
const signed = { entryPoint, userOperationHash }
const account = pad('0xac', { size: 20 })
const nobody = pad('0x00', { size: 20 })
const target = pad('0x7a', { size: 20 })

type Log = TransactionReceipt['logs'][number]

test('the logs of an operation are those between the event before it and its own', () => {
  const logs = [
    before(0),
    called(1, '0xaa'),
    ended(2, { hash: pad('0x02') }),
    called(3, '0xbb'),
    ended(4),
    called(5, '0xcc'),
  ]
  const found = operationInReceipt(signed, { logs })
  expect(found).toMatchObject({ success: true, gasUsed: 21n, reason: null })
  expect(found?.logs.map(({ data }) => data)).toEqual(['0xbb'])
})

test('what another contract says in the words of the entry point neither ends an operation nor begins one', () => {
  const forged = { address: target }
  const logs = [before(0), ended(1, forged), called(2, '0xaa'), before(3, target), called(4, '0xbb')]
  expect(operationInReceipt(signed, { logs })).toBeNull()
  const found = operationInReceipt(signed, { logs: [...logs, ended(5, { success: false })] })
  expect(found).toMatchObject({ success: false })
  expect(found?.logs.map(({ logIndex }) => logIndex)).toEqual([1, 2, 3, 4])
})

function before(logIndex: number, address = entryPoint): Log {
  return logOf(address, logIndex, encodeEventTopics({ abi: entryPoint08Abi, eventName: 'BeforeExecution' }), '0x')
}

function ended(logIndex: number, { hash = userOperationHash, address = entryPoint, success = true } = {}): Log {
  const args = { userOpHash: hash, sender: account, paymaster: nobody }
  const topics = encodeEventTopics({ abi: entryPoint08Abi, eventName: 'UserOperationEvent', args })
  const types = [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }] as const
  return logOf(address, logIndex, topics, encodeAbiParameters(types, [0n, success, 42n, 21n]))
}

function called(logIndex: number, data: Hex): Log {
  return logOf(target, logIndex, [pad('0x77')], data)
}

function logOf(address: Address, logIndex: number, topics: readonly unknown[], data: Hex): Log {
  const place = { blockHash: pad('0x0b'), blockNumber: 1n, transactionHash: pad('0x0c'), transactionIndex: 0 }
  return { ...place, address, logIndex, topics: topics as Log['topics'], data, removed: false }
}
