import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callCommand } from '../calls.fixture.ts'
import { asV4, csvOf, jsonLines, liquidity, owed, range, someEvents } from './events/events.fixture.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const svc = (...words: readonly string[]) => callCommand(['lp', ...words])
const { events, state } = someEvents()
const ofPosition = [`--lower=${range.tickLower}`, '--upper', String(range.tickUpper), '--liquidity', String(liquidity)]
const noHook = `0x${'0'.repeat(40)}`

function written(name: string, text: string): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

async function reportOf(file: string, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await svc('replay', file, '--json', ...flags)
  expect(stderr).toBe('')
  return { code, report: JSON.parse(stdout) }
}

describe('svc lp replay says how a pool stands and what a position is owed, to the unit', () => {
  const expected = () => ({
    events: events.length,
    state: {
      sqrtPriceX96: String(state.sqrtPriceX96),
      tick: state.tick,
      liquidity: String(state.liquidity),
      feeGrowthGlobal0X128: String(state.feeGrowthGlobal0X128),
      feeGrowthGlobal1X128: String(state.feeGrowthGlobal1X128),
      initialisedTicks: 4,
      positions: 2,
    },
    trade: { swaps: 96 },
    position: { fees0: owed(state)[0], fees1: owed(state)[1], mintedOnLine: 7, burnedOnLine: null, isAdded: false },
    mismatch: null,
  })

  test.each([
    ['JSON lines', 'pool.jsonl', jsonLines(events), ['--fee', '0.3%'], 0],
    ['CSV', 'pool.csv', csvOf(events), ['--fee', '3000', '--tick-spacing', '60'], 1],
    ['v4', 'v4.jsonl', jsonLines(asV4(events, noHook)), [], 0],
  ])('of %s', async (_, name, text, flags, headerLines) => {
    const { code, report } = await reportOf(written(name, text), ...flags, ...ofPosition)
    const { position, ...others } = expected()
    expect(code).toBe(0)
    expect(report).toMatchObject({ ...others, position: { ...position, mintedOnLine: 7 + headerLines } })
  })

  test('and of one that is added what it takes of the same trade, between two times', async () => {
    const file = written('pool.jsonl', jsonLines(events))
    const feesOf = async (...flags: readonly string[]) => {
      const { report } = await reportOf(file, '--fee', '3000', ...ofPosition, '--added', ...flags)
      return BigInt(report.position.fees0)
    }
    const all = await feesOf()
    const first = await feesOf('--end', '2025-06-16T12:00:00Z')
    const second = await feesOf('--start', '2025-06-16T12:00:00Z')
    expect(first > 0n && second > 0n).toBe(true)
    // Each collection rounds down.
    expect(all - first - second).toBeLessThanOrEqual(1n)
    expect(all < BigInt(owed(state)[0])).toBe(true)
  })

  test('for a person in a few lines', async () => {
    const file = written('pool.jsonl', jsonLines(events))
    const { code, stdout } = await svc('replay', file, '--fee', '3000', ...ofPosition)
    expect(code).toBe(0)
    expect(stdout).toContain(`fees ${owed(state)[0]} of token0 and ${owed(state)[1]} of token1, in smallest units.`)
    expect(stdout).toContain('96 swaps paid in ')
  })
})

describe('a file that contradicts itself', () => {
  test('is replayed to there, and the line, the fields and the fix are said', async () => {
    const at = events.findIndex(({ eventName }, index) => eventName === 'Swap' && index > 20)
    const swap = events[at]!
    if (swap.eventName !== 'Swap') throw new TypeError('a swap was looked for')
    const off = { ...swap, args: { ...swap.args, tick: swap.args.tick + 1, liquidity: swap.args.liquidity + 5n } }
    const file = written('off.jsonl', jsonLines(events.with(at, off)))
    const { code, report } = await reportOf(file, '--fee', '3000')
    expect(code).toBe(1)
    expect(report.events).toBe(at)
    expect(report.mismatch).toMatchObject({ line: at + 1, event: 'Swap', code: 'SWAP_LOGS_INCONSISTENT' })
    expect(report.mismatch.fields).toEqual([
      { field: 'args.liquidity', logged: String(off.args.liquidity), replayed: String(swap.args.liquidity) },
      { field: 'args.tick', logged: String(off.args.tick), replayed: String(swap.args.tick) },
    ])
    const { stdout } = await svc('replay', file, '--fee', '3000')
    expect(stdout).toContain(`SWAP_LOGS_INCONSISTENT: line ${at + 1}, Swap: `)
    expect(stdout).toContain(`  args.tick: the file says ${off.args.tick}, the replay comes to ${swap.args.tick}\n`)
    expect(stdout).toContain('  Hand in every event of this pool from its Initialize on')
  })

  test('so is one without one of its events, and a mint of other amounts', async () => {
    const gap = written('gap.jsonl', jsonLines(events.toSpliced(12, 1)))
    expect((await reportOf(gap, '--fee', '3000')).report.mismatch).toMatchObject({ line: 13, event: 'Swap' })
    const mint = events[1]!
    if (mint.eventName !== 'Mint') throw new TypeError('the second event is a mint')
    const off = { ...mint, args: { ...mint.args, amount1: mint.args.amount1 - 1n } }
    const { report } = await reportOf(written('mint.jsonl', jsonLines(events.with(1, off))), '--fee', '3000')
    const [amount1, logged] = [String(mint.args.amount1), String(off.args.amount1)]
    expect(report.mismatch.fields).toEqual([{ field: 'args.amount1', logged, replayed: amount1 }])
  })
})

