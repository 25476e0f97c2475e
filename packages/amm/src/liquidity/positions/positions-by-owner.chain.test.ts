import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, http, maxUint256, numberToHex, parseAbi, parseUnits, type Hex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PairShare } from '../../ports.ts'
import { erc20Abi } from '../../abis/tokens.ts'
import { v2RouterAbi } from '../../abis/v2.ts'
import { v4PositionManagerAbi } from '../../abis/v4.ts'
import { createChainActor, type ChainActor } from '../chain-actor.fixture.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'
import { poolKeyOf } from '../v4/pool-key.ts'
import { readV4Positions } from '../v4/read-positions.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>
let owner: ChainActor

beforeEach(async () => {
  bench = createReadsBench(devnet())
  owner = await createChainActor(devnet(), devnet().accounts[0]!.address)
})

describe('positionsByOwner', () => {
  it('finds what the owner holds in every version, and nothing of others', async () => {
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const pools = await bench.reads.findPools(bench.chain, weth, usdc)
    const [v3, v4] = [pools.find((pool) => pool.version === 'v3')!, pools.find((pool) => pool.version === 'v4')!]
    await owner.addV2(weth.address, usdc.address, parseUnits('1', 18), parseUnits('3000', 6))
    const spacing = v3.tickSpacing!
    const base = Math.floor(v3.tick / spacing) * spacing
    const mint = { token0: v3.token0.address, token1: v3.token1.address, fee: v3.fee, amount0Desired: 10n ** 9n }
    const range = { tickLower: base - 10 * spacing, tickUpper: base + 10 * spacing, amount1Desired: 10n ** 9n }
    const v3Ids = [await owner.mintV3({ ...mint, ...range }), await owner.mintV3({ ...mint, ...range })]
    const v4Id = await owner.mintV4(poolKeyOf(v4), -887_270, 887_270, 10n ** 12n)
    const found = await bench.reads.positionsByOwner(bench.chain, owner.address, ['v2', 'v3', 'v4'])
    expect(found.complete).toBe(true)
    expect(found.items.map(({ version, positionId }) => `${version} ${positionId}`)).toEqual([
      `v2 ${pools.find((pool) => pool.version === 'v2')!.id}`,
      ...v3Ids.toReversed().map((id) => `v3 ${id}`),
      `v4 ${v4Id}`,
    ])
    expect(found.items.every((item) => item.owner === owner.address)).toBe(true)
    const single = await bench.reads.position(bench.chain, 'v3', v3Ids[0]!.toString())
    expect(found.items[2]).toEqual(single)
    const stranger = await bench.reads.positionsByOwner(bench.chain, devnet().accounts[5]!.address, ['v2', 'v3', 'v4'])
    expect(stranger).toEqual({ items: [], complete: true })
    const onlyV4 = await bench.reads.positionsByOwner(bench.chain, owner.address, ['v4'])
    expect(onlyV4.items).toHaveLength(1)
  })

  it('finds v4 positions by logs where tokens are many, and forgets those given away', async () => {
    const [pool] = await bench.reads.findPools(bench.chain, await bench.token('WETH'), await bench.token('USDC'), [
      'v4',
    ])
    const kept = await owner.mintV4(poolKeyOf(pool!), -887_270, 887_270, 10n ** 12n)
    const given = await owner.mintV4(poolKeyOf(pool!), -887_270, 887_270, 10n ** 12n)
    const { positionManager } = bench.chain.amm.v4!
    await owner.write(positionManager, transferAbi, 'transferFrom', [
      owner.address,
      devnet().accounts[5]!.address,
      given,
    ])
    await pretendManyTokens()
    const logRequests: number[] = []
    const crowded = createReadsBench(devnet(), (body) => {
      if (body.includes('eth_getLogs')) logRequests.push([JSON.parse(body)].flat().length)
      return null
    })
    const found = await crowded.reads.positionsByOwner(bench.chain, owner.address, ['v4'])
    expect(found).toMatchObject({ items: [{ positionId: kept.toString() }], complete: true })
    expect(logRequests, 'what came and what went, each alone').toEqual([1, 1])
  })

  it('gives no more v4 positions than are asked for, the newest, and says that there are others', async () => {
    const weth = await bench.token('WETH')
    const [pool] = await bench.reads.findPools(bench.chain, weth, await bench.token('USDC'), ['v4'])
    const mint = () => owner.mintV4(poolKeyOf(pool!), -887_270, 887_270, 10n ** 12n)
    const minted = [await mint(), await mint()]
    const at = await bench.rpc.head(bench.chain)
    const most = async (count: number) => {
      const candidates = minted.toReversed()
      const found = await readV4Positions(bench, bench.chain, candidates, { at, owner: owner.address, most: count })
      return found.flatMap((position) => position?.positionId ?? [])
    }
    expect(await most(1)).toEqual([String(minted[1])])
    expect(await most(2)).toEqual(minted.toReversed().map(String))
    const others = await readV4Positions(bench, bench.chain, minted, { at, owner: devnet().accounts[5]!.address })
    expect(others).toEqual([null, null])
  })

  it('tells what became of those that it found before: given away, given, moved on, and added to', async () => {
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const pools = await bench.reads.findPools(bench.chain, weth, usdc)
    const [v3, v4] = [pools.find((pool) => pool.version === 'v3')!, pools.find((pool) => pool.version === 'v4')!]
    const spacing = v3.tickSpacing!
    const base = Math.floor(v3.tick / spacing) * spacing
    const mintV3 = () =>
      owner.mintV3({
        token0: v3.token0.address,
        token1: v3.token1.address,
        fee: v3.fee,
        tickLower: base - 10 * spacing,
        tickUpper: base + 10 * spacing,
        amount0Desired: 10n ** 9n,
        amount1Desired: 10n ** 9n,
      })
    const mintV4 = () => owner.mintV4(poolKeyOf(v4), -887_270, 887_270, 10n ** 12n)
    const ids = { v3: [await mintV3(), await mintV3()], v4: [await mintV4(), await mintV4()] }
    const all = (reads = bench.reads) => reads.positionsByOwner(bench.chain, owner.address, ['v2', 'v3', 'v4'])
    const before = await all()
    expect(before.items).toHaveLength(4)
    for (const [version, [first]] of [
      ['v3', ids.v3],
      ['v4', ids.v4],
    ] as const) {
      const { positionManager } = bench.chain.amm[version]!
      const given = [owner.address, devnet().accounts[5]!.address, first!] as const
      await owner.write(positionManager, transferAbi, 'transferFrom', given)
    }
    const added = [await mintV3(), await mintV4()]
    await owner.addV2(weth.address, usdc.address, parseUnits('1', 18), parseUnits('3000', 6))
    await owner.swapV2([weth.address, usdc.address], parseUnits('7', 18))
    const now = await all()
    expect(now.items.slice(1).map(({ positionId }) => positionId)).toEqual(
      [added[0], ids.v3[1], added[1], ids.v4[1]].map(String),
    )
    expect(now).toEqual(await all(createReadsBench(devnet()).reads))
  })

  it('says so when the logs do not reach back to all of them', async () => {
    const [pool] = await bench.reads.findPools(bench.chain, await bench.token('WETH'), await bench.token('USDC'), [
      'v4',
    ])
    await owner.mintV4(poolKeyOf(pool!), -887_270, 887_270, 10n ** 12n)
    await pretendManyTokens()
    let widest = 0n
    const short = createReadsBench(devnet(), (body) => {
      const calls: LogCall[] = [JSON.parse(body)].flat()
      if (!calls.some(({ method }) => method === 'eth_getLogs')) return null
      const answers = calls.map(({ id, params: [range] }) => {
        const span = BigInt(range.toBlock) - BigInt(range.fromBlock)
        if (span > widest) widest = span
        const error = { code: -32_005, message: 'range too wide' }
        return span > 0n ? { jsonrpc: '2.0', id, error } : { jsonrpc: '2.0', id, result: [] }
      })
      return Response.json(answers.length === 1 ? answers[0] : answers)
    })
    const found = await short.reads.positionsByOwner(bench.chain, owner.address, ['v4'])
    expect(found).toEqual({ items: [], complete: false })
    expect(widest).toBeGreaterThan(0n)
  })
})

