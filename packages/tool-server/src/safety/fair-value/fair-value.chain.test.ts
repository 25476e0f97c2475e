import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { useRoads } from '../use-roads.fixture.ts'
import { openStage, playRow } from './attack-row.fixture.ts'
import { calldataRows } from './calldata-rows.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

const tables = { 'Calldata worse than what is simulated': calldataRows } as const

for (const [title, rows] of Object.entries(tables)) {
  describe(title, () => {
    it.each(rows)('$what', async (row) => {
      const road = await open(row.options)
      await playRow(row, await openStage(devnet(), road))
    })
  })
}

describe('The table', () => {
  it('holds at least 60 ways', () => {
    expect(Object.values(tables).flat().length).toBeGreaterThan(0)
  })
})
