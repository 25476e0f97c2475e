import { useDevnet } from '@svc/devnet/testing'
import { erc721Abi, formatUnits, type Hash, zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, poolTokens } from '../answer.fixture.ts'
import { openStranger, testClient } from '../../fair-value/attack-kit.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

/** A position that no reorganisation of the newest blocks takes back. */
async function open(version: string, token0 = 'WETH'): Promise<Answer> {
  const opened = await openNow(version, token0)
  await testClient(devnet()).mine({ blocks: 2 })
  return opened
}

async function openNow(version: string, token0 = 'WETH'): Promise<Answer> {
  const range = { fee: 500, rangeStrategy: 'medium', version }
  return world.call('add_liquidity', { token0, token1: 'USDC', amount0: '1', ...range })
}

const isNative = (token: string) => /^0x0{40}$/.test(token)

async function increase(opened: Answer, args: Record<string, unknown>): Promise<Answer> {
  const tokens = poolTokens(opened).map((token) => (isNative(token) ? 'ETH' : token))
  const payNative = args['payNative'] === true
  const paidIn = tokens.map((token) => (payNative && token === world.address('WETH') ? 'ETH' : token))
  const before = await Promise.all(paidIn.map((token) => world.balance(token)))
  const answer = await world.call('increase_liquidity', {
    positionId: opened.text('positionId'),
    version: opened.text('version'),
    ...args,
  })
  const after = await Promise.all(paidIn.map((token) => world.balance(token)))
  const gas = await world.gasPaid(answer)
  for (const [index, token] of paidIn.entries()) {
    const digits = token.toLowerCase() === world.address('USDC').toLowerCase() ? 6 : 18
    const paid = before[index]! - after[index]! - (token === 'ETH' ? gas : 0n)
    expect(answer.text(`amount${index}Added`)).toBe(formatUnits(paid, digits))
  }
  return answer
}

/** A position that somebody gives to the wallet in the newest block. */
async function givenTo(to: World, version: string): Promise<bigint> {
  const stranger = await openStranger(devnet())
  const { v3, v4 } = devnet().chain.amm
  const [token0, token1] = [to.address('WETH'), to.address('USDC')].toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  const pair = { token0: token0!, token1: token1!, fee: 500 }
  const key = { currency0: token0!, currency1: token1!, fee: 500, tickSpacing: 10, hooks: zeroAddress }
  const [tickLower, tickUpper] = [-887_220, 887_220]
  const most = { amount0Desired: 10n ** 7n, amount1Desired: 10n ** 7n }
  const tokenId =
    version === 'v4'
      ? await stranger.mintV4(key, tickLower, tickUpper, 10n ** 7n)
      : await stranger.mintV3({ ...pair, tickLower, tickUpper, ...most })
  const { positionManager } = version === 'v4' ? v4! : v3!
  await stranger.write(positionManager, erc721Abi, 'transferFrom', [stranger.address, to.wallet, tokenId])
  return tokenId
}

function amounts(opened: Answer, usdc: string, weth: string): { amount0: string; amount1: string } {
  const usdcFirst = poolTokens(opened)[0]?.toLowerCase() === world.address('USDC').toLowerCase()
  return usdcFirst ? { amount0: usdc, amount1: weth } : { amount0: weth, amount1: usdc }
}

