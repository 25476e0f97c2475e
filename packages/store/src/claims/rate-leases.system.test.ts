import { usePostgres } from '@svc/devnet/testing'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { openStore } from '../open-store.ts'

const postgres = usePostgres()
const askOf = (key: string) => ({ key, perMinute: 60, most: 1 })

test('two servers that ask out of the same buckets in different orders never wait for each other', async () => {
  const url = await postgres().newSchema()
  const stores = await Promise.all([0, 1].map(() => openStore({ url, now: Date.now })))
  const [one, other] = [stores[0]!.rateLeases, stores[1]!.rateLeases]
  const client = new Client({ connectionString: url })
  await client.connect()
  const waiting = async () =>
    (
      await client.query(
        "select 1 from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.query like '%rate_bucket%'",
      )
    ).rowCount
  await one.lease(['a', 'b', 'c'].map(askOf))
  await other.lease([askOf('a')])
  await client.query('begin')
  await client.query("select 1 from rate_bucket where key = 'b' for update")
  const first = one.lease(['a', 'b', 'c'].map(askOf))
  await expect.poll(waiting).toBe(1)
  const second = other.lease(['c', 'a'].map(askOf))
  await expect.poll(waiting).toBe(2)
  await client.query('commit')
  const granted = (await Promise.all([first, second])).map((leased) => leased.map((each) => each.granted))
  expect(granted).toEqual([
    [1, 1, 1],
    [1, 1],
  ])
  await client.end()
  for (const store of stores) await store.close()
})
