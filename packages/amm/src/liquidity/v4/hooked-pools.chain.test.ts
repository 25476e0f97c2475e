import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import { createTestClient, getAddress, http, type Address } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Position } from '../../ports.ts'
import { openMarket } from '../planning/bench-market.fixture.ts'

const devnet = useDevnet()
let market: Awaited<ReturnType<typeof openMarket>>

beforeEach(async () => {
  market = await openMarket(devnet())
})

/** Answers every call with the selector it was called by, which is all that a hook without deltas must do. */
const agreeable = '0x60003560e01c60e01b60005260206000f3'

/** A hook called before and after liquidity is added (bits 11 and 10): one asked at its removal is refused by the policy. */
const hooks = getAddress('0x0000000000000000000000000000000000010c00')

async function placeHook(address: Address) {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.setCode({ address, bytecode: agreeable })
}

function plan(amount1: string | null, facts: { hooks?: Address; fee?: number } = {}) {
  const { bench, weth, usdc } = market
  return bench.liquidity.planAdd(bench.chain, {
    version: 'v4',
    token0: weth,
    token1: usdc,
    fee: 3000,
    hooks,
    amount0: parseAmount('1', 18),
    amount1: amount1 === null ? null : parseAmount(amount1, 6),
    range: 'full',
    slippageBps: 50,
    deadline: bench.deadline,
    recipient: bench.address,
    ...facts,
  })
}

describe('a pool with a hook that changes no amounts', () => {
  it('is created, found again without standing on any list, and left', async () => {
    await placeHook(hooks)
    const { bench } = market
    const first = await plan('3000')
    expect(first.preview).toMatchObject({ createsPool: true, pool: { hooks } })
    await first.decode(await bench.run(first.intent))

    const second = await plan(null)
    expect(second.preview).toMatchObject({ createsPool: false, pool: { id: first.preview.pool.id, hooks } })
    const { result, changes } = await bench.changes([market.weth, market.usdc], () => bench.run(second.intent))
    const added = await second.decode(result)
    expect(changes).toEqual([-added.amount0, -added.amount1])

    const position = await market.read('v4', added.positionId)
    const removal = await market.remove(position)
    const left = await bench.changes(market.sides(position), () => bench.run(removal.intent))
    const removed = await removal.decode(left.result)
    expect(left.changes).toEqual([removed.amount0, removed.amount1])
  })

  it('needs the hook to be there', async () => {
    const { intent } = await plan('3000')
    await expect(market.bench.run(intent)).rejects.toThrow(/revert/)
  })
})

describe('a hook that may change amounts', () => {
  it.each(['1', '2', '4', '8', 'f'])('is refused for deposits, bits %s', async (bits) => {
    await expect(
      plan(null, { hooks: getAddress(`0x000000000000000000000000000000000001000${bits}`) }),
    ).rejects.toMatchObject({ code: 'HOOK_NOT_SUPPORTED', details: [{ field: 'hookAddress' }] })
  })

  it('is refused in every call that names a position', async () => {
    const position = await market.open('v4', market.weth)
    const delta = { hooks: getAddress('0x0000000000000000000000000000000000000001') }
    const hooked: Position = { ...position, pool: { ...position.pool, ...delta } }
    const refusal = { code: 'HOOK_NOT_SUPPORTED', details: [{ field: 'positionId' }] }
    await expect(market.remove(hooked)).rejects.toMatchObject(refusal)
    await expect(market.increase(hooked, 1_000_000n, null)).rejects.toMatchObject(refusal)
    await expect(market.collect(hooked)).rejects.toMatchObject(refusal)
  })
})