describe('increase_liquidity', () => {
  test.each([
    ['v3', 'WETH'],
    ['v4', 'WETH'],
    ['v3', 'USDC'],
    ['v3', 'ETH'],
  ])('of %s takes the amounts of whoever names %s first, and names their tokens', async (version, first) => {
    const opened = await open(version)
    const [amount0, amount1] = first === 'USDC' ? ['1500', '0.6'] : ['0.6', '1500']
    const planned = await world.call('increase_liquidity', {
      positionId: opened.text('positionId'),
      version,
      token0: first,
      amount0,
      amount1,
      dryRun: true,
    })
    expect(planned.text('plan.why')).toMatch(/WETH.*USDC|USDC.*WETH/)
    const answer = await world.call('increase_liquidity', {
      positionId: opened.text('positionId'),
      version,
      token0: first,
      amount0,
      amount1,
    })
    const symbols = first === 'USDC' ? ['USDC', 'WETH'] : ['WETH', 'USDC']
    expect([answer.text('token0Symbol'), answer.text('token1Symbol')]).toEqual(symbols)
    const added = [answer.text('amount0Added'), answer.text('amount1Added')].map(Number)
    expect(added[0]! / added[1]! > 1).toBe(first === 'USDC')
  })

  test.each(['v3', 'v4'])(
    'adds to no %s position that a replaced block could give to somebody else',
    async (version) => {
      const positionId = `${await givenTo(world, version)}`
      const more = { positionId, version, token0: 'WETH', amount0: '0.1' }
      const refusal = await world.refuse('increase_liquidity', more)
      expect(refusal).toMatchObject({ code: 'POSITION_TOO_NEW', retryable: true, details: [{ positionId }] })
      expect(refusal.suggestion).toBe('Wait for as long as the message says; a plan stays good meanwhile.')
      expect(refusal.message).toMatch(/with transactions alone.*when 2 more have come, or in \d\d seconds if none does/)
      await testClient(devnet()).mine({ blocks: 1 })
      const planned = await world.call('increase_liquidity', { ...more, dryRun: true })
      const refusals = [expect.objectContaining({ code: 'POSITION_TOO_NEW' })]
      expect(planned.at('plan.policy')).toMatchObject({ allowed: false, refusals })
      const plan = { planId: planned.text('plan.planId') }
      const again = await world.refuse('execute_plan', plan)
      expect(again).toMatchObject({ code: 'POSITION_TOO_NEW', retryable: true })
      expect(again.message).toMatch(/call the same again when 2 more have come/)
      await testClient(devnet()).mine({ blocks: 1 })
      expect((await world.call('execute_plan', plan)).text('positionId')).toBe(positionId)
    },
  )

  test('adds to a new position on a chain that makes blocks only when asked', async () => {
    const opened = await openNow('v3')
    world.clock.offsetMs += 60_000
    await increase(opened, amounts(opened, '300', '0.1'))
  })

  test('refuses a token that is not of the position, and says which are', async () => {
    const opened = await open('v3')
    const args = { positionId: opened.text('positionId'), token0: 'DAI', amount0: '1' }
    const refusal = await world.refuse('increase_liquidity', args)
    expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'token0' }] })
    expect(refusal.details?.[0]?.['accepted']).toMatch(/WETH or USDC|USDC or WETH/)
  })

  test.each(['v3', 'v4'])('adds to a %s position to the wei and says what the whole holds', async (version) => {
    const opened = await open(version)
    const answer = await increase(opened, amounts(opened, '1500', '0.6'))
    const position = await world.call('get_position', { positionId: opened.text('positionId'), version })
    expect(answer.text('newTotalAmount0')).toBe(position.text('amount0'))
    expect(answer.text('newTotalAmount1')).toBe(position.text('amount1'))
    expect(answer.number('newTotalValueUsd')).toBeCloseTo(position.number('valueUsd'), 0)
    expect((await world.call('get_agent_balance')).at('allowances')).toEqual([])
  })

  test.each(['v3', 'v4'])('counts what a call before it in the queue added to a %s position', async (version) => {
    const opened = await open(version)
    const args = { positionId: opened.text('positionId'), version, slippageBps: 100, ...amounts(opened, '1500', '0.6') }
    const answers = await Promise.all([1, 2].map(() => world.call('increase_liquidity', args)))
    const blocks = await Promise.all(
      answers.map(async (answer) => {
        const receipt = await world.client.getTransactionReceipt({ hash: answer.text('txHash') as Hash })
        return Number(receipt.blockNumber)
      }),
    )
    const last = answers[blocks.indexOf(Math.max(...blocks))]!
    const position = await world.call('get_position', { positionId: opened.text('positionId'), version })
    expect(last.text('newTotalAmount0')).toBe(position.text('amount0'))
    expect(last.text('newTotalAmount1')).toBe(position.text('amount1'))
    expect(last.at('notes')).toEqual([])
  })

  test.each(['v3', 'v4'])('matches a left-out amount1 on %s', async (version) => {
    const opened = await open(version)
    const { amount0 } = amounts(opened, '1000', '0.3')
    const answer = await increase(opened, { amount0 })
    expect(Number(answer.text('amount0Added'))).toBeCloseTo(Number(amount0), 3)
    expect(Number(answer.text('amount1Added'))).toBeGreaterThan(0)
  })

  test('pays native currency into a native v4 pool, and into WETH of v3 on request', async () => {
    const native = await open('v4', 'ETH')
    await increase(native, amounts(native, '1000', '0.4'))
    const wrapped = await open('v3')
    await increase(wrapped, { ...amounts(wrapped, '1000', '0.4'), payNative: true })
  })

  test('refuses nothing, strangers and too many digits', async () => {
    const opened = await open('v3')
    const positionId = opened.text('positionId')
    expect((await world.refuse('increase_liquidity', { positionId, amount0: '0' })).details[0]?.field).toBe('amount0')
    expect(
      (await world.refuse('increase_liquidity', { positionId, amount0: '0', amount1: '0.0' })).details[0]?.field,
    ).toBe('amount0')
    const fine = amounts(opened, '1.0000001', '0.1')
    const field = fine.amount0 === '1.0000001' ? 'amount0' : 'amount1'
    expect((await world.refuse('increase_liquidity', { positionId, ...fine })).details[0]?.field).toBe(field)
    const stranger = await openWorld(devnet())
    try {
      expect((await stranger.refuse('increase_liquidity', { positionId, amount0: '1' })).code).toBe(
        'POSITION_NOT_OWNED',
      )
    } finally {
      await stranger.close()
    }
  })
})

test.each(['v3', 'v4'])('a plan for a closed %s position warns that it would be open again', async (version) => {
  const positionId = (await open(version)).text('positionId')
  await world.call('remove_liquidity', { positionId, version })
  const planned = await world.call('increase_liquidity', {
    positionId,
    version,
    amount0: '0.1',
    token0: 'WETH',
    dryRun: true,
  })
  expect(planned.at('plan.warnings')).toContainEqual(expect.stringContaining('would be open again'))
})
