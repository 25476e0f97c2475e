import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, http, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { mineNothing } from '../fixtures/mining.fixture.ts'
import { beforeSending, methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

describe.each(storeEngines)('what a former key left open, on $engine', ({ usePlaces }) => {
  const { open, close } = usePipelines(devnet, usePlaces())

  it('is settled with what it moved once it is mined, without the key', async () => {
    const { former, next } = await rotated()
    await testClient(next).mine({ blocks: 1 })
    await testClient(next).setAutomine(true)
    await next.executor.reconcile()
    await next.executor.reconcile()
    expect(await next.store.journal.open(next.chain.id, former.wallet)).toEqual([])
    expect([await used(next), await next.store.ledger.open()]).toEqual([parseUnits('300', 6), []])
    expect(former.wallet).not.toBe(next.wallet)
  })

  it('waits while nothing is mined: its bytes are sent again, nothing is signed, and it is told once', async () => {
    const { former, next, hash } = await rotated()
    await testClient(next).dropTransaction({ hash })
    next.network.requests.length = 0
    await next.executor.reconcile()
    await next.executor.reconcile()
    const [entry, ...more] = await next.store.journal.byNonce(next.chain.id, former.wallet, 1)
    expect([entry, more]).toMatchObject([{ hash, state: 'broadcast' }, []])
    expect(next.network.requests.join()).toContain(entry!.rawTransaction)
    const reported = next.lines.filter(({ event }) => event === 'wallet.former-open')
    expect(reported).toMatchObject([
      {
        level: 'warn',
        facts: { wallet: former.wallet, transactions: [{ hash }, { nonce: 2 }], fix: expect.any(String) },
      },
    ])
    expect(await used(next)).toBe(parseUnits('300', 6))
    expect(next.network.requests.flatMap(methodsIn)).toContain('eth_sendRawTransaction')
    await testClient(next).mine({ blocks: 1 })
    await testClient(next).setAutomine(true)
    await next.run(swapIntent(next, '100'))
  })

  it('holds nothing of the own wallet up when it cannot be looked up', async () => {
    const { former, next } = await rotated()
    beforeSending(next, 2, () => mineNothing(next))
    await testClient(next).setAutomine(true)
    await expect(next.run(swapIntent(next, '100'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    await testClient(next).mine({ blocks: 1 })
    await testClient(next).setAutomine(true)
    next.patience.isShort = false
    next.network.fetch = async (input, init) =>
      (typeof init?.body === 'string' ? init.body : '').toLowerCase().includes(former.wallet.toLowerCase())
        ? Promise.reject(new TypeError('fetch failed'))
        : fetch(input, init)
    await expect
      .poll(
        async () => {
          expect((await next.executor.reconcile()).failed).toEqual([next.chain.id])
          return next.store.journal.open(next.chain.id, next.wallet)
        },
        { timeout: 30_000 },
      )
      .toEqual([])
    expect(await next.store.journal.open(next.chain.id, former.wallet)).not.toEqual([])
  })

  /** A swap that is out and not mined when its server ends, and a server with another key on the same state. */
  async function rotated() {
    const privateKey = generatePrivateKey()
    await devnet().fund(privateKeyToAddress(privateKey), { ETH: '10', USDC: '20000', WETH: '5' })
    const first = await open()
    beforeSending(first, 2, () => mineNothing(first))
    const failure: unknown = await first.run(swapIntent(first, '300')).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'TRANSACTION_PENDING', details: [{ step: 'swap' }] })
    const { hash } = (await first.store.journal.open(first.chain.id, first.wallet))[0]!
    const former: Pick<Pipeline, 'wallet'> = { wallet: first.wallet }
    await close(first)
    const next = await open({ dataDir: first.dataDir, privateKey })
    return { former, next, hash }
  }
})
