import { createPublicClient, custom, RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { createSender } from '../sender.ts'

const from = `0x${'11'.repeat(20)}` as const
const hash = `0x${'22'.repeat(32)}` as const
const mined = {
  blockNumber: 7n,
  blockHash: `0x${'33'.repeat(32)}` as const,
  gasUsed: 21_000n,
}

test.each([
  ['takes', null],
  ['does not take', 'insufficient funds for gas * price + value'],
])(
  'a broadcast of what another watcher sees settled while the endpoint %s it is told as that one left it',
  async (_, refusal) => {
    const journal = createMemoryJournal({ now: () => 1 })
    const slot = {
      requestId: 'r',
      step: 0,
      chainId: 1,
      from,
      nonce: 0,
      attempt: 0,
    }
    const signed = await journal.recordSigned({
      ...slot,
      rawTransaction: '0x02',
      hash,
      reservationId: null,
    })
    const request = async ({ method }: { readonly method: string }): Promise<unknown> => {
      if (method === 'eth_getTransactionCount') return '0x0'
      if (method !== 'eth_sendRawTransaction') return null
      await journal.mark(hash, 'broadcast')
      await journal.mark(hash, 'final', mined)
      if (refusal === null) return hash
      throw new RpcRequestError({
        body: {},
        error: { code: -32000, message: refusal },
        url: 'http://127.0.0.1',
      })
    }
    const sender = createSender({
      wallet: {
        address: from,
        signTransaction: () => Promise.reject(new TypeError('never asked')),
      },
      client: createPublicClient({
        transport: custom({ request }, { retryCount: 0 }),
        cacheTime: 0,
      }),
      chain: { id: 1, confirmations: 1, blockTimeSeconds: 0.2 },
      journal,
    })
    expect(await sender.broadcast(signed)).toEqual({
      ...signed,
      ...mined,
      state: 'final',
    })
    expect(await journal.byHash(hash)).toMatchObject({ state: 'final' })
  },
)
