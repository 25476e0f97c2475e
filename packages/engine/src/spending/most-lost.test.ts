import { expect, it } from 'vitest'
import { parsePolicy } from '../policy/policy.ts'
import { mostLost, mostLostText } from './most-lost.ts'

const lostUnder = (written: object) => mostLost(parsePolicy(written, { production: true }))

it('is, under the defaults, 40 dollars in trades, 40 of gas, and thrice that of gas of bringing funds home', () => {
  expect(lostUnder({})).toEqual({ trades: '40', gas: '40', homeGas: '120', total: '200', lastHomeGas: '500' })
  expect(mostLostText(lostUnder({}))).toBe(
    '200 USD (40 in trades worse than trusted prices, 40 of gas, 120 of gas of bringing funds home)',
  )
})

it('follows the day, and what is written in its place', () => {
  const limitsUsd = { perTransaction: '100', perSession: '300', daily: '300' }
  expect(lostUnder({ limitsUsd })).toEqual({ trades: '6', gas: '6', homeGas: '18', total: '30', lastHomeGas: '100' })
  expect(lostUnder({ limitsUsd, maxDailyLossUsd: '10' })).toMatchObject({ trades: '10', gas: '10', total: '50' })
  expect(lostUnder({ limitsUsd, maxDailyGasUsd: '0.5' })).toMatchObject({ trades: '6', homeGas: '1.5', total: '8' })
})