describe('pairShare', () => {
  it('is worth what burning it pays, to the unit', async () => {
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const [pair] = await bench.reads.findPools(bench.chain, weth, usdc, ['v2'])
    await owner.addV2(weth.address, usdc.address, parseUnits('1.5', 18), parseUnits('4500', 6))
    await owner.swapV2([weth.address, usdc.address], parseUnits('7', 18))
    // Tokens sent to a pair belong to its shares, although the reserves do not know them yet.
    await owner.write(usdc.address, erc20Abi, 'transfer', [pair!.id, 1_000_003n])
    const share = await bench.reads.pairShare(bench.chain, pair!.id, owner.address)
    expect([share.amount0, share.amount1]).toEqual(await burn(share))
  })

  it('leaves out what the protocol takes of the growth, where it takes a part', async () => {
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const [pair] = await bench.reads.findPools(bench.chain, weth, usdc, ['v2'])
    const { factory } = bench.chain.amm.v2!
    const setter = await owner.client.readContract({ address: factory, abi: feeToAbi, functionName: 'feeToSetter' })
    const governor = await createChainActor(devnet(), setter)
    await governor.write(factory, feeToAbi, 'setFeeTo', [devnet().accounts[7]!.address])
    await owner.addV2(weth.address, usdc.address, parseUnits('1.5', 18), parseUnits('4500', 6))
    for (let round = 0; round < 3; round += 1) await owner.swapV2([weth.address, usdc.address], parseUnits('5', 18))
    const share = await bench.reads.pairShare(bench.chain, pair!.id, owner.address)
    expect([share.amount0, share.amount1]).toEqual(await burn(share))
  })

  it('is POSITION_NOT_FOUND for who holds none, POOL_NOT_FOUND for what is no pair', async () => {
    const pair = devnet().pools.find(({ version }) => version === 'v2')!.id
    const { address } = devnet().accounts[5]!
    await expect(bench.reads.pairShare(bench.chain, pair, address)).rejects.toMatchObject({
      code: 'POSITION_NOT_FOUND',
    })
    await expect(bench.reads.pairShare(bench.chain, bench.addressOf('USDC'), address)).rejects.toMatchObject({
      code: 'POOL_NOT_FOUND',
    })
  })
})

