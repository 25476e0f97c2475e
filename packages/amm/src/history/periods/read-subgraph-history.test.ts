import { describe, expect, test } from 'vitest'
import { readSubgraphHistory } from './read-subgraph-history.ts'
import { reportedHours } from './reported-hours.fixture.ts'

async function read(...terms: Parameters<typeof reportedHours>) {
  const { ports, ask, request } = reportedHours(...terms)
  const history = await readSubgraphHistory(ports, ask, request, { pickInt: (below) => below >> 1 })
  return history.completeness.note
}

describe('the hours of a subgraph', () => {
  test('are held against the swap logs, also the last one where it says that it is behind', async () => {
    const always = () => true
    expect(await read(always, () => 1_000, 899)).toContain('5 of its 40 hours agree, those that claim most first')
    const last = read(always, (at) => (at === 39 ? 5e9 : 1_000), 899)
    await expect(last).rejects.toThrow('tells another hour')
  })

  test('are refused where those that claim most are said of a time that no log is told of', async () => {
    const late = (at: number) => at >= 20
    await expect(read(late, (at) => (late(at) ? 1_000 : 5e6))).rejects.toThrow('of which the endpoint has no log')
    await expect(
      read(
        () => false,
        () => 5e6,
      ),
    ).rejects.toThrow('of which the endpoint has no log')
    const some = read(late, (at) => (late(at) ? 1_005 : 1_000))
    expect(await some).toMatch(
      / ([234]) of its 40 hours agree, not all of those that claim most; of [123] more the endpoint gave no logs, or not in time\.$/,
    )
  })

  test.each([
    [0, 1.9, '5 of its 40 hours agree'],
    [0, 2.1, 'tells another price than the pool has'],
    // The head is ten minutes into an hour: nothing of the hour before may be missing, nor does a price of then move.
    [1, 1.0005, '5 of its 40 hours agree'],
    [1, 1.9, 'lacks the last trades of the pool'],
  ])('without the last %i, where the pool has %f times their last price', async (left, factor, says) => {
    const { ports, ask, request } = reportedHours(
      () => true,
      () => 1_000,
    )
    const fewer: typeof ask = async (...terms) => {
      const said = (await ask(...terms)) as { periods: unknown[] }
      return { ...said, periods: said.periods.slice(0, said.periods.length - left) }
    }
    const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(factor) * 2 ** 40)) * 2n ** 56n
    const elsewhere = { ...request, pool: { ...request.pool, sqrtPriceX96 } }
    const history = readSubgraphHistory(ports, fewer, elsewhere, { pickInt: (below) => below >> 1 })
    const said = await history.then(
      ({ completeness }) => completeness.note,
      (error: Error) => error.message,
    )
    expect(said).toContain(says)
  })

  test.each([
    [
      9,
      "None of its 40 hours could be held against the pool's swap logs: 5 of them would take too many requests to the",
    ],
    [25, '2 of its 40 hours agree, those that claim most first, others by chance; 3 more would take too many requests'],
  ])('are told to be unchecked where %i requests do not reach', async (mostRequests, says) => {
    const { ports, ask, request } = reportedHours(
      () => true,
      () => 1_000,
    )
    const swaps: typeof ports.liquidity.swaps = (chain, pool, since, until, limits) => {
      for (let made = 0; made < 10; made += 1) limits?.onRequest?.()
      return ports.liquidity.swaps(chain, pool, since, until)
    }
    const options = { pickInt: () => 0, mostRequests }
    const history = await readSubgraphHistory({ ...ports, liquidity: { swaps } }, ask, request, options)
    expect(history.completeness.note).toContain(says)
  })
})
