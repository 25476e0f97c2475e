import { useDevnet } from '@svc/devnet/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { usePipelines } from '../../../engine/src/fixtures/use-pipelines.fixture.ts'
import { type AttackRow, fundStranger, openStage, playRow } from './attack-row.fixture.ts'
import { calldataRows } from './calldata-rows.fixture.ts'
import { dayRows } from './day-rows.fixture.ts'
import { depositRows } from './deposit-rows.fixture.ts'
import { exitRows } from './exit-rows.fixture.ts'
import { priceRows } from './price-rows.fixture.ts'
import { tradeRows } from './trade-rows.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
beforeAll(() => fundStranger(devnet()))

describe('G13: trades in pools that were made or moved', () => {
  simulateAll(tradeRows)
})
describe('G13: calldata worse than what is simulated', () => {
  simulateAll(calldataRows)
})
describe('G13: deposits that give themselves away', () => {
  simulateAll(depositRows)
})
describe('G13: ways home, and what looks like one', () => {
  simulateAll(exitRows)
})
describe('G13: prices that are forged, or not told', () => {
  simulateAll(priceRows)
})
describe('G13: small losses, many times', () => {
  simulateAll(dayRows)
})

describe('G13: the table', () => {
  it('holds at least 60 ways', () => {
    const rows = [tradeRows, calldataRows, depositRows, exitRows, priceRows, dayRows].flat()
    expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length)
    expect(rows.length).toBeGreaterThanOrEqual(60)
  })
})

function simulateAll(rows: readonly AttackRow[]): void {
  it.each(rows.map((row) => [row.what, row] as const))('%s', async (_what, row) => {
    const { options } = row
    const pipeline = await open(typeof options === 'function' ? options(devnet()) : options)
    await playRow(row, await openStage(devnet(), pipeline))
  })
}
