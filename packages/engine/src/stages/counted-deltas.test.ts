import { describe, expect, it } from 'vitest'
import { countedDeltas } from './hold-against-simulation.ts'

const usdc = '0xfbfbfddd6e35da57b7b0f9a2c10e34be70b3a4e9'
const weth = '0x539f713206437ee4c1fc978fa74874aef880cb74'

describe('countedDeltas', () => {
  it('counts what really left when it is what the simulation showed, give or take a hundredth', () => {
    const real = new Map([
      [usdc, -995n],
      [weth, 5n],
    ])
    expect(countedDeltas(real, new Map([[usdc, -1_000n]]))).toEqual(real)
  })

  it('counts the simulated amount when receipts show less, or nothing at all', () => {
    const simulated = new Map([
      [usdc, -1_000n],
      [weth, 7n],
    ])
    expect(countedDeltas(new Map(), simulated)).toEqual(new Map([[usdc, -1_000n]]))
    expect(countedDeltas(new Map([[usdc, -900n]]), simulated)).toEqual(new Map([[usdc, -1_000n]]))
  })

  it('counts what really left when it is more', () => {
    expect(countedDeltas(new Map([[usdc, -1_200n]]), new Map([[usdc, -1_000n]]))).toEqual(new Map([[usdc, -1_200n]]))
  })
})
