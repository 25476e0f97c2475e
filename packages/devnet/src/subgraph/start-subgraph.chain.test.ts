import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDevnet } from '../use-devnet.ts'
import { startSubgraph, type Subgraph } from './start-subgraph.ts'

const devnet = useDevnet()
let subgraph: Subgraph

beforeAll(async () => {
  subgraph = await startSubgraph({ devnet: devnet() })
})
afterAll(async () => {
  await subgraph.stop()
})

type Answer = { data?: Record<string, never> | null; errors?: { message: string }[] }

async function ask(version: 'v2' | 'v3' | 'v4', query: string): Promise<Answer> {
  const body = JSON.stringify({ query, variables: {} })
  return (await (await fetch(subgraph.urls[version], { method: 'POST', body })).json()) as Answer
}

const rowsOf = (answer: Answer, name: string) => answer.data![name]! as Record<string, string>[]

test('tells of each pool what was put into it', async () => {
  for (const [version, list, held] of [
    ['v2', 'pairs', 'reserveUSD'],
    ['v3', 'pools', 'totalValueLockedUSD'],
    ['v4', 'pools', 'totalValueLockedUSD'],
  ] as const) {
    const rows = rowsOf(
      await ask(version, `{ ${list}(orderBy: ${held}, orderDirection: desc) { id tvl: ${held} } }`),
      list,
    )
    const own = [...devnet().pools, devnet().twamm.pool].filter((pool) => pool.version === version)
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(own.map(({ id }) => id.toLowerCase())))
    expect(Number(rows[0]!['tvl'])).toBeGreaterThan(3_000_000)
  }
})

test('a day closes where it opened, and its last price stands elsewhere', async () => {
  const pool = devnet().pools.find(({ version, label }) => version === 'v3' && label === 'WETH/USDC 0.05 %')!
  await devnet().trade(6, 'days', [pool.id])
  const where = `first: 1, orderBy: date, orderDirection: desc, where: { pool: "${pool.id.toLowerCase()}" }`
  const [day] = rowsOf(
    await ask('v3', `{ poolDayDatas(${where}) { open close token0Price high low txCount } }`),
    'poolDayDatas',
  )
  const [now] = rowsOf(await ask('v3', `{ pools(where: { id: "${pool.id.toLowerCase()}" }) { token0Price } }`), 'pools')
  expect(day!['close']).toBe(day!['open'])
  expect(day!['token0Price']).toBe(now!['token0Price'])
  expect(day!['token0Price']).not.toBe(day!['close'])
  expect(Number(day!['high'])).toBeGreaterThan(Number(day!['low']))
})

test('gives a thousand rows at most, and pages by id', async () => {
  const tooMany = await ask('v3', '{ pools(first: 1001) { id } }')
  expect(tooMany.errors![0]!.message).toContain('between 0 and 1000')
  const all = rowsOf(await ask('v3', '{ pools(first: 1000) { id } }'), 'pools')
  const paged: string[] = []
  for (let after = ''; ;) {
    const page = rowsOf(await ask('v3', `{ pools(first: 4, where: { id_gt: "${after}" }) { id } }`), 'pools')
    paged.push(...page.map(({ id }) => id!))
    after = paged.at(-1)!
    if (page.length < 4) break
  }
  expect(paged).toEqual(all.map(({ id }) => id))
})

test('follows a chain that is set back', async () => {
  const swaps = async () => rowsOf(await ask('v4', '{ pools { id txCount } }'), 'pools')
  const before = await swaps()
  const back = await devnet().checkpoint()
  await devnet().trade(3, 'later', [devnet().pools.find(({ version }) => version === 'v4')!.id])
  expect(await swaps()).not.toEqual(before)
  await back()
  await devnet().mineTo(Math.floor(Date.now() / 1000) + 60)
  expect(await swaps()).toEqual(before)
})

test('refuses what its schema does not have', async () => {
  expect((await ask('v3', '{ poolDayDatas { feeGrowthGlobal0X128 } }')).errors![0]!.message).toContain(
    'Cannot query field',
  )
  expect((await ask('v2', '{ pools { id } }')).errors).toHaveLength(1)
})