describe('svc lp replay refuses', () => {
  test.each<[expected: string, text: string, flags?: readonly string[]]>([
    ['the events of a v3 pool need --fee', jsonLines(events), []],
    ['a fee of 2500 has no tick spacing of its own', jsonLines(events), ['--fee', '2500']],
    ['--fee has no place here: the Initialize of a v4 pool tells it', jsonLines(asV4(events, noHook))],
    ['HOOK_CHANGES_AMOUNTS: ', jsonLines(asV4(events, `0x${'0'.repeat(37)}088`)), []],
    ['(beforeSwapReturnsDelta)', jsonLines(asV4(events, `0x${'0'.repeat(37)}088`)), []],
    [
      'no event mints just this liquidity in this range',
      jsonLines(events),
      ['--fee', '3000', ...ofPosition.slice(0, -1), '7'],
    ],
    ['a position takes --lower, --upper and --liquidity', jsonLines(events), ['--fee', '3000', '--lower', '0']],
    [
      '--start and --end are of a position with --added',
      jsonLines(events),
      ['--fee', '3000', ...ofPosition, '--start', '2025-01-01'],
    ],
    [
      '--lower 60 is not below --upper 0',
      jsonLines(events),
      ['--fee', '3000', '--lower', '60', '--upper', '0', '--liquidity', '1'],
    ],
    ['The file holds no event', ''],
    ['line 1: the first event of a pool is Initialize, not Mint', jsonLines(events.slice(1))],
    [
      'line 3: eventName is one of Initialize, Mint, ',
      jsonLines([...events.slice(0, 2), { eventName: 'Sync', args: {}, timestamp: 1 }]),
    ],
    ['line 2 is not JSON', `${jsonLines(events.slice(0, 1))}{"eventName"\n`],
    [
      'line 1: timestamp is a whole number up to 2^53; it is missing',
      '{"eventName":"Initialize","args":{"sqrtPriceX96":"1","tick":0}}',
    ],
    [
      'line 1: Initialize.sqrtPriceX96 is a whole number, written as text where it is beyond 2^53; it is not 7.922816251426434e+28',
      '{"eventName":"Initialize","args":{"sqrtPriceX96":79228162514264337593543950336,"tick":0},"timestamp":1}',
    ],
    ['It is neither JSON lines of events nor a CSV', 'startsAt,openTick\n1,2\n'],
  ])('%s', async (expected, text, flags = ['--fee', '3000']) => {
    const { code, stdout, stderr } = await svc('replay', written('events', text), ...flags)
    expect(stderr).toContain(expected)
    expect([code === 1 || code === 2, stdout]).toEqual([true, ''])
  })
})

describe('svc lp backtest --resolution swap', () => {
  const flags = ['--resolution', 'swap', '--decimals', '18,18', '--amount', '0.01']

  test.each([
    ['v3', jsonLines(events), ['--fee', '3000']],
    ['v4', jsonLines(asV4(events, noHook)), []],
  ])('of %s counts by swaps, and says how far bars lie off', async (_, text, fee) => {
    const file = written('pool.jsonl', text)
    const svg = join(directory, 'picture.svg')
    const { code, stdout, stderr } = await svc('backtest', file, ...flags, ...fee, '--json', '--svg', svg)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({ resolution: 'swap', fee: 3000, barsExpected: 48 })
    for (const row of report.strategies) {
      expect(BigInt(row.fees0) > 0n && BigInt(row.fees1) > 0n).toBe(true)
      expect(row.feesDifferenceUsd).toBeCloseTo(row.feesByBarsUsd - row.feesEarnedUsd, 6)
      expect(row.feeUncertaintyPct).toBe(0)
    }
    expect(report.notes.join(' ')).toContain('swap by swap, 96 of them')
    expect(report.notes.join(' ')).toMatch(/Bars of 3600 s say of the same positions: narrow [+-]/)
    expect(readFileSync(svg, 'utf8')).toMatch(/ on a file of events, fee 0\.3 %[^]*; fees by 96 swaps\./)
  })

  test.each<[expected: string, ...words: string[]]>([
    ['--resolution takes bar or swap, not "tick"', 'x', '--resolution', 'tick'],
    ['svc lp backtest --resolution swap takes one file of events', ...flags],
    ['svc lp backtest --resolution swap takes one file of events', ...flags, '--chain', 'local'],
    ['--protocol-fee-pct has no place here', 'x', ...flags, '--protocol-fee-pct', '1'],
  ])('refuses: %s', async (expected, ...words) => {
    const { code, stderr } = await svc('backtest', ...words)
    expect(code).toBe(2)
    expect(stderr).toContain(expected)
  })

  test('names the line of an event that does not fit', async () => {
    const file = written('gap.jsonl', jsonLines(events.toSpliced(12, 1)))
    const { code, stderr } = await svc('backtest', file, ...flags, '--fee', '3000')
    expect(code).toBe(1)
    expect(stderr).toContain('SWAP_LOGS_INCONSISTENT: ')
    expect(stderr).toContain('line 13: ')
  })
})