type LogCall = { id: number; method: string; params: [{ fromBlock: Hex; toBlock: Hex }] }

/** Sets the counter of the position manager, wherever it keeps it, as if a million positions had been minted. */
async function pretendManyTokens(): Promise<void> {
  const { positionManager: address } = bench.chain.amm.v4!
  const client = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  const next = () => owner.client.readContract({ address, abi: v4PositionManagerAbi, functionName: 'nextTokenId' })
  const value = numberToHex(await next(), { size: 32 })
  for (let slot = 0; slot < 20 && (await next()) < 1_000_000n; slot += 1) {
    const index = numberToHex(slot, { size: 32 })
    if ((await owner.client.getStorageAt({ address, slot: index })) !== value) continue
    await client.setStorageAt({ address, index, value: numberToHex(1_000_000, { size: 32 }) })
    if ((await next()) !== 1_000_000n) await client.setStorageAt({ address, index, value })
  }
  expect(await next()).toBe(1_000_000n)
}

const transferAbi = parseAbi(['function transferFrom(address from, address to, uint256 id)'])

/** What really comes back for all of a share. */
async function burn({ pool, shares }: PairShare): Promise<[bigint, bigint]> {
  const { router } = bench.chain.amm.v2!
  await owner.write(pool.id, erc20Abi, 'approve', [router, maxUint256])
  const tokens = [pool.token0.address, pool.token1.address] as const
  const before = [await owner.balanceOf(tokens[0]), await owner.balanceOf(tokens[1])] as const
  await owner.write(router, v2RouterAbi, 'removeLiquidity', [...tokens, shares, 0n, 0n, owner.address, maxUint256])
  return [(await owner.balanceOf(tokens[0])) - before[0], (await owner.balanceOf(tokens[1])) - before[1]]
}

const feeToAbi = parseAbi(['function feeToSetter() view returns (address)', 'function setFeeTo(address feeTo)'])
