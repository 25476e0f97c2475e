import type { Claim } from '@svc/store'
import { expect, test } from 'vitest'
import { createSentWatch } from '../open-faucet.ts'

test('one look at the database serves all who wait, and each hears of its own claim', async () => {
  const looks: (readonly string[])[] = []
  const watch = createSentWatch({
    movedOn: async (ids) => {
      looks.push(ids)
      return looks.length < 2 ? [] : ids.map((id) => ({ ...claimOf(id), state: 'sent', txHash: `0x${id}` }))
    },
  })
  const sent = await Promise.all(['a', 'b', 'c'].map((id) => watch.untilSent(claimOf(id), 60_000)))
  expect(sent.map(({ txHash }) => txHash)).toEqual(['0xa', '0xb', '0xc'])
  expect(looks).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ])
})

test('who waits gives up in time, also while the database is away, and a later one waits anew', async () => {
  let isAway = true
  const watch = createSentWatch({
    movedOn: async (ids) => {
      if (isAway) throw new Error('away')
      return ids.map((id) => ({ ...claimOf(id), state: 'sent', txHash: '0x1' }))
    },
  })
  expect(await watch.untilSent(claimOf('a'), 400)).toEqual(claimOf('a'))
  isAway = false
  expect(await watch.untilSent(claimOf('b'), 60_000)).toMatchObject({ id: 'b', state: 'sent' })
})

function claimOf(id: string): Claim {
  return {
    id,
    chainId: 1,
    address: id,
    appId: 'app',
    network: '127.0.0.0/24',
    amountWei: 1n,
    state: 'queued',
    txHash: null,
    createdAt: 0,
    settledAt: null,
  }
}
