import { expect, test } from 'vitest'
import { freely, quick, useSender } from '../sender.fixture.ts'

const { bob, call, journal, node, reader, senderOver, wallet } = useSender()

// PUSH1 2a PUSH0 MSTORE8 PUSH1 01 PUSH0 RETURN: a contract whose code is one byte.
const returning2a = '0x602a5f5360015ff3'

test('a transaction that is stopped while it is being signed is recorded nowhere, and its nonce is free', async () => {
  let isStopped = false
  const signer = {
    address: wallet().address,
    signTransaction: async (transaction: Parameters<ReturnType<typeof wallet>['signTransaction']>[0]) => {
      isStopped = transaction.value === 5n
      return wallet().signTransaction(transaction)
    },
  }
  const allow = async () => {
    if (isStopped) throw new Error('stopped')
  }
  const sender = senderOver(undefined, { wallet: signer })
  const next = await reader().getTransactionCount({ address: wallet().address })
  await expect(sender.sign(call({ requestId: 'late', valueWei: 5n, allow }))).rejects.toThrow('stopped')
  expect([await journal().byRequest('late'), await journal().open(31337, wallet().address)]).toEqual([[], []])
  expect(await sender.reconcile(freely())).toEqual([])
  isStopped = false
  expect((await sender.sign(call({ allow }))).nonce).toBe(next)
})

test('a transaction without a recipient creates a contract, raised fees or not', async () => {
  const sender = senderOver()
  await node().setAutomine(false)
  const request = call({ requestId: 'create', to: null, data: returning2a, valueWei: 0n, gasLimit: 200_000n })
  const sent = await sender.broadcast(await sender.sign(request))
  expect(await sender.sign(request)).toEqual(sent)
  await expect(sender.sign({ ...request, to: bob })).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' })
  expect(await sender.replace(sent, freely())).toMatchObject({ status: 'replaced', entry: { attempt: 1 } })
  await node().mine({ blocks: 1 })
  const confirmed = await sender.confirm(sent, quick)
  if (confirmed.status !== 'final') throw new Error(`It is ${confirmed.status}.`)
  const { contractAddress } = confirmed.receipt
  expect(await reader().getCode({ address: contractAddress! })).toBe('0x2a')
})
