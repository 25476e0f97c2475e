import { openStore, type Store } from '@svc/store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ApiContext } from '../context.ts'
import { readyRoute } from './probes.ts'

let store: Store
beforeEach(async () => void (store = await openStore({ path: ':memory:', now: Date.now })))
afterEach(() => store.close())

it('the database is asked once, however many ask', async () => {
  let looks = 0
  const counted = {
    ...store.pins,
    has: (...of: Parameters<Store['pins']['has']>) => ((looks += 1), store.pins.has(...of)),
  }
  const context = { store: { ...store, pins: counted }, faucet: null, isClosing: () => false }
  const route = readyRoute(context as ApiContext)
  const answers = await Promise.all(Array.from({ length: 500 }, async () => route.tell()))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(looks).toBe(1)
})
