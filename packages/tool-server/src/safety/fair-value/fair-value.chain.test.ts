import { useDevnet } from '@svc/devnet/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { useRoads } from '../use-roads.fixture.ts'
import { fundStranger, openStage, playRow } from './attack-row.fixture.ts'
import { calldataRows } from './calldata-rows.fixture.ts'
import { dayRows } from './day-rows.fixture.ts'
import { depositRows } from './deposit-rows.fixture.ts'
import { exitRows } from './exit-rows.fixture.ts'
import { priceRows } from './price-rows.fixture.ts'
import { tradeRows } from './trade-rows.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)
beforeAll(() => fundStranger(devnet()))

const tables = {
  'Trades in pools that were made or moved': tradeRows,
  'Calldata worse than what is simulated': calldataRows,
  'Deposits that give themselves away': depositRows,
  'Ways home, and what looks like one': exitRows,
  'Prices that are forged, or not told': priceRows,
  'Small losses, many times': dayRows,
} as const

for (const [title, rows] of Object.entries(tables)) {
  describe(title, () => {
    it.each(rows)('$what', async (row) => {
      const { options } = row
      const road = await open(typeof options === 'function' ? options(devnet()) : options)
      await playRow(row, await openStage(devnet(), road))
    })
  })
}

describe('G13: the table', () => {
  it('holds at least 60 ways', () => {
    expect(Object.values(tables).flat().length).toBeGreaterThanOrEqual(60)
  })
})
