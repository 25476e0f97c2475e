import { useDevnet } from '@svc/devnet/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countDurableCommits, type DurableCommit } from '../bench/parts/durable-commit.mjs'
import { storeEngines } from '../packages/engine/src/fixtures/store-engines.fixture.ts'
import { openWorld, type World } from '../packages/tool-server/src/tools/chain-world.fixture.ts'

const devnet = useDevnet()
/** Durable commits that a write may take for each of its transactions. */
const mostCommits = 9
const mostCommitsOfTwo = 7
let commits: Awaited<ReturnType<typeof countDurableCommits>>

beforeEach(async () => {
  commits = await countDurableCommits()
})

afterEach(() => commits.stop())

describe.each(storeEngines)('durable commits of a write under a key, on $engine', ({ engine, usePlaces }) => {
  const newPlace = usePlaces()
  const waited = (what: string) => ({ on: engine, waits: true, what })
  const withNext = (what: string) => ({ on: engine, waits: engine === 'PostgreSQL', what })
  const file = (what: string) => ({ on: 'file', waits: true, what })
  const reserved = withNext('spending_session, reservation, reservation_budget')
  /** Found open after a loss of power, and settled again; the next signature takes it along. */
  const settled = withNext('journal, reservation_budget, spending_session, reservation')
  /** Signed before the first byte leaves; then what the chain tells again whoever asks: that it was sent, and is mined. */
  const transaction = [waited('journal'), withNext('journal'), withNext('journal')]
  const owing = waited('journal, pending_revocation')

  it('of one transaction are few enough, in the order that a crash is safe in', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const made = await commitsOf(world, { tokenIn: 'ETH', tokenOut: 'USDC', amount: '0.01' })
    const boundaries = boundariesOf(made)
    // The line of the settlement is on its way to the disk before the ledger is settled, the answer comes after both.
    expect(boundaries).toEqual([
      waited('idempotency'),
      reserved,
      file('tx.simulated, tx.intent'),
      ...transaction,
      file('tx.settled'),
      settled,
      waited('idempotency'),
    ])
    expect(made.length).toBeLessThanOrEqual(mostCommits)
    await world.close()
  })

  it('of an approval and a swap are few enough for each: what is to be revoked is noted with the first signature and ends with the settlement', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const made = await commitsOf(world, { tokenIn: 'USDC', tokenOut: 'WETH', amount: '30' })
    const boundaries = boundariesOf(made)
    expect(boundaries).toEqual([
      waited('idempotency'),
      reserved,
      file('tx.simulated, tx.intent'),
      owing,
      ...transaction.slice(1),
      file('tx.intent'),
      ...transaction,
      file('tx.settled'),
      withNext(`pending_revocation, ${settled.what}`),
      waited('idempotency'),
    ])
    expect(made.length / 2).toBeLessThanOrEqual(mostCommitsOfTwo)
    await world.close()
  })
})

/** Without what the audit log tells of the chain, which is written with the next entry or before it, as the chain is quick. */
function boundariesOf(commits: readonly DurableCommit[]): readonly DurableCommit[] {
  const told = new Set(['tx.submitted', 'tx.confirmed'])
  return commits
    .map((commit) => ({
      ...commit,
      what: commit.what
        .split(', ')
        .filter((entry) => !told.has(entry))
        .join(', '),
    }))
    .filter(({ what }) => what !== '')
}

/** Of a call like one that was made before, so that nothing is opened or looked up for the first time. */
async function commitsOf(world: World, swap: Readonly<Record<string, string>>): Promise<readonly DurableCommit[]> {
  await world.call('execute_swap', { ...swap, version: 'v3', idempotencyKey: 'the-first-key' })
  commits.take()
  await world.call('execute_swap', { ...swap, version: 'v3', idempotencyKey: 'the-second-key' })
  return commits.take()
}
