import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { storeEngines } from '../../../engine/src/fixtures/store-engines.fixture.ts'
import { repeatOf } from '../tools/answer.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'

const devnet = useDevnet()

describe.each(storeEngines)('on $engine', ({ usePlaces }) => {
  const newPlace = usePlaces()

  it('G1: a hundred parallel duplicates have one effect and a hundred equal answers; another body is a conflict', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const before = await world.balance('USDC')
    const input = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '50', version: 'v3', idempotencyKey: 'the-one-key' }
    const answers = await Promise.all(Array.from({ length: 100 }, () => world.call('execute_swap', input)))
    expect(before - (await world.balance('USDC'))).toBe(50_000_000n)
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1)
    const hash = answers[0]!.text('txHash')
    const again = await world.call('execute_swap', input)
    expect(again.data).toEqual(repeatOf(answers[0]!.data))
    expect(again.at('notes')).toEqual([expect.stringContaining('the repeat did nothing')])
    const conflict = await world.refuse('execute_swap', { ...input, amount: '51' })
    expect(conflict).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', retryable: false })
    const entries = await Promise.all(
      [0, 1, 2].map((nonce) => world.store.journal.byNonce(31_337, world.wallet, nonce)),
    )
    expect(entries.flat()).toMatchObject([{ state: 'final' }, { state: 'final', hash }])
    await world.close()
  })
})
