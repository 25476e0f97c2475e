import { encodeAbiParameters, encodeEventTopics, getAddress, type Hex, type Log, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { v3PoolAbi } from '../../abis/v3.ts'
import type { Settled } from '../../intent.ts'
import type { Position } from '../../ports.ts'
import { collectedFromPool } from './plan-remove.ts'

const [pool, manager, stranger] = ['11', '22', '33'].map((digits) => getAddress(`0x${digits.repeat(20)}`)) as [
  Hex,
  Hex,
  Hex,
]
const position = { pool: { id: pool }, tickLower: -60, tickUpper: 120 } as Position
const own = { emitter: pool, owner: manager, tickLower: -60, tickUpper: 120 }

test('what a position was paid is what its own pool paid for its own range, whatever else was paid out beside it', () => {
  const others = [
    { ...own, emitter: stranger },
    { ...own, owner: stranger },
    { ...own, tickLower: -120 },
    { ...own, tickUpper: 60 },
  ]
  const paid = (collects: readonly Collect[]) => collectedFromPool(settledWith(collects), position, manager)
  expect(paid([...others, own])).toEqual({ amount0: 4n, amount1: 104n })
  for (const other of others) expect(() => paid([other])).toThrow(expect.objectContaining({ code: 'INTERNAL' }))
})

type Collect = typeof own

/** The place in the list is the first amount, a hundred more the second. */
function settledWith(collects: readonly Collect[]): Settled {
  const logs = collects.map(({ emitter, ...args }, index): Partial<Log> => {
    const topics = encodeEventTopics({ abi: v3PoolAbi, eventName: 'Collect', args }) as Log['topics']
    const amounts = [stranger, BigInt(index), 100n + BigInt(index)] as const
    return {
      address: emitter,
      topics,
      data: encodeAbiParameters(parseAbiParameters('address, uint128, uint128'), amounts),
    }
  })
  return { main: { logs } } as unknown as Settled
}
