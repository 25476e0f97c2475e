import { expect, test } from 'vitest'
import { orderProgress } from './read-order.ts'

const factor = (times: bigint): bigint => times << 96n
const start = 1_000

test('an order that stands has sold for the time since, at most until its end', () => {
  const changes = [{ timestamp: start, sellRate: 5n, earningsFactor: factor(7n) }]
  const history = { changes, stands: true, expiresAt: start + 100, pending: 12n }
  expect(orderProgress({ ...history, now: start + 30 })).toEqual({
    amountTotal: 500n,
    amountSold: 150n,
    amountRemaining: 350n,
    amountReceived: 12n,
  })
  expect(orderProgress({ ...history, now: start + 300 })).toMatchObject({ amountSold: 500n, amountRemaining: 0n })
})

test('what was settled on the way counts by the factors of each change', () => {
  const changes = [
    { timestamp: start, sellRate: 5n, earningsFactor: factor(7n) },
    { timestamp: start + 20, sellRate: 5n, earningsFactor: factor(10n) },
    // Half of it was taken back.
    { timestamp: start + 40, sellRate: 2n, earningsFactor: factor(11n) },
  ]
  expect(orderProgress({ changes, stands: true, expiresAt: start + 100, now: start + 50, pending: 3n })).toEqual({
    amountTotal: 500n,
    amountSold: 220n,
    amountRemaining: 100n,
    amountReceived: 15n + 5n + 3n,
  })
})

test('an order that ended sold nothing from then on, and holds nothing', () => {
  const changes = [
    { timestamp: start, sellRate: 5n, earningsFactor: 0n },
    { timestamp: start + 40, sellRate: 0n, earningsFactor: factor(2n) },
  ]
  const ended = { changes, stands: false, expiresAt: start + 100, now: start + 900, pending: 0n }
  expect(orderProgress(ended)).toEqual({
    amountTotal: 500n,
    amountSold: 200n,
    amountRemaining: 0n,
    amountReceived: 10n,
  })
  const afterwards = [changes[0]!, { ...changes[1]!, timestamp: start + 500 }]
  expect(orderProgress({ ...ended, changes: afterwards })).toMatchObject({ amountSold: 500n, amountReceived: 10n })
})

test('a hook may report the rate of an order that it ends: what no longer stands sells nothing', () => {
  const changes = [
    { timestamp: start, sellRate: 5n, earningsFactor: 0n },
    { timestamp: start + 40, sellRate: 5n, earningsFactor: factor(2n) },
  ]
  const history = { changes, stands: false, expiresAt: start + 100, now: start + 900, pending: 0n }
  expect(orderProgress(history)).toMatchObject({ amountSold: 200n, amountRemaining: 0n })
})

test('an earnings factor may run over', () => {
  const changes = [
    { timestamp: start, sellRate: 5n, earningsFactor: 2n ** 256n - factor(1n) },
    { timestamp: start + 20, sellRate: 0n, earningsFactor: factor(1n) },
  ]
  const history = { changes, stands: false, expiresAt: start + 100, now: start + 20, pending: 0n }
  expect(orderProgress(history).amountReceived).toBe(10n)
})
