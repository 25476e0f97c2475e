import { contractTime, journalContract } from '@svc/wallet/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../open-store.ts'
import { useEngines, type TestPlace } from '../engines.fixture.ts'

let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => contractTime })
    await store.ledger.reserve({
      id: 'reservation-1',
      requestId: 'request-1',
      principal: 'agent',
      chainId: 1,
      amountUsdMicros: 1n,
      limits: { perTransaction: 10n, perSession: 10n, daily: 10n },
      sessionIdleMs: 1_800_000,
    })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  describe('the durable journal keeps the contract of journals', () => {
    test.each(journalContract.map((item) => [item.name, item] as const))('%s', async (_name, item) => {
      await item.run(store.journal)
    })
  })

  describe('a signed transaction and its reservation', () => {
    test('are one commit: without an open reservation nothing is recorded', async () => {
      await expect(store.journal.recordSigned(entry(1, 'nowhere'))).rejects.toMatchObject({
        code: 'RESERVATION_NOT_OPEN',
      })
      await store.ledger.release('reservation-1')
      await expect(store.journal.recordSigned(entry(1, 'reservation-1'))).rejects.toMatchObject({
        code: 'RESERVATION_NOT_OPEN',
      })
      expect(await store.journal.nextNonce(1, from)).toBeNull()
    })

    test.each(['signed', 'broadcast', 'mined', 'final', 'reverted', 'refused'] as const)(
      'keep the amount while %s',
      async (state) => {
        await store.journal.recordSigned(entry(1, 'reservation-1'))
        if (state !== 'signed') await store.journal.mark(entry(1, null).hash, state)
        await expect(store.ledger.release('reservation-1')).rejects.toMatchObject({ code: 'RESERVATION_IN_USE' })
        expect(await store.ledger.open()).toHaveLength(1)
      },
    )

    test.each(['replaced', 'superseded'] as const)('give it back when %s', async (state) => {
      await store.journal.recordSigned(entry(1, 'reservation-1'))
      await store.journal.mark(entry(1, null).hash, state)
      await store.ledger.release('reservation-1')
      expect(await store.ledger.open()).toEqual([])
    })

    test('are told apart at start: what was never signed is released, what was signed is not', async () => {
      await store.ledger.reserve({
        id: 'reservation-2',
        requestId: 'request-2',
        principal: 'agent',
        chainId: 1,
        amountUsdMicros: 2n,
        limits: { perTransaction: 10n, perSession: 10n, daily: 10n },
        sessionIdleMs: 1_800_000,
      })
      await store.journal.recordSigned(entry(1, 'reservation-1'))
      expect(await store.ledger.releaseUnsigned()).toEqual(['reservation-2'])
      expect((await store.ledger.open()).map((one) => one.id)).toEqual(['reservation-1'])
      expect(await store.ledger.releaseUnsigned()).toEqual([])
    })

    test('a user operation stands beside the nonces of the account, draws on its reservation, and ends as a part of its transaction', async () => {
      const operation = { ...entry(0, 'reservation-1'), userOperation: signedOperation }
      const { hash } = operation
      await store.journal.recordSigned(operation)
      await expect(store.journal.recordSigned(operation)).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' })
      expect([await store.journal.nextNonce(1, from), await store.journal.open(1, from)]).toEqual([0, []])
      expect(await store.transactions.wallets(1)).toEqual([])
      expect(await store.transactions.openOperations(1)).toMatchObject([
        { hash, nonce: 0, userOperation: signedOperation },
      ])
      expect(await store.ledger.releaseUnsigned()).toEqual([])
      await expect(store.ledger.release('reservation-1')).rejects.toMatchObject({ code: 'RESERVATION_IN_USE' })
      await expect(store.transactions.ask(hash, { what: 'cancel', by: 'operator' })).rejects.toMatchObject({
        code: 'JOURNAL_ENTRY_CLOSED',
      })
      const txHash = entry(7, null).hash
      const facts = { blockNumber: 5n, blockHash: entry(8, null).hash, gasUsed: 9n }
      await store.transactions.endOperation(hash, { state: 'final', txHash, ...facts })
      await store.transactions.endOperation(txHash, { state: 'superseded' })
      expect(await store.transactions.openOperations(1)).toEqual([])
      expect(await store.transactions.byRequest('request-1')).toMatchObject([
        { hash: txHash, state: 'final', ...facts },
      ])
    })

    test('another user operation takes the nonce of one that has no effect, and a transaction the same number', async () => {
      const first = { ...entry(0, null), userOperation: signedOperation }
      await store.journal.recordSigned(first)
      await store.transactions.endOperation(first.hash, { state: 'superseded' })
      await store.journal.recordSigned({ ...first, hash: entry(1, null).hash, step: 1 })
      await store.journal.recordSigned({ ...entry(0, null), hash: entry(2, null).hash, step: 2 })
      expect(await store.journal.open(1, from)).toMatchObject([{ nonce: 0, step: 2 }])
      expect(await store.transactions.openOperations(1)).toMatchObject([{ nonce: 0, step: 1 }])
    })
  })
})

const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function entry(nonce: number, reservationId: string | null) {
  return {
    requestId: 'request-1',
    step: 0,
    chainId: 1,
    from,
    nonce,
    attempt: 0,
    rawTransaction: '0x02',
    hash: `0x${String(nonce).padStart(64, '0')}`,
    reservationId,
  } as const
}

const signedOperation = {
  chainId: 1,
  entryPoint: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  userOperationHash: `0x${'0'.repeat(64)}`,
  operation: { sender: from, nonce: '0x0', callData: '0x' },
  fromBlock: '0x0',
  validUntil: 0,
  expiresAt: 1_800_000_000,
} as const
