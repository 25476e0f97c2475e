import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@svc/devnet/testing'
import { openStore } from '@svc/store'
import { Secret } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import { statePath } from '../../open-state.ts'
import { retryClaim } from './retry-claim.ts'

const postgres = usePostgres()

test.each(['SQLite', 'PostgreSQL'])(
  'a failed claim on %s is queued again beside the server that runs, and no other is',
  async (engine) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'retry-'))
    const { directory, path } = statePath({ dataDir })
    await mkdir(directory, { mode: 0o700 })
    const url = engine === 'SQLite' ? null : await postgres().newSchema()
    const store = await openStore({ ...(url === null ? { path } : { url }), now: Date.now })
    const wanted = { chainId: 1, address: `0x${'a'.repeat(40)}`, appId: 'app', network: '1', amountWei: 1n }
    const [verdict] = await store.claims.make([wanted], [])
    const { id } = verdict?.status === 'made' ? verdict.claim : { id: '' }
    const databaseUrl = url === null ? null : new Secret(url)
    const retry = (claimId: string) => retryClaim({ dataDir, databaseUrl }, claimId)
    expect(await retry(id)).toBe('not-tried')
    await store.claims.mark(id, 'sent', '0x1')
    expect(await retry(id)).toBe('on-its-way')
    await store.claims.mark(id, 'failed', null)
    expect(await retry('another')).toBe('not-tried')
    expect(await retry(id)).toBe('queued-again')
    expect(await store.claims.waiting(1, 10)).toMatchObject([{ id, state: 'queued' }])
    await store.claims.mark(id, 'confirmed', '0x1')
    expect(await retry(id)).toBe('paid')
    await store.close()
    await rm(dataDir, { recursive: true })
  },
)

test('a directory without state is none of a service, and stays as it is', async () => {
  const nowhere = retryClaim({ dataDir: '/proc/nowhere', databaseUrl: null }, 'a')
  await expect(nowhere).rejects.toThrow(/^DATA_DIR_INVALID \(SVC_DATA_DIR\)/)
})
