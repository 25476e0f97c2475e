// The plain way to take a claim in: two inserts in a transaction, over as many connections as the store opens. Beside it
// what the benchmark must know of the database: how many claims are in, and who leads.
import { createRequire } from 'node:module'
import { randomBytes, randomUUID } from 'node:crypto'
import { openStore } from '../../packages/store/dist/index.js'

const { Pool } = createRequire(new URL('../../packages/store/package.json', import.meta.url))('pg')

export async function openBareClaims({ databaseUrl, chainId }) {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 })
  pool.on('error', () => {})
  const store = await openStore({ url: databaseUrl, now: Date.now })
  await pool.query(
    `create table bare_claim (id text primary key, chain_id bigint not null, address text not null, created_at bigint not null,
       unique (chain_id, address));
     create table bare_outbox (claim_id text primary key references bare_claim, state text not null)`,
  )
  return {
    /** Transactions a second of `count`. */
    async insert(count) {
      const begin = performance.now()
      await Promise.all(Array.from({ length: count }, () => insertOne(pool, chainId)))
      return (count * 1_000) / (performance.now() - begin)
    },
    async count() {
      return Number((await pool.query('select count(*) from claim')).rows[0].count)
    },
    /** Takes all claims away, which would have to be paid. */
    async clear() {
      await pool.query('delete from claim')
    },
    /** Leads the faucet as another replica would, and pays nothing until it lets go. */
    async lead() {
      const name = `faucet:${chainId}`
      const lease = await store.leases.acquire({ name, holder: 'the benchmark', within: 'store' })
      return () => lease.release()
    },
    async close() {
      await store.close()
      await pool.end()
    },
  }
}

async function insertOne(pool, chainId) {
  const client = await pool.connect()
  try {
    const id = randomUUID()
    await client.query('begin')
    const claim = [id, chainId, randomBytes(20).toString('hex'), Date.now()]
    await client.query('insert into bare_claim values ($1, $2, $3, $4) on conflict do nothing', claim)
    await client.query('insert into bare_outbox values ($1, $2)', [id, 'queued'])
    await client.query('commit')
  } finally {
    client.release()
  }
}
