import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalogue } from '@svc/tool-server'
import { toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCommand } from '../../packages/cli/src/calls.fixture.ts'
import { jsonLines, liquidity, range, someEvents } from '../../packages/cli/src/lp/events/events.fixture.ts'
import { poolWorld } from '../../packages/tool-server/src/tools/analytics/pool-world.fixture.ts'
import { parseInput } from '../../packages/tool-server/src/dispatch/parse-input.ts'
import { toolSchemas } from '../../packages/tool-server/src/dispatch/tool-schemas.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/analytics.md'), 'utf8')
const reported = new Set([...page.matchAll(/`([A-Za-z0-9]+)`/g)].map(([, name]) => name))
const undocumented = (names: Iterable<string>) => [...new Set(names)].filter((name) => !reported.has(name))

// A day and a little of the shipped minutes: what is told of them is of no matter here.
const shipped = join(root, 'examples/data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv')
const directory = mkdtempSync(join(tmpdir(), 'analytics-docs-'))
beforeAll(() =>
  writeFileSync(join(directory, 'a-day.csv'), readFileSync(shipped, 'utf8').split('\n').slice(0, 1500).join('\n')),
)
afterAll(() => rmSync(directory, { recursive: true }))

describe('docs/analytics.md says what each member of a result is', () => {
  test.each([
    'optimize_lp_range',
    'recommend_fee_tier',
    'backtest_lp_strategy',
    'get_price_history',
    'get_volume_history',
    'get_position_performance',
    'search_pools',
  ])('of %s', (name) => {
    const tool = catalogue.find((one) => one.name === name)!
    const members = [...membersOfSchema(toolSchemas(tool).outputSchema)]
    expect(members.length).toBeGreaterThan(7)
    expect(undocumented(members)).toEqual([])
  })

  // Rows may hold more than their schema says.
  test.each<readonly [string, object, number]>([
    ['optimize_lp_range', { amount: '1000', simulations: 64 }, 30],
    ['recommend_fee_tier', {}, 30],
    ['backtest_lp_strategy', { amount: '1000', startTime: '2026-11-03T00:00:00.000Z' }, 30],
  ])('of an answer of %s', async (name, args, least) => {
    const tool = catalogue.find((one) => one.name === name)!
    const world = poolWorld({ decimals: [18, 6], tick: 0, step: 30 })
    const rpc = {
      ...world.rpc,
      client: () => ({ request: async () => toHex(10n ** 24n, { size: 32 }) }) as never,
    }
    const input = parseInput(tool, { token0: 'AAA', token1: 'BBB', chain: 'base', ...args })
    const members = [...membersOf(await tool.handle(input, { ...world, rpc }))]
    expect(new Set(members).size).toBeGreaterThan(least)
    expect(undocumented(members)).toEqual([])
  })

  test('with what svc lp optimize says of the shipped file', async () => {
    const flags = ['--fee', '500', '--decimals', '6,18', '--base', '1', '--pair', 'WETH/USDC', '--block-seconds', '2']
    expect(page).toContain(`npx --no-install svc lp optimize FILE ${flags.join(' ')}\n`)
    const { stdout } = await callCommand(['lp', 'optimize', shipped, ...flags])
    const head = stdout.split('\n').slice(0, 5).join('\n')
    const [before = '', , after = ''] = page.split(/(?<=\n```\n)(WETH\/USDC, fee 0\.05 %[^]*?)(?=\n…\n```\n)/)
    await expect(`${before}${head}${after}`).toMatchFileSnapshot(join(root, 'docs/analytics.md'))
    const [, net] = /^chosen .* (-?[\d.]+ % ± [\d.]+)$/m.exec(head) ?? []
    expect(page).toContain(`says a net APR of ${net?.replace(' %', '')} %`)
  })

  test('of svc lp replay, and of a backtest swap by swap', async () => {
    const pool = join(directory, 'pool.jsonl')
    const { events } = someEvents()
    writeFileSync(pool, jsonLines([...events, events[0]!]))
    const position = [`--lower=${range.tickLower}`, '--upper', `${range.tickUpper}`, '--liquidity', `${liquidity}`]
    const replayed = await callCommand(['lp', 'replay', pool, '--fee', '3000', ...position, '--json'])
    const { mismatch, ...report } = JSON.parse(replayed.stdout)
    expect(
      undocumented(membersOf({ ...report, mismatch: { ...mismatch, fields: [{ field: 0, logged: 0, replayed: 0 }] } })),
    ).toEqual([])
    writeFileSync(pool, jsonLines(events))
    const flags = ['--resolution', 'swap', '--fee', '3000', '--decimals', '18,18', '--amount', '1', '--json']
    const { stdout } = await callCommand(['lp', 'backtest', pool, ...flags])
    expect(undocumented(membersOf(JSON.parse(stdout)))).toEqual([])
  })

  test.each([['optimize', '--simulations', '64'], ['backtest'], ['fee-tier']])('of svc lp %s', async (...words) => {
    const file = join(directory, 'a-day.csv')
    const [command, ...more] = words
    const place = command === 'fee-tier' ? [`500=${file}`] : [file, '--fee', '500']
    const flags = ['--decimals', '6,18', '--base', '1', '--json', ...more]
    const { stdout } = await callCommand(['lp', command, ...place, ...flags])
    const members = [...membersOf(JSON.parse(stdout))]
    expect(members.length).toBeGreaterThan(20)
    expect(undocumented(members)).toEqual([])
  })
})

function* membersOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield* Object.keys(value)
  for (const inner of Object.values(value)) yield* membersOf(inner)
}

/** The names under `properties`, at any depth. */
function* membersOfSchema(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'properties') yield* Object.keys(inner)
    yield* membersOfSchema(inner)
  }
}
