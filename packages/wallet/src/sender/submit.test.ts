import { createPublicClient, custom, RpcRequestError, type PublicClient } from 'viem'
import { expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { offerEntry, submit } from './broadcast-entry.ts'

test.each([
  ['already known', 'sent'],
  ['AlreadyKnown', 'sent'],
  ['transaction already imported', 'sent'],
  ['Known transaction', 'sent'],
  ['known transaction. transaction with hash 0x12 is already in the system', 'sent'],
  ['tx already in mempool', 'sent'],
  ['nonce too low', 'nonce-used'],
  ['nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
  ['OldNonce', 'nonce-used'],
  ['insufficient funds for gas * price + value: balance 0, tx cost 1', 'declined'],
  ['Insufficient funds for gas * price + value', 'declined'],
  ['intrinsic gas too low', 'declined'],
  ['exceeds block gas limit', 'declined'],
  ['max fee per gas less than block base fee', 'underpriced'],
  ['transaction underpriced', 'underpriced'],
  ['max priority fee per gas higher than max fee per gas', 'declined'],
  ['invalid chain id for signer', 'declined'],
  ['replacement transaction underpriced', 'unknown'],
  ['txpool is full', 'unknown'],
  ['internal error', 'unknown'],
  ['in-flight transaction limit reached for delegated accounts', 'wait'],
  ['gapped-nonce tx from delegated accounts', 'wait'],
])('"%s" means %s', async (message, answer) => {
  expect(await submit(refusing({ code: -32000, message }), '0x02')).toBe(answer)
})

test('words in the quoted request or its URL mean nothing', async () => {
  const client = createPublicClient({
    transport: custom({
      request: async () => {
        throw new RpcRequestError({
          body: { note: 'nonce too low, already known' },
          error: { code: -32000, message: 'something else' },
          url: 'https://insufficient.funds/already-known',
        })
      },
    }),
  })
  expect(await submit(client, '0x02')).toBe('unknown')
})

test('offers the bytes once, whatever the client would retry', async () => {
  let offers = 0
  const client = createPublicClient({
    transport: custom({
      request: async () => {
        offers += 1
        throw new Error('socket hang up')
      },
    }),
  })
  expect(await submit(client, '0x02')).toBe('unknown')
  expect(offers).toBe(1)
})

function refusing(error: { code: number; message: string }): PublicClient {
  const request = async (): Promise<never> => {
    throw new RpcRequestError({ body: {}, error, url: 'http://127.0.0.1' })
  }
  return createPublicClient({ transport: custom({ request }) })
}

test('bytes that must not leave now reach no endpoint', async () => {
  const asked: string[] = []
  const request = async ({ method }: { readonly method: string }) => void asked.push(method)
  const context = {
    client: createPublicClient({ transport: custom({ request }) }),
    journal: createMemoryJournal(),
    delegation: { stands: async () => false, note: () => undefined },
    now: Date.now,
    requireOffer: () => {
      throw new Error('another leads')
    },
  }
  const from = '0x00000000000000000000000000000000000000aa'
  const slot = { requestId: 'r', step: 0, chainId: 1, from, nonce: 0, attempt: 0, reservationId: null } as const
  const entry = { ...slot, rawTransaction: '0x02', hash: '0x03', state: 'signed', signedAt: 0 } as const
  await expect(offerEntry(context, entry)).rejects.toThrow('another leads')
  expect(asked).toEqual([])
})
