import { useDevnet } from '@svc/devnet/testing'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, poolTokens } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

async function open(version: string, token0 = 'WETH'): Promise<Answer> {
  const range = version === 'v2' ? {} : { fee: 500, rangeStrategy: 'medium' }
  return world.call('add_liquidity', { token0, token1: 'USDC', amount0: '2', version, ...range })
}

/** Removes and checks that principal and fees together are what the wallet received, to the wei, in the pool's order. */
async function remove(opened: Answer, args: Record<string, unknown> = {}): Promise<Answer> {
  const tokens = poolTokens(opened)
  const symbols = tokens.map((token) => (/^0x0{40}$/.test(token) ? 'ETH' : token))
  const before = await Promise.all(symbols.map((symbol) => world.balance(symbol)))
  const answer = await world.call('remove_liquidity', {
    positionId: opened.text('positionId'),
    version: opened.text('version'),
    ...args,
  })
  const after = await Promise.all(symbols.map((symbol) => world.balance(symbol)))
  const gas = await world.gasPaid(answer)
  for (const [index, symbol] of symbols.entries()) {
    const got = after[index]! - before[index]! + (symbol === 'ETH' ? gas : 0n)
    const digits = symbol.toLowerCase() === world.address('USDC').toLowerCase() ? 6 : 18
    const said =
      wei(answer.text(`amount${index}Received`), digits) + wei(answer.text(`feesCollected.amount${index}`), digits)
    expect(formatUnits(said, digits)).toBe(formatUnits(got, digits))
  }
  return answer
}

function wei(text: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 10n ** BigInt(digits) + BigInt(fraction.padEnd(digits, '0') || '0')
}

async function poolOf(opened: Answer) {
  const found = devnet().pools.find((pool) => pool.id.toLowerCase() === opened.text('pool.poolAddress').toLowerCase())
  return found!.id
}

describe('remove_liquidity', () => {
  test.each(['v2', 'v3', 'v4'])('takes all of a %s position out, principal and fees to the wei', async (version) => {
    const opened = await open(version)
    await devnet().trade(12, 1, [await poolOf(opened)])
    const answer = await remove(opened)
    expect(answer.data).toMatchObject({ status: 'success', percentageRemoved: 100, explorerUrl: null })
    const fees = answer.number('feesCollected.totalUsd')
    expect(fees > 0).toBe(version !== 'v2')
    expect(answer.number('totalReceivedUsd')).toBeCloseTo(
      answer.number('amount0ReceivedUsd') + answer.number('amount1ReceivedUsd') + fees,
      4,
    )
    expect((await world.call('get_positions_by_owner')).list('items')).toEqual([])
    expect((await world.call('get_agent_balance')).at('allowances')).toEqual([])
  })

  test.each(['v2', 'v3', 'v4'])('takes a third of a %s position out', async (version) => {
    const opened = await open(version)
    const before = await liquidityOf(opened)
    const answer = await remove(opened, { percentage: 33.3 })
    expect(answer.number('percentageRemoved')).toBe(33.3)
    expect(Number(await liquidityOf(opened)) / Number(before)).toBeCloseTo(0.667, 6)
  })

  test.each(['v2', 'v3', 'v4'])(
    'pays native currency out of a %s position that was opened with it',
    async (version) => {
      const opened = await open(version, 'ETH')
      const answer = await remove(opened)
      expect(answer.number('totalReceivedUsd')).toBeGreaterThan(100)
    },
  )

  test('leaves the fees of a v3 position behind when asked to', async () => {
    const opened = await open('v3')
    await devnet().trade(12, 2, [await poolOf(opened)])
    const answer = await remove(opened, { percentage: 50, collectFees: false })
    expect(answer.at('feesCollected')).toMatchObject({ amount0: '0', amount1: '0', totalUsd: 0 })
    const left = await world.call('get_position', { positionId: opened.text('positionId') })
    expect(left.number('feesUsd')).toBeGreaterThan(0)
  })

  test("touches nobody else's position", async () => {
    const stranger = await openWorld(devnet())
    try {
      const opened = await open('v3')
      const id = opened.text('positionId')
      expect((await stranger.refuse('remove_liquidity', { positionId: id })).code).toBe('POSITION_NOT_OWNED')
    } finally {
      await stranger.close()
    }
  })

  test('knows what does not exist', async () => {
    const missing = { positionId: '999999999' }
    expect((await world.refuse('remove_liquidity', missing)).code).toBe('POSITION_NOT_FOUND')
    expect((await world.refuse('remove_liquidity', { ...missing, version: 'v4' })).code).toBe('POSITION_NOT_FOUND')
    const pair = devnet().pools.find((pool) => pool.version === 'v2')!.id
    expect((await world.refuse('remove_liquidity', { positionId: pair, version: 'v2' })).code).toBe(
      'POSITION_NOT_FOUND',
    )
  })

  test('says which version holds the position where the version was left out', async () => {
    const args = { token0: 'WETH', token1: 'USDC', amount0: '0.5', fee: 500, rangeStrategy: 'medium', version: 'v4' }
    const positionId = (await world.call('add_liquidity', args)).text('positionId')
    for (const tool of ['remove_liquidity', 'collect_fees', 'increase_liquidity']) {
      const refusal = await world.refuse(tool, { positionId, ...(tool === 'increase_liquidity' && { amount0: '1' }) })
      expect(refusal.code).toMatch(/POSITION_NOT_(OWNED|FOUND)/)
      expect(refusal).toMatchObject({
        suggestion: 'Call again with version v4.',
        details: [{ field: 'version', accepted: 'v4' }],
      })
    }
  })

  test('says of a closed position that it is closed, and of one with fees how to get them', async () => {
    const opened = await open('v3')
    await devnet().trade(12, 2, [await poolOf(opened)])
    const positionId = opened.text('positionId')
    await world.call('remove_liquidity', { positionId, collectFees: false })
    const withFees = await world.refuse('remove_liquidity', { positionId })
    expect(withFees).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'positionId' }] })
    expect(withFees.message).toMatch(/closed.*collect_fees pays/)
    await world.call('collect_fees', { positionId })
    const closed = `Position ${positionId} is closed: its liquidity was taken out before; nothing waits in it.`
    expect((await world.refuse('remove_liquidity', { positionId })).message).toBe(`positionId: ${closed}`)
    expect(await world.refuse('collect_fees', { positionId })).toMatchObject({
      code: 'NOTHING_TO_COLLECT',
      message: closed,
    })
    const performance = await world.call('get_position_performance', { positionId })
    expect(performance.data).toMatchObject({
      inRange: false,
      notes: expect.arrayContaining([expect.stringContaining('closed')]),
    })
  })

  test('a dry run moves nothing', async () => {
    const opened = await open('v4')
    const nonce = await world.client.getTransactionCount({ address: world.wallet })
    const args = { positionId: opened.text('positionId'), version: 'v4', dryRun: true }
    expect((await world.call('remove_liquidity', args)).data).toMatchObject({ status: 'planned' })
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(nonce)
  })
})

async function liquidityOf(opened: Answer): Promise<bigint> {
  const { items } = (await world.call('get_positions_by_owner', { versions: [opened.text('version')] })).data as {
    items: { liquidityRaw: string }[]
  }
  return BigInt(items[0]?.liquidityRaw ?? '0')
}
